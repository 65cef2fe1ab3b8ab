import { pick } from '../../src/modules/games/fairness/rules.ts';

/** Number of possible values of u[i]. */
export const WORDS = 2n ** 32n;

/**
 * Returns the first word whose pick(u, n) is `result`, or 2^32 for result = n. The result of pick never decreases as the word grows, so the
 * distance between two such words is the number of words for a result. Throws if the shipped pick changes its result at another word.
 */
export function firstWord(result: number, n: number): bigint {
  const word = (BigInt(result) * WORDS + BigInt(n) - 1n) / BigInt(n);
  if (result > 0 && pick(Number(word) - 1, n) !== result - 1)
    throw new Error(`pick(${word} - 1, ${n}) is wrong`);
  if (result < n && pick(Number(word), n) !== result) throw new Error(`pick(${word}, ${n}) is wrong`);
  return word;
}
