import { type Amounts, partsOf } from '../../src/modules/games/house-games/blackjack/rules.ts';
import type { Table } from '../../src/modules/games/house-games/blackjack/table/rules.ts';
import {
  COLORS,
  type Color,
  multiplierOf,
} from '../../src/modules/games/house-games/speed-roulette/rules.ts';
import { TERMS } from '../terms.ts';
import { type Fraction, percent, sum } from './fraction.ts';

const POSITIONS = 15;
const CARDS = 52;

/** Returns the RTP of each colour over the fifteen positions. */
export function speedRouletteReturns(): Record<Color, string> {
  const positions = Array.from({ length: POSITIONS }, (_, i) => i);
  const of = (color: Color): Fraction => ({
    value: sum(positions.map((position) => multiplierOf(color, position))),
    whole: BigInt(POSITIONS),
  });
  return Object.fromEntries(COLORS.map((color) => [color, percent(of(color))])) as Record<Color, string>;
}

/** Returns the side bet's payout for these two cards, in units, for a stake of one unit. */
export function sideBetPays(cards: readonly [number, number]): bigint {
  const amounts: Amounts = { betAmount: '1', sideBetAmount: '1' };
  const table: Table = { hands: [{ cards, isDoubled: false }], dealer: [], active: 0, insurance: 'NONE' };
  return partsOf(amounts, table, TERMS).side!.paid.units;
}

/** Computes the return over all ordered pairs of cards. */
export function perfectPairReturn(): string {
  const deck = Array.from({ length: CARDS }, (_, i) => i + 1);
  const pairs = deck.flatMap((a) => deck.filter((b) => b !== a).map((b) => [a, b] as const));
  const value = sum(pairs.map(sideBetPays));
  return percent({ value, whole: TERMS.stake * BigInt(pairs.length) });
}
