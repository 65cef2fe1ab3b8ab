import { type Next, payoutsOf, type Return } from '../../src/modules/games/betting/rules.ts';
import type { ReturningGame } from '../games.ts';
import type { Prize } from '../statistics/mean.ts';
import { meanOf, varianceOf } from '../statistics/mean.ts';
import { TERMS } from '../terms.ts';
import type { Recorder } from './tally.ts';

/**
 * Where things fall that a round decides, with their chances. `drawn` above 1: that many different ones of cells that are all equally
 * likely.
 */
export type Spread = { what: string; labels: readonly string[]; chances: readonly number[]; drawn: number };

/** A stream of one bet, and the same from its beginning again, as the server has it at each request of a round. */
export type Stream = { next: Next; again: () => Next };

/** One way to bet on a game through the rules that the server runs. */
export type Case = {
  game: ReturningGame;
  name: string;
  /** Per unit staked; `variance` per unit of the first stake. */
  expected: number;
  variance: number;
  /** All that a bet may pay, where that is known exactly. */
  prizes?: readonly Prize[];
  spreads: readonly Spread[];
  play: (stream: Stream, recorder: Recorder) => void;
};

/** A case whose bet takes one stake and pays one of these prizes. */
export function prizeCase(
  about: Pick<Case, 'game' | 'name' | 'spreads' | 'play'> & { prizes: readonly Prize[] },
): Case {
  return { ...about, expected: meanOf(about.prizes), variance: varianceOf(about.prizes) };
}

/** Pays a single-step bet as the server does. */
export function settle(recorder: Recorder, { multiplier, scale }: Return): void {
  recorder.round(TERMS.stake, payoutsOf({ ...TERMS, multiplier, scale }).payout);
}

/** `size` cells, one of which is marked each round, all equally likely. */
export function evenly(what: string, labels: readonly string[], drawn = 1): Spread {
  return { what, labels, chances: labels.map(() => 1 / labels.length), drawn };
}

/** The texts of first … last. */
export function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, i) => `${first + i}`);
}

/** Won or lost. */
export function twoPrizes(pays: number, chance: number): Prize[] {
  return [
    { pays: 0, chance: 1 - chance },
    { pays, chance },
  ];
}
