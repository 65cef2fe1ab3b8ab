import { DICE_RESULTS, DICE_SCALE, type DiceInputs, diceOdds } from '../dice/rules.ts';
import { KENO_DRAWN, KENO_NUMBERS, KENO_SCALE, KENO_TABLE, type KenoInputs } from '../keno/rules.ts';
import { LIMBO_SCALE, LIMBO_WORDS, type LimboInputs, limboTarget, WIDEST } from '../limbo/rules.ts';
import { type MinesInputs, type MinesOutcome, minesMultiplier } from '../mines/rules.ts';
import {
  type MonkeyRunInputs,
  type MonkeyRunOutcome,
  stepMultiplier,
  stepsOf,
  TILES,
} from '../monkey-run/rules.ts';
import { PLINKO_SCALE, PLINKO_TABLE, type PlinkoInputs } from '../plinko/rules.ts';
import { POCKETS, type RouletteInputs, rouletteStakes } from '../roulette/rules.ts';
import { PICK_SCALE } from '../rules.ts';
import { COLORS, isColor, multiplierOf, POSITIONS } from '../speed-roulette/rules.ts';

/**
 * A settled bet with the figures from which its theoretical values are computed (games.md, sections 14 and 15). Statistics are doubles,
 * because they are not used to move money. `stake` is the whole stake in US dollars.
 */
export type PlayedBet = {
  game: string;
  rtpBp: number;
  stake: number;
  inputs: unknown;
  outcome: unknown;
  /**
   * Stakes on each colour of the shared round, by all players whose bets are counted. One number determines the result of all these bets.
   */
  ofAll?: Readonly<Record<string, number>> | undefined;
};

/**
 * Expected payout (stake × RTP) and variance (stake² × variance of a unit stake), in dollars. `most`: the highest profit that was possible
 * when the bet was placed. `counted`: the payout to compare with theory, if it differs from the actual payout.
 */
export type Theory = { expected: number; variance: number; most: number; counted?: number };

type Result = { chance: number; multiplier: number };

const THEORIES: Readonly<Record<string, (bet: PlayedBet) => Theory | undefined>> = {
  dice,
  limbo,
  keno,
  plinko,
  roulette,
  'speed-roulette': speedRoulette,
  mines,
  'monkey-run': monkeyRun,
  blackjack,
};

/** Returns undefined for games without theoretical values and for unreadable inputs. */
export function theoryOf(bet: PlayedBet): Theory | undefined {
  const theory = Object.hasOwn(THEORIES, bet.game) ? THEORIES[bet.game]! : undefined;
  try {
    const known = theory?.(bet);
    if (!known) return undefined;
    const { expected, variance, most, counted = 0 } = known;
    return [expected, variance, most, counted].every(Number.isFinite) ? known : undefined;
  } catch {
    // One bet with unreadable inputs must not stop the consumer.
    return undefined;
  }
}

/** The bet wins on `odds.winning` of the 10,001 equally likely results. */
function dice({ inputs, rtpBp, stake }: PlayedBet): Theory | undefined {
  const odds = diceOdds(inputs as DiceInputs, { rtpBp, maxMultiplier: Number.POSITIVE_INFINITY });
  if (!odds) return undefined;
  const multiplier = Number(odds.multiplier) / Number(DICE_SCALE);
  return oneStep(stake, [{ chance: odds.winning / DICE_RESULTS, multiplier }]);
}

/** A target of M hundredths wins on floor(R × 2^32 / (100 M)) + 1 of the 2^32 words. */
function limbo({ inputs, rtpBp, stake }: PlayedBet): Theory | undefined {
  const target = limboTarget(inputs as LimboInputs, WIDEST);
  if (target === undefined) return undefined;
  const words = Math.min(Math.floor((rtpBp * LIMBO_WORDS) / (100 * target)) + 1, LIMBO_WORDS);
  return oneStep(stake, [{ chance: words / LIMBO_WORDS, multiplier: target / Number(LIMBO_SCALE) }]);
}

/** The number of hits has a hypergeometric distribution: ten of forty numbers are drawn. */
function keno({ inputs, stake }: PlayedBet): Theory {
  const { risk, selected } = inputs as KenoInputs;
  const k = selected.length;
  const row = KENO_TABLE[risk][k - 1]!;
  const ways = (hits: number) => choose(k, hits) * choose(KENO_NUMBERS - k, KENO_DRAWN - hits);
  const results = row.map((multiplier, hits) => ({
    chance: ways(hits) / choose(KENO_NUMBERS, KENO_DRAWN),
    multiplier: Number(multiplier) / Number(KENO_SCALE),
  }));
  return oneStep(stake, results);
}

function plinko({ inputs, stake }: PlayedBet): Theory {
  const { risk, rowsCount } = inputs as PlinkoInputs;
  const results = PLINKO_TABLE[risk][rowsCount]!.map((multiplier, bucket) => ({
    chance: choose(rowsCount, bucket) / 2 ** rowsCount,
    multiplier: Number(multiplier) / Number(PLINKO_SCALE),
  }));
  return oneStep(stake, results);
}

/** The payout of a pocket is the total payout of all entries that contain it. */
function roulette({ inputs, stake }: PlayedBet): Theory | undefined {
  const entries = rouletteStakes((inputs as RouletteInputs).bets, 8);
  if (!Array.isArray(entries)) return undefined;
  const total = entries.reduce((sum, { amount }) => sum + Number(amount), 0);
  const results = Array.from({ length: POCKETS }, (_, pocket) => {
    const won = entries.filter(({ position }) => position.wins.has(pocket));
    const paid = won.reduce((sum, { amount, position }) => sum + Number(amount) * Number(position.pays), 0);
    return { chance: 1 / POCKETS, multiplier: paid / total };
  });
  return oneStep(stake, results);
}

