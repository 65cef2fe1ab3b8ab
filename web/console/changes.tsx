import { words } from '../kit/page.tsx';

type Values = Readonly<Record<string, unknown>>;

/** Shows the changed fields with their old and new values. */
export function Changes({ before, after }: { before: Values; after: Values }) {
  return (
    <dl className="changes">
      {Object.keys(after).map((name) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd>
            <del>{plain(before[name])}</del> → <ins>{plain(after[name])}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const plain = (value: unknown): string =>
  value === undefined || value === null || value === ''
    ? 'nothing'
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
