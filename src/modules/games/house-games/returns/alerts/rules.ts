import { periodStart } from '../../../../../platform/periods.ts';
import { CARDS_DEALT, DECK, dealtCards } from '../../blackjack/rules.ts';
import { KENO_DRAWN, KENO_NUMBERS, type KenoOutcome } from '../../keno/rules.ts';
import { POCKETS, type RouletteOutcome } from '../../roulette/rules.ts';
import { POSITIONS } from '../../speed-roulette/rules.ts';
import { bandOf, FAR, NORMAL, type SettledBets, type Sums } from '../sums/rules.ts';

/**
 * The verdict on a game's RTP in a window. FEW: too few bets for a verdict. OUTSIDE: outside the 95 % band. FAR: outside the 99.9 % band. A
 * failed test of positions counts as OUTSIDE, never as FAR.
 */
export type Verdict = 'FEW' | 'INSIDE' | 'OUTSIDE' | 'FAR';

/** `misses`: number of consecutive windows outside the band. `isRaised`: whether an alert is active. */
export type Watch = { misses: number; isRaised: boolean };

const LEAST_BETS = 1000n;
const BUSY_BETS = 10_000n;
const MISSES = 3;
/** Ratio of the RTP of optimal play to that of basic strategy (`CHART` in ../rules.ts), both per stake. Worse play lowers the RTP. */
const BEST_OF_BLACKJACK = 99.59124 / 99.55787;

export const DAY_MS = 86_400_000;

/** Returns the length of a game's window, which depends on the number of bets in the last day. */
export const windowMs = (betsOfDay: bigint): number => (betsOfDay > BUSY_BETS ? 1 : 30) * DAY_MS;

/** Returns the end of the last whole day, in UTC. */
export const lastMidnight = (now: Date): Date => periodStart('DAY', now);

/** Evaluates a game's RTP. In blackjack only an RTP above the band of optimal play is an error, because bad play lowers it. */
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
 * Returns the state after one more window. An alert is raised by one FAR window, or by `most` consecutive windows outside the band. A
 * window inside the band ends the alert. A window with too few bets does not change the state.
 */
export function watch(before: Watch, verdict: Verdict, most = MISSES): Watch & { isNew: boolean } {
  if (verdict === 'FEW') return { ...before, isNew: false };
  if (verdict === 'INSIDE') return { misses: 0, isRaised: false, isNew: false };
  const misses = before.misses + 1;
  const isRaised = before.isRaised || verdict === 'FAR' || misses >= most;
  return { misses, isRaised, isNew: isRaised && !before.isRaised };
}

/**
 * The results of a round: `drawn` different positions on each of `wheels` wheels with `size` equally likely positions. The counts contain
 * one cell for each position, in the order of the wheels.
 */
type Wheels = { wheels: number; size: number; drawn: number };

const GAMES = {
  roulette: { wheels: 1, size: POCKETS, drawn: 1 },
  'speed-roulette': { wheels: 1, size: POSITIONS, drawn: 1 },
  keno: { wheels: 1, size: KENO_NUMBERS, drawn: KENO_DRAWN },
  // The first four cards of the deck, two of which are the dealer's. Later cards are excluded, because the players' actions determine who
  // gets them.
  blackjack: { wheels: CARDS_DEALT, size: DECK, drawn: 1 },
} satisfies Record<string, Wheels>;

export type TestedGame = keyof typeof GAMES;
export const TESTED_GAMES = Object.keys(GAMES) as TestedGame[];

/**
 * For each game, a function that returns the positions that a bet drew, counted from 0, in the order of the wheels. speed-roulette has no
 * function, because its rounds are counted instead of its bets.
 */
const DRAWN: Readonly<Record<string, (outcome: unknown) => number[]>> = {
  roulette: (outcome) => [(outcome as RouletteOutcome).randomPosition],
  keno: (outcome) => (outcome as KenoOutcome).results.map((number) => number - 1),
  blackjack: (outcome) => dealtCards(outcome).map((card) => card - 1),
};

/**
 * Settled bets with the same outcome. `isSeeded`: the outcome was drawn from seeds, not from a prearranged deck. `sign` is -1 if the bets
 * were rolled back.
 */
export type SeenBets = Pick<SettledBets, 'bets' | 'game' | 'outcome'> & {
  sign: 1 | -1;
  gameId: number;
  hour: Date;
  isSeeded: boolean;
};

/** Number of hits per cell of a game on a day. `day` is in milliseconds. */
export type Day = { gameId: number; day: number; counts: number[] };

/** Counts the positions of bets by game and UTC day. Skips unreadable outcomes, which must not stop the consumer. */
export function countPositions(seen: readonly SeenBets[]): Day[] {
  const days = new Map<string, Day>();
  for (const { sign, bets, gameId, game, hour, isSeeded, outcome } of seen) {
    const cells = isSeeded ? cellsOf(game, outcome) : [];
    if (cells.length === 0) continue;
    const day = periodStart('DAY', hour).getTime();
    const key = `${gameId} ${day}`;
    const known = days.get(key) ?? { gameId, day, counts: noCounts(game as TestedGame) };
    days.set(key, known);
    for (const cell of cells) known.counts[cell]! += sign * bets;
  }
  return [...days.values()];
}