/**
 * The payout of a position is that of its color. All bets of a round depend on one number, so a bet's contribution to the variance of the
 * round is stake × Σ over all colors of (stakes on that color × covariance of the two colors).
 */
function speedRoulette({ inputs, stake, ofAll }: PlayedBet): Theory | undefined {
  const { color } = inputs as { color: unknown };
  if (!isColor(color)) return undefined;
  const results = Array.from({ length: POSITIONS }, (_, position) => ({
    chance: 1 / POSITIONS,
    multiplier: Number(multiplierOf(color, position)),
  }));
  const alone = oneStep(stake, results);
  if (!ofAll) return alone;
  const r = alone.expected / stake;
  // All colors have the same RTP r, so the covariance of two colors is E(product of their multipliers) − r².
  const shares = COLORS.map((other) => {
    const both = results.map(({ multiplier }, at) => multiplier * Number(multiplierOf(other, at)));
    return (ofAll[other] ?? 0) * (both.reduce((sum, product) => sum + product / POSITIONS, 0) - r ** 2);
  });
  return { ...alone, variance: stake * shares.reduce((sum, share) => sum + share, 0) };
}

function mines({ inputs, outcome, rtpBp, stake }: PlayedBet): Theory | undefined {
  const grid = inputs as MinesInputs;
  const { gridCellsCount: places, bombsCount: traps } = grid;
  const { opened: tried, multiplier } = outcome as MinesOutcome;
  const pays = (k: number) => minesMultiplier(grid, k, rtpBp);
  return picks({ stake, rtpBp, places, traps, tried, multiplier, pays });
}

function monkeyRun({ inputs, outcome, rtpBp, stake }: PlayedBet): Theory | undefined {
  const { difficulty } = inputs as MonkeyRunInputs;
  const { step, didWin, multiplier } = outcome as MonkeyRunOutcome;
  const traps = TILES - stepsOf(difficulty);
  const tried = didWin ? step : step + 1;
  const pays = (k: number) => stepMultiplier(difficulty, k, rtpBp);
  return picks({ stake, rtpBp, places: TILES, traps, tried, multiplier, pays });
}

type Picks = {
  stake: number;
  rtpBp: number;
  places: number;
  traps: number;
  /** Number of steps that the player tried, including the step that lost. */
  tried: number;
  /** The multiplier in the outcome, before maxProfit is applied. */
  multiplier: number;
  pays: (k: number) => bigint;
};

/**
 * v = Σ over the tried steps of M(i)² × p(i) × (1 − p(i)), where p(i) is the probability that step i is safe if the previous ones were. The
 * mean of v is the variance, regardless of when players stop. No round is excluded: lucky players go further, so excluding rounds by their
 * number of steps would bias the result. If maxProfit limited a payout, the unlimited payout is counted.
 */
function picks({ stake, rtpBp, places, traps, tried, multiplier, pays }: Picks): Theory | undefined {
  if (!(tried >= 1)) return undefined;
  let v = 0;
  for (let i = 1; i <= tried; i++) {
    const safe = (places - traps - i + 1) / (places - i + 1);
    v += (Number(pays(i)) / Number(PICK_SCALE)) ** 2 * safe * (1 - safe);
  }
  const expected = (stake * rtpBp) / 10_000;
  return { expected, variance: stake ** 2 * v, most: 0, counted: stake * multiplier };
}

/** RTP per stake and variance per initial bet under basic strategy. */
const CHART = 0.9955787;
const CHART_VARIANCE = 1.2047;
/** RTP and variance of the side bet (Perfect Pair). */
const SIDE = 49 / 51;
const SIDE_VARIANCE = 16.979;
/** Highest profit of the side bet per stake, and of the hands per initial bet. The latter assumes that the player doubles or splits. */
const MOST_OF_SIDE = 24;
const MOST_OF_HAND = 2;

/** Rounds started by initDebug use a prearranged deck, so they have no theoretical values. */
function blackjack({ inputs, stake }: PlayedBet): Theory | undefined {
  const { betAmount, sideBetAmount, deck } = inputs as Record<string, string | null | undefined>;
  if (deck !== undefined) return undefined;
  const initial = Number(betAmount);
  const side = Number(sideBetAmount ?? 0);
  const hands = stake - side;
  return {
    expected: hands * CHART + side * SIDE,
    variance: initial ** 2 * CHART_VARIANCE + side ** 2 * SIDE_VARIANCE,
    most: initial * MOST_OF_HAND + side * MOST_OF_SIDE,
  };
}

/**
 * Returns the theoretical values of a bet with these results, from its RTP r = Σ probability × multiplier and the variance of a unit stake
 * v = Σ probability × multiplier² − r². Results that pay nothing may be omitted.
 */
function oneStep(stake: number, results: readonly Result[]): Theory {
  let [r, squares, most] = [0, 0, 0];
  for (const { chance, multiplier } of results) {
    r += chance * multiplier;
    squares += chance * multiplier ** 2;
    most = Math.max(most, multiplier);
  }
  return { expected: stake * r, variance: stake ** 2 * (squares - r ** 2), most: stake * (most - 1) };
}

function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return Math.round(ways);
}
