import { type ChiSquare, chiSquareTail } from '../../src/modules/games/house-games/returns/alerts/rules.ts';
import { normalTails } from './normal.ts';

/**
 * Distance between the observed and the expected value, and the probability that the distance is at least this large (two-sided where
 * applicable).
 */
export type Verdict = { statistic: number; p: number };

/**
 * Cells with a lower expected count are merged with adjacent ones, because with such cells the far tail of the statistic does not follow
 * the chi-square distribution.
 */
const LEAST_EXPECTED = 25;

/** Performs Pearson's chi-square test of counts over cells with these probabilities (they sum to 1). */
export function chiSquare(counts: readonly number[], chances: readonly number[]): ChiSquare {
  const total = counts.reduce((a, b) => a + b, 0);
  const pooled: { seen: number; expected: number }[] = [];
  let seen = 0;
  let expected = 0;
  for (const [i, chance] of chances.entries()) {
    seen += counts[i]!;
    expected += total * chance;
    if (expected < LEAST_EXPECTED) continue;
    pooled.push({ seen, expected });
    seen = 0;
    expected = 0;
  }
  const last = pooled.at(-1);
  if (last) {
    last.seen += seen;
    last.expected += expected;
  }
  const statistic = pooled.reduce((sum, cell) => sum + (cell.seen - cell.expected) ** 2 / cell.expected, 0);
  const degrees = Math.max(0, pooled.length - 1);
  return { statistic, degrees, p: degrees > 0 ? chiSquareTail(statistic, degrees) : 1 };
}

/** Sums over a sequence of 32-bit words that are needed for its tests. The sums of two sequences are added field by field. */
export type WordSums = { words: number; pairs: number; changes: number; product: number; bytes: number[] };

export const noWords = (): WordSums => ({
  words: 0,
  pairs: 0,
  changes: 0,
  product: 0,
  bytes: new Array<number>(256).fill(0),
});

export function addWords(a: WordSums, b: WordSums): WordSums {
  return {
    words: a.words + b.words,
    pairs: a.pairs + b.pairs,
    changes: a.changes + b.changes,
    product: a.product + b.product,
    bytes: a.bytes.map((count, i) => count + b.bytes[i]!),
  };
}

/** Creates a counter of the sums over every word that a stream's `next` returns. The sequence continues across streams. */
export function createWordCounter() {
  const sums = noWords();
  let last = -1;
  return {
    sums,
    count(u: number): number {
      sums.words++;
      sums.bytes[u >>> 24]! += 1;
      if (last >= 0) {
        sums.pairs++;
        if (u >= HALF !== last >= HALF) sums.changes++;
        sums.product += (u / WORDS - 0.5) * (last / WORDS - 0.5);
      }
      last = u;
      return u;
    },
  };
}

const WORDS = 4294967296;
const HALF = WORDS / 2;

/**
 * Tests runs above and below the middle of the range. A run ends when the next word is on the other side of the middle, which has
 * probability 1/2 for each pair of words. The number of ends is therefore binomially distributed.
 */
export function runsTest({ pairs, changes }: WordSums): Verdict {
  return normal((changes - pairs / 2) / Math.sqrt(pairs / 4));
}

/**
 * Tests the correlation of successive words. The tested value is a mean of products with mean 0 and variance 1/144, because the mean and
 * variance of a word are known.
 */
export function serialTest({ pairs, product }: WordSums): Verdict {
  return normal((product * 12) / Math.sqrt(pairs));
}

/** Tests that all upper bytes of the words are equally likely. */
export function byteTest({ bytes }: WordSums): ChiSquare {
  return chiSquare(
    bytes,
    bytes.map(() => 1 / bytes.length),
  );
}

export function normal(z: number): Verdict {
  return { statistic: z, p: normalTails(z) };
}
