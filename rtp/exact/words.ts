import { pick } from '../../src/modules/games/fairness/rules.ts';

/** How many values u[i] has. */
export const WORDS = 2n ** 32n;

/**
 * The first word whose pick(u, n) is `result`; result = n answers 2^32. As pick never falls when the word grows, words are counted
 * by these borders. Throws where the shipped pick has its border elsewhere.
 */
export function firstWord(result: number, n: number): bigint {
  const word = (BigInt(result) * WORDS + BigInt(n) - 1n) / BigInt(n);
  if (result > 0 && pick(Number(word) - 1, n) !== result - 1)
    throw new Error(`pick(${word} - 1, ${n}) is off`);
  if (result < n && pick(Number(word), n) !== result) throw new Error(`pick(${word}, ${n}) is off`);
  return word;
}
