import { periodStart } from '../../../../../platform/periods.ts';
import { bandOf, FAR, NORMAL, type Sums } from '../sums/rules.ts';

/**
 * The verdict on a game's return in a window. FEW: too few bets for a verdict. OUTSIDE: outside the 95 % band. FAR: outside the 99.9 %
 * band. A failed test of positions is OUTSIDE, never FAR.
 */
export type Verdict = 'FEW' | 'INSIDE' | 'OUTSIDE' | 'FAR';

/** `misses`: number of consecutive windows outside. `isRaised`: an alert is active. */
export type Watch = { misses: number; isRaised: boolean };

const LEAST_BETS = 1000n;
const BUSY_BETS = 10_000n;
const MISSES = 3;
/** Ratio of the return of optimal play to that of basic strategy (`CHART` in ../rules.ts), both per stake. Worse play lowers the return. */
const BEST_OF_BLACKJACK = 99.59124 / 99.55787;

export const DAY_MS = 86_400_000;

/** Returns the length of a game's window, which depends on its bets of the last day. */
export const windowMs = (betsOfDay: bigint): number => (betsOfDay > BUSY_BETS ? 1 : 30) * DAY_MS;

/** Returns the end of the last whole day, in UTC. */
export const lastMidnight = (now: Date): Date => periodStart('DAY', now);

/** Judges a game's return. In blackjack only a return above the band of optimal play is wrong, because bad play lowers it. */
export function judge(game: string, sums: Sums): Verdict {
  if (sums.bets < LEAST_BETS) return 'FEW';
  const isOutside = (errors: number) => {
    const isBlackjack = game === 'blackjack';
    const { actual, low, high } = bandOf(sums, errors, isBlackjack ? BEST_OF_BLACKJACK : 1)!;
    return actual > high || (!isBlackjack && actual < low);
  };
  if (isOutside(FAR)) return 'FAR';
  return isOutside(NORMAL) ? 'OUTSIDE' : 'INSIDE';
}

/** Maximum delay between a bet's timestamp and its commit. It includes differences between the servers' clocks. */
const LATE_MS = 600_000;

/** Returns the end of the last whole day whose bets have all been committed. */
export const lastWholeDay = (now: Date): Date => lastMidnight(new Date(now.getTime() - LATE_MS));

/**
 * Returns the state after one more window. One window that is FAR, or `most` consecutive windows outside, raise an alert. A window inside
 * ends it. A window with too few bets changes nothing.
 */
export function watch(before: Watch, verdict: Verdict, most = MISSES): Watch & { isNew: boolean } {
  if (verdict === 'FEW') return { ...before, isNew: false };
  if (verdict === 'INSIDE') return { misses: 0, isRaised: false, isNew: false };
  const misses = before.misses + 1;
  const isRaised = before.isRaised || verdict === 'FAR' || misses >= most;
  return { misses, isRaised, isNew: isRaised && !before.isRaised };
}
