import type { Units } from '../../../../platform/money.ts';
import type { Risk } from '../../../money/bonus/rules.ts';
import { KENO_DRAWN, KENO_NUMBERS, KENO_SCALE, KENO_TABLE, type KenoInputs } from '../keno/rules.ts';
import { PLINKO_SCALE, PLINKO_TABLE, type PlinkoInputs } from '../plinko/rules.ts';
import type { RouletteType } from '../roulette/layout/rules.ts';
import { POCKETS, type RouletteStake } from '../roulette/rules.ts';
import { choose } from '../rules.ts';
import { COLORS, type Color, multiplierOf, POSITIONS } from '../speed-roulette/rules.ts';

/**
 * Risk of bets on games with several winning outcomes: the probability of getting at least the stake back, and the average return of bets
 * that pay. The highest return is not used, because a single larger chip raises it although the player still gets nearly all of the stake
 * back. Games with one winning outcome compute the risk in their own rules. Blackjack is not covered: no decision of the player makes it
 * low-risk, and a push never counts towards wagering.
 */

const PPM = 1_000_000n;
const E4 = 10_000n;

const ppm = (part: bigint, whole: bigint): number => Number((part * PPM) / whole);
const e4 = (multiplier: bigint, scale: bigint): number => Number((multiplier * E4) / scale);

const OPPOSITES: readonly (readonly [RouletteType, RouletteType])[] = [
  ['RED', 'BLACK'],
  ['ODD', 'EVEN'],
  ['LOW', 'HIGH'],
];

/** Returns the risk of bets worth `total` dollars on a wheel with one zero. */
export function rouletteRisk(stakes: readonly RouletteStake[], total: Units): Risk {
  const paid = Array.from({ length: POCKETS }, () => 0n);
  for (const { position, amount } of stakes)
    for (const pocket of position.wins) paid[pocket]! += amount * position.pays;
  const types = new Set(stakes.map(({ position }) => position.type));
  return {
    ...layoutRisk(paid, total),
    isOpposite: OPPOSITES.some(([one, other]) => types.has(one) && types.has(other)),
  };
}

/** Combines all bets of a player in one speed-roulette round, given as stakes in US dollars by colour. */
export function colorsRisk(bets: readonly { color: Color; usd: Units }[]): Risk {
  const total = bets.reduce((sum, { usd }) => sum + usd, 0n);
  const paid = Array.from({ length: POSITIONS }, (_, position) =>
    bets.reduce((sum, { color, usd }) => sum + usd * multiplierOf(color, position), 0n),
  );
  const colors = new Set(bets.map(({ color }) => color));
  return {
    ...layoutRisk(paid, total),
    isOpposite: COLORS.slice(0, 2).every((color) => colors.has(color)),
  };
}

export function kenoRisk({ risk, selected }: KenoInputs): Risk {
  const row = KENO_TABLE[risk][selected.length - 1]!;
  const misses = KENO_NUMBERS - KENO_DRAWN;
  const outcomes = row.map((won, hits) => ({
    won,
    weight: choose(KENO_DRAWN, hits) * choose(misses, selected.length - hits),
  }));
  return tableRisk(outcomes, KENO_SCALE);
}

export function plinkoRisk({ risk, rowsCount }: PlinkoInputs): Risk {
  const board = PLINKO_TABLE[risk][rowsCount]!;
  return tableRisk(
    board.map((won, bucket) => ({ won, weight: choose(rowsCount, bucket) })),
    PLINKO_SCALE,
  );
}

type Outcome = { won: bigint; weight: bigint };

/** Returns the risk of weighted outcomes that pay `won` / `scale` times the stake. Only outcomes that return the stake count as wins. */
function tableRisk(outcomes: readonly Outcome[], scale: bigint): Risk {
  const returning = outcomes.filter(({ won }) => won >= scale);
  return { chancePpm: shareOf(returning, outcomes), multiplierE4: average(returning, scale) };
}

/**
 * Returns the risk of equally likely outcomes for a total stake of `total`. Averages over all outcomes that pay anything, so the average
 * does not depend on how the stake is spread over them.
 */
function layoutRisk(paid: readonly bigint[], total: bigint): Risk {
  const outcomes = paid.map((won) => ({ won, weight: 1n }));
  const paying = outcomes.filter(({ won }) => won > 0n);
  return {
    chancePpm: shareOf(
      outcomes.filter(({ won }) => won >= total),
      outcomes,
    ),
    multiplierE4: average(paying, total),
    coveragePpm: shareOf(paying, outcomes),
  };
}

const shareOf = (part: readonly Outcome[], outcomes: readonly Outcome[]): number =>
  ppm(weightOf(part), weightOf(outcomes));

const weightOf = (outcomes: readonly Outcome[]): bigint =>
  outcomes.reduce((sum, { weight }) => sum + weight, 0n);

/** Returns the average return of weighted outcomes, in ten-thousandths of the stake. `outcomes` must not be empty. */
const average = (outcomes: readonly Outcome[], scale: bigint): number =>
  e4(
    outcomes.reduce((sum, { won, weight }) => sum + won * weight, 0n),
    scale * weightOf(outcomes),
  );
