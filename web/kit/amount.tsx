import { kit } from './words.ts';

/** Shows an amount from the server with thousands separators. It is never rounded. */
export function Amount({ of, in: currency }: { of: string | null | undefined; in?: string | undefined }) {
  if (of === null || of === undefined) return <span className="dim">–</span>;
  return (
    <span className="amount" translate="no">
      {grouped(of)}
      {currency && <small> {currency}</small>}
    </span>
  );
}

export const Usd = ({ of }: { of: string | number | null | undefined }) => (
  <Amount of={of === null || of === undefined ? of : String(of)} in="USD" />
);

function grouped(text: string): string {
  const [whole = '', rest] = text.split('.');
  const parts = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ' ');
  return rest === undefined ? parts : `${parts}.${rest}`;
}

/** Shows a timestamp in the reader's time zone. Its tooltip shows UTC. */
export function When({ at }: { at: string | null | undefined }) {
  if (!at) return <span className="dim">–</span>;
  return (
    <time dateTime={at} title={at}>
      {new Date(at).toLocaleString(kit.locale, { dateStyle: 'medium', timeStyle: 'medium' })}
    </time>
  );
}
