import { periodStart } from '../../../../../platform/periods.ts';
import { bandOf, FAR, NORMAL, type Sums } from '../sums/rules.ts';

/**
 * Whether a game's return in a window is what it should be. FEW: too few bets to tell; OUTSIDE: outside the 95 % band; FAR: outside the
 * 99.9 % band. A test of positions that fails is OUTSIDE, never FAR.
 */
export type Verdict = 'FEW' | 'INSIDE' | 'OUTSIDE' | 'FAR';

/** `misses`: how many windows in a row were outside; `isRaised`: an alert is raised. */
export type Watch = { misses: number; isRaised: boolean };

const LEAST_BETS = 1000n;
const BUSY_BETS = 10_000n;
const MISSES = 3;
/** The return of best play over that of the chart (`CHART` in ../rules.ts), both per stake. Players return less the worse they play. */
const BEST_OF_BLACKJACK = 99.59124 / 99.55787;

export const DAY_MS = 86_400_000;

/** The length of a game's window, by its bets of the last day. */
export const windowMs = (betsOfDay: bigint): number => (betsOfDay > BUSY_BETS ? 1 : 30) * DAY_MS;

/** The end of the last whole day, in UTC. */
export const lastMidnight = (now: Date): Date => periodStart('DAY', now);

/** In blackjack only a return above the band of best play is wrong: players who play badly get less. */
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

/** A bet may commit so long after its time, which is a little off where clocks differ. */
const LATE_MS = 600_000;

/** The end of the last whole day whose bets can all be read. */
export const lastWholeDay = (now: Date): Date => lastMidnight(new Date(now.getTime() - LATE_MS));

/**
 * The state after one more window. One window far outside or `most` outside in a row raise an alert, which a window inside ends. A
 * window with too few bets changes nothing.
 */
export function watch(before: Watch, verdict: Verdict, most = MISSES): Watch & { isNew: boolean } {
  if (verdict === 'FEW') return { ...before, isNew: false };
  if (verdict === 'INSIDE') return { misses: 0, isRaised: false, isNew: false };
  const misses = before.misses + 1;
  const isRaised = before.isRaised || verdict === 'FAR' || misses >= most;
  return { misses, isRaised, isNew: isRaised && !before.isRaised };
}
