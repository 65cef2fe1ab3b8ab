import { periodStart } from '../../../../../platform/periods.ts';
import { CARDS_DEALT, DECK, dealtCards } from '../../blackjack/rules.ts';
import { KENO_DRAWN, KENO_NUMBERS, type KenoOutcome } from '../../keno/rules.ts';
import { POCKETS, type RouletteOutcome } from '../../roulette/rules.ts';
import { POSITIONS } from '../../speed-roulette/rules.ts';
import type { Verdict } from '../alerts/rules.ts';
import { chiSquareTail, drawnChiSquare } from '../chi-square/rules.ts';
import type { SettledBets } from '../sums/rules.ts';

/**
 * The results of a round: `drawn` different positions from each of `wheels`, which have `size` equally likely positions. Counts have a cell
 * per position, wheel after wheel.
 */
type Wheels = { wheels: number; size: number; drawn: number };

const GAMES = {
  roulette: { wheels: 1, size: POCKETS, drawn: 1 },
  'speed-roulette': { wheels: 1, size: POSITIONS, drawn: 1 },
  keno: { wheels: 1, size: KENO_NUMBERS, drawn: KENO_DRAWN },
  // Only the first four cards of the deck count, two of them the dealer's. Players' decisions influence the later cards.
  blackjack: { wheels: CARDS_DEALT, size: DECK, drawn: 1 },
} satisfies Record<string, Wheels>;

export type TestedGame = keyof typeof GAMES;
export const TESTED_GAMES = Object.keys(GAMES) as TestedGame[];

/**
 * Returns the positions that a bet drew, numbered from 0, wheel after wheel. Speed-roulette is missing, because its rounds are counted
 * instead.
 */
const DRAWN: Readonly<Record<string, (outcome: unknown) => number[]>> = {
  roulette: (outcome) => [(outcome as RouletteOutcome).randomPosition],
  keno: (outcome) => (outcome as KenoOutcome).results.map((number) => number - 1),
  blackjack: (outcome) => dealtCards(outcome).map((card) => card - 1),
};

/** Settled bets with one outcome. `isSeeded`: drawn from seeds, not from a given deck. `sign` -1: the bets were rolled back. */
export type SeenBets = Pick<SettledBets, 'bets' | 'game' | 'outcome'> & {
  sign: 1 | -1;
  gameId: number;
  hour: Date;
  isSeeded: boolean;
};

/** Number of hits per cell of a game on a day. `day` in milliseconds. */
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

/** The result of a test. `p`: the probability that fair rounds are at least as uneven. */
export type Test = { verdict: Verdict; rounds: number; statistic: number; degrees: number; p: number };

/** Minimum expected count per cell. With less, the statistic does not follow the chi-square distribution. */
const LEAST_EXPECTED = 5;
const LEVEL = 0.01;
/** This number of consecutive failed tests raises an alert. */
export const FAILURES = 2;

/**
 * Runs a chi-square test of a game's counts at the 99 % level (games.md, section 15). Statistics of several wheels are added up. The first
 * cards of one deck are all different, so this sum has a variance 0.1 % above that of chi-square with 4 × 51 degrees of freedom. With an
 * expected count below five per cell nothing is tested.
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
