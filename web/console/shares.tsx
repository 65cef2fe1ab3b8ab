/** `value`: as it is shown. */
export type Share = { label: string; value: string; percent: number };

/** Shows parts of a total, each with a bar and a figure. */
export function Shares({ title, of }: { title?: string; of: readonly Share[] }) {
  return (
    <figure className="shares">
      {title !== undefined && <figcaption>{title}</figcaption>}
      {of.length === 0 && <p className="dim">No data in this period</p>}
      <ul>
        {of.map(({ label, value, percent }) => (
          <li key={label}>
            <span>{label}</span>
            <meter min={0} max={100} value={Math.max(0, percent)} aria-label={`${label}: ${percent}%`} />
            <span className="end">
              {value} <small className="dim">{percent}%</small>
            </span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