export const noCounts = (game: TestedGame): number[] =>
  Array<number>(GAMES[game].wheels * GAMES[game].size).fill(0);

function cellsOf(game: string, outcome: unknown): number[] {
  if (!Object.hasOwn(DRAWN, game)) return [];
  const { wheels, size, drawn } = GAMES[game as TestedGame];
  try {
    const numbers = DRAWN[game]!(outcome);
    const areOnWheels = numbers.every((n) => Number.isInteger(n) && n >= 0 && n < size);
    const cells = numbers.map((n, i) => Math.floor(i / drawn) * size + n);
    return areOnWheels && new Set(cells).size === wheels * drawn ? cells : [];
  } catch {
    return [];
  }
}

/** The result of a test. `p` is the probability that the counts of fair rounds are at least as uneven. */
export type Test = { verdict: Verdict; rounds: number; statistic: number; degrees: number; p: number };

/** Minimum expected count per cell. With a lower count, the statistic does not follow the chi-square distribution. */
const LEAST_EXPECTED = 5;
const LEVEL = 0.01;
/** Number of consecutive failed tests after which an alert is raised. */
export const FAILURES = 2;

/**
 * Tests a game's counts with chi-square at the 99 % level (games.md, section 15). The statistics of several wheels are added. The first
 * cards of one deck are always different, so the variance of the sum is 0.1 % above that of chi-square with 4 × 51 degrees of freedom. No
 * test is made if fewer than five hits are expected in a cell.
 */
export function testPositions(game: TestedGame, counts: readonly number[]): Test {
  const { wheels, size, drawn } = GAMES[game];
  const rounds = counts.reduce((a, b) => a + b, 0) / (wheels * drawn);
  if ((rounds * drawn) / size < LEAST_EXPECTED)
    return { verdict: 'FEW', rounds, statistic: 0, degrees: 0, p: 1 };
  let [statistic, degrees] = [0, 0];
  for (let from = 0; from < counts.length; from += size) {
    const wheel = drawnChiSquare(counts.slice(from, from + size), rounds, drawn);
    statistic += wheel.statistic;
    degrees += wheel.degrees;
  }
  const p = chiSquareTail(statistic, degrees);
  return { verdict: p < LEVEL ? 'OUTSIDE' : 'INSIDE', rounds, statistic, degrees, p };
}

/**
 * Computes Q(a, x) = Γ(a, x) / Γ(a), the upper regularised incomplete gamma function, for a ≥ 1/2 and x ≥ 0. Uses its series if x is below
 * a + 1, otherwise its continued fraction (modified Lentz). Accurate to about 13 digits.
 */
export function upperGamma(a: number, x: number): number {
  const factor = Math.exp(a * Math.log(x) - x - logGamma(a));
  // Stryker disable next-line EqualityOperator,ArithmeticOperator: near a + 1 both methods are equally exact
  return x < a + 1 ? 1 - factor * lowerSeries(a, x) : factor * upperFraction(a, x);
}

/** Returns the probability that a chi-square variable of `degrees` degrees of freedom is `value` or more. */
export function chiSquareTail(value: number, degrees: number): number {
  return upperGamma(degrees / 2, value / 2);
}

export type ChiSquare = { statistic: number; degrees: number; p: number };

/**
 * Tests the counts of `rounds` rounds. Each round drew `drawn` different positions out of N = counts.length equally likely ones. p is the
 * probability that fair counts are at least as uneven. Drawing without replacement makes counts vary less than independent ones, by (N −
 * drawn) / (N − 1): with e = rounds × drawn / N, Σ (seen − e)² / e × (N − 1) / (N − drawn) is chi-square with N − 1 degrees. If `drawn` is
 * 1, this is Pearson's test.
 */
export function drawnChiSquare(counts: readonly number[], rounds: number, drawn: number): ChiSquare {
  const n = counts.length;
  const expected = (rounds * drawn) / n;
  const variance = (rounds * drawn * (n - drawn)) / (n * (n - 1));
  const statistic = counts.reduce((sum, seen) => sum + (seen - expected) ** 2, 0) / variance;
  return { statistic, degrees: n - 1, p: chiSquareTail(statistic, n - 1) };
}

const ENOUGH = 1e-15;
const TINY = 1e-300;
const MOST_TERMS = 100_000;

function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  // Stryker disable next-line EqualityOperator: no term is exactly equal to the bound
  for (let n = 1; term > sum * ENOUGH; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

function upperFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let fraction = d;
  // Stryker disable next-line EqualityOperator: one more term does not change the sum noticeably
  for (let n = 1; n < MOST_TERMS; n++) {
    const numerator = -n * (n - a);
    b += 2;
    d = 1 / nonZero(numerator * d + b);
    c = nonZero(b + numerator / c);
    fraction *= c * d;
    // Stryker disable next-line EqualityOperator: no factor is exactly equal to the bound
    if (Math.abs(c * d - 1) < ENOUGH) break;
  }
  return fraction;
}

// Stryker disable next-line ConditionalExpression,EqualityOperator: a guard for denominators that no known argument produces
const nonZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);

/** The Lanczos approximation with g = 7 and nine coefficients (Godfrey), which is accurate to 15 digits for a ≥ 1/2. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(a: number): number {
  const x = a - 1;
  const sum = LANCZOS.reduce((s, c, i) => s + c / (x + i));
  const t = x + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}
