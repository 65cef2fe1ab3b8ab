import './shares.css';
import { Meter } from '../kit/measures.tsx';

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
            <span className="line between">
              <span className="clip">{label}</span>
              <span className="nowrap">
                {value} <small className="dim">{percent}%</small>
              </span>
            </span>
            <Meter value={Math.max(0, percent)} of={100} label={label} text={`${percent}%`} kind="progress" />
          </li>
        ))}
      </ul>
    </figure>
  );
}
