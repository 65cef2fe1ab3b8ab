import type { Units } from '../../../platform/money.ts';

/** Dollars that a member of staff may move at once and on a day. */
export type Limits = { maxUsd: Units; dailyMaxUsd: Units };

/** The limit that an amount would exceed, with what was moved on the day before it; undefined: neither. */
export const limitExceeded = (
  { usdAmount, todayUsd }: { usdAmount: Units; todayUsd: Units },
  { maxUsd, dailyMaxUsd }: Limits,
): keyof Limits | undefined =>
  usdAmount > maxUsd ? 'maxUsd' : todayUsd + usdAmount > dailyMaxUsd ? 'dailyMaxUsd' : undefined;
