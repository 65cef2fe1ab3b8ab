import type { TypedLimit } from '../../../../client/call.ts';
import { parseUnits, type Units } from '../../../../src/platform/money.ts';
import { moment, money, unit } from '../../../kit/intl.ts';
import { Meter } from '../../../kit/measures.tsx';
import { Note } from '../../../kit/note.tsx';
import { useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';
import { autoplay } from './use-bet.ts';

type Set = TypedLimit & { amount: string; usage: NonNullable<TypedLimit['usage']> };
const isSet = (limit: TypedLimit): limit is Set =>
  limit.amount !== null && limit.usage !== null && limit.type !== 'DEPOSIT';
const share = ({ amount, usage }: Set) => Number(usage.remaining) / Number(amount);

/** Returns the player's limit on play of which the smallest part is left, or undefined if none is set. */
export function useTightestLimit(): Set | undefined {
  const isAuto = autoplay.use();
  const { data } = useRead('GET /user-limits/gambling-limits', {}, { everyMs: isAuto ? 10_000 : 30_000 });
  return data?.limits.filter(isSet).toSorted((a, b) => share(a) - share(b))[0];
}

/** Returns true if the limit allows no further bet. `betAmount`: the bet that would be placed. */
export function isReached({ type, usage }: Set, betAmount: Units | undefined): boolean {
  const left = parseUnits(usage.remaining) ?? 0n;
  return left === 0n || (type === 'WAGER' && betAmount !== undefined && betAmount > left);
}

const shown = ({ type }: Set, value: string) =>
  type === 'SESSION' ? unit(Number(value), 'minute') : money(value);

/** The remaining amount of the tightest limit. The others are on the page for safer play. */
export function LimitLeft({ of: limit }: { of: Set }) {
  const { amount, usage, type, period } = limit;
  const name = words.table.limits[type][period];
  const text = words.table.left(shown(limit, usage.remaining), shown(limit, amount));
  return (
    <div className="limit-left">
      <span className="line between">
        <span>{name}</span>
        <b>{text}</b>
      </span>
      <Meter label={name} text={text} value={Number(usage.used)} of={Number(amount)} />
    </div>
  );
}

/** Says which limit is reached and when it resets. */
export const LimitReached = ({ of: { type, period, usage } }: { of: Set }) => (
  <Note kind="warn">{words.table.reached(words.table.limits[type][period], moment(usage.periodEndsAt))}</Note>
);
