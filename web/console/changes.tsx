import { list, moment } from '../kit/intl.ts';
import { words } from '../kit/page.tsx';
import { kit } from '../kit/words.ts';
import { changedIn, isGiven, isMoment, isRecord, isSameValue, type Values } from './differences.ts';

type Names = Readonly<Record<string, string>>;
type ChangesProps = {
  before: Values;
  after: Values;
  /** The labels of fields. Other fields are labelled with the words of their code. */
  names?: Names;
};

/** Shows the changed fields with their old and new values. */
export function Changes({ before, after, names = {} }: ChangesProps) {
  const lines = linesOf(before, after, names);
  if (lines.length === 0) return <p>No changes</p>;
  return (
    <dl className="changes">
      {lines.map(({ name, old, next }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <del>{plain(old)}</del> → <ins>{plain(next)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Line = { name: string; old: unknown; next: unknown };

/**
 * One line for each changed field. An object without a label of its own is a group, of which `after` contains the changed fields. An object
 * with a label is a map, so an entry that is absent from `after` was removed.
 */
function linesOf(before: Values, after: Values, names: Names): readonly Line[] {
  return Object.keys(after).flatMap((key) => {
    const [old, next] = [before[key], after[key]];
    const label = names[key];
    if (!isRecord(next) || (isGiven(old) && !isRecord(old)))
      return [{ name: label ?? words(key), old, next }];
    const held: Values = isRecord(old) ? old : {};
    if (label === undefined) return linesOf(held, changedIn(held, next), names);
    return Object.keys({ ...held, ...next })
      .filter((part) => !isSameValue(held[part], next[part]))
      .map((part) => ({ name: `${label}: ${part}`, old: held[part], next: next[part] }));
  });
}

function plain(value: unknown): string {
  if (!isGiven(value) || value === '') return 'nothing';
  if (typeof value === 'boolean') return value ? kit.yes : kit.no;
  if (isMoment(value)) return moment(value);
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : list(value.map(plain));
  return isRecord(value) ? Object.values(value).map(plain).join(' · ') : String(value);
}
