import { percent } from '../../../kit/intl.ts';

/** The value of a figure. Null if there is none. */
export type Value = string | number | null;
type GoodIs = 'up' | 'down';

/** The change of a figure against the previous period. Nothing if there is nothing to compare with. */
export function changeOf(now: Value, before: Value | undefined, goodIs?: GoodIs) {
  // Floating-point numbers are exact enough for a percentage that is only shown.
  const [current, previous] = [Number(now), Number(before ?? 0)];
  return changeIn(previous === 0 ? null : ((current - previous) / Math.abs(previous)) * 100, goodIs);
}

/** A change for the card of a figure. Nothing if it is not known or rounds to zero. */
export function changeIn(percentage: number | null, goodIs: GoodIs = 'up') {
  const text = percent(Math.abs(percentage ?? 0));
  if (percentage === null || text === percent(0)) return {};
  return { change: { text, isUp: percentage > 0, goodIs } };
}
