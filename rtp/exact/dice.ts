import {
  DICE_RESULTS,
  DICE_SCALE,
  type DiceInputs,
  diceOdds,
  rollDice,
} from '../../src/modules/games/house-games/dice/rules.ts';
import { extremes, percent } from './fraction.ts';
import type { Prizes } from './smallest.ts';
import { firstWord, WORDS } from './words.ts';

const SETTINGS = { rtpBp: 9900, maxMultiplier: 9900 };

type Bet = { inputs: DiceInputs; multiplier: bigint; results: number; words: bigint };

/** Returns every accepted bet at the default settings, with its number of winning results and its number of winning words out of 2^32. */
function allBets(): Bet[] {
  const starts = Array.from({ length: DICE_RESULTS + 1 }, (_, result) => firstWord(result, DICE_RESULTS));
  return [true, false].flatMap((above) =>
    Array.from({ length: DICE_RESULTS }, (_, t): Bet[] => {
      const inputs = { threshold: t / 100, above };
      const odds = diceOdds(inputs, SETTINGS);
      if (!odds) return [];
      assertBorder(inputs, t, starts);
      const words = above ? WORDS - starts[t + 1]! : starts[t]!;
      return [{ inputs, multiplier: odds.multiplier, results: above ? DICE_RESULTS - 1 - t : t, words }];
    }).flat(),
  );
}

/**
 * Throws unless the shipped rule loses at the threshold and wins directly next to it. The counted results are then exactly those for which
 * the server pays.
 */
function assertBorder(inputs: DiceInputs, t: number, starts: readonly bigint[]): void {
  const at = (result: number) => rollDice(inputs, Number(starts[result]!)).didWin;
  const isRight = inputs.above ? !at(t) && at(t + 1) && !(t > 0 && at(t - 1)) : !at(t) && at(t - 1);
  if (!isRight) throw new Error(`dice ${JSON.stringify(inputs)} wins where it should lose`);
}

/** Returns the prizes of every accepted bet. */
export const diceBets = (): Prizes[] =>
  allBets().map(({ multiplier, results }) => ({
    whole: BigInt(DICE_RESULTS),
    prizes: [{ multiplier, scale: DICE_SCALE, ways: BigInt(results) }],
  }));

/** Computes the returns over all bets, for 10,001 equally likely results and for the actual words. */
export function diceReturns() {
  const bets = allBets();
  const ideal = extremes(
    bets.map(({ inputs, multiplier, results }) => ({
      at: inputs,
      of: { value: multiplier * BigInt(results), whole: DICE_SCALE * BigInt(DICE_RESULTS) },
    })),
  );
  const grid = extremes(
    bets.map(({ inputs, multiplier, words }) => ({
      at: inputs,
      of: { value: multiplier * words, whole: DICE_SCALE * WORDS },
    })),
  );
  return {
    bets: bets.length,
    idealMin: percent(ideal.min.of),
    idealMax: percent(ideal.max.of),
    gridMin: percent(grid.min.of),
    gridMax: percent(grid.max.of),
  };
}
