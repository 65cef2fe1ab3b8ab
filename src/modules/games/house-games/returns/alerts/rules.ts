import { bandOf, FAR, NORMAL, type Sums } from '../sums/rules.ts';

/**
 * What a window says of a game's return: nothing (too few bets), in order, outside 95 %, outside 99.9 %. A test of what came up in
 * it says OUTSIDE when it fails, and is never FAR.
 */
export type Verdict = 'FEW' | 'INSIDE' | 'OUTSIDE' | 'FAR';

/** `misses`: windows running outside; `isRaised`: an alert stands. */
export type Watch = { misses: number; isRaised: boolean };

const LEAST_BETS = 1000n;
const BUSY_BETS = 10_000n;
const MISSES = 3;
/** Of the chart's play and of best play, both per stake: how people play decides where between or below they are. */
const BEST_OF_BLACKJACK = 99.59124 / 99.55787;

export const DAY_MS = 86_400_000;

/** How long a window of a game is that had so many bets in the last day. */
export const windowMs = (betsOfDay: bigint): number => (betsOfDay > BUSY_BETS ? 1 : 30) * DAY_MS;

/** The end of the last whole day, in UTC. */
export const lastMidnight = (now: Date): Date => new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);

/** Of blackjack only a return above the band of best play counts: below it is how people play. */
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

/** Until when a day is waited for: a bet that was stamped in it may commit later, and clocks differ. */
const LATE_MS = 600_000;

/** The end of the last day that is whole and cannot change any more. */
export const lastWholeDay = (now: Date): Date => lastMidnight(new Date(now.getTime() - LATE_MS));

/**
 * What is known after one more window: an alert is raised by one far outside or by `most` running outside, and stands until a
 * window lies inside. One with too few bets changes nothing.
 */
export function watch(before: Watch, verdict: Verdict, most = MISSES): Watch & { isNew: boolean } {
  if (verdict === 'FEW') return { ...before, isNew: false };
  if (verdict === 'INSIDE') return { misses: 0, isRaised: false, isNew: false };
  const misses = before.misses + 1;
  const isRaised = before.isRaised || verdict === 'FAR' || misses >= most;
  return { misses, isRaised, isNew: isRaised && !before.isRaised };
}
