import { type Next, payoutsOf, type Return } from '../../src/modules/games/betting/rules.ts';
import type { ReturningGame } from '../games.ts';
import type { Prize } from '../statistics/mean.ts';
import { meanOf, varianceOf } from '../statistics/mean.ts';
import { TERMS } from '../terms.ts';
import type { Recorder } from './tally.ts';

/** A distribution of results with its probabilities. If `drawn` is above 1, a round draws this many different cells, all equally likely. */
export type Spread = { what: string; labels: readonly string[]; chances: readonly number[]; drawn: number };

/** The random stream of one bet, and a function that restarts it, as the server does for each request of a round. */
export type Stream = { next: Next; again: () => Next };

/** One type of bet in a game, played with the rules that the server uses. */
export type Case = {
  game: ReturningGame;
  name: string;
  /** The expected return per unit staked. `variance` is in squared first stakes. */
  expected: number;
  variance: number;
  /** All possible payouts, if they are known exactly. */
  prizes?: readonly Prize[];
  spreads: readonly Spread[];
  play: (stream: Stream, recorder: Recorder) => void;
};

/** Returns a case with these prizes and a single stake per bet. */
export function prizeCase(
  about: Pick<Case, 'game' | 'name' | 'spreads' | 'play'> & { prizes: readonly Prize[] },
): Case {
  return { ...about, expected: meanOf(about.prizes), variance: varianceOf(about.prizes) };
}

/** Computes the payout of a single-step bet as the server does. */
export function settle(recorder: Recorder, { multiplier, scale }: Return): void {
  recorder.round(TERMS.stake, payoutsOf({ ...TERMS, multiplier, scale }).payout);
}

/** Returns a distribution of equally likely cells, of which each round draws `drawn`. */
export function evenly(what: string, labels: readonly string[], drawn = 1): Spread {
  return { what, labels, chances: labels.map(() => 1 / labels.length), drawn };
}

/** Returns the numbers from `first` to `last` as strings. */
export function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, i) => `${first + i}`);
}

/** Returns the prizes of a bet with a single winning payout. */
export function twoPrizes(pays: number, chance: number): Prize[] {
  return [
    { pays: 0, chance: 1 - chance },
    { pays, chance },
  ];
}
