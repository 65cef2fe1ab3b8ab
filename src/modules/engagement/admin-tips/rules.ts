import type { Units } from '../../../platform/money.ts';

/** Limits of a staff member in US dollars, per call and per UTC day. */
type Limits = { maxUsd: Units; dailyMaxUsd: Units };

/** Returns the limit that an amount would exceed, or undefined. `todayUsd`: the amount moved earlier on the same day. */
export const limitExceeded = (
  { usdAmount, todayUsd }: { usdAmount: Units; todayUsd: Units },
  { maxUsd, dailyMaxUsd }: Limits,
): keyof Limits | undefined =>
  usdAmount > maxUsd ? 'maxUsd' : todayUsd + usdAmount > dailyMaxUsd ? 'dailyMaxUsd' : undefined;
