import {
  type ChiSquare,
  chiSquareTail,
} from '../../src/modules/games/house-games/returns/chi-square/rules.ts';
import { normalTails } from './normal.ts';

/** How far what was seen lies from what was expected, and the chance of lying at least that far (two-sided where that has a sense). */
export type Verdict = { statistic: number; p: number };

/** Cells that expect fewer are counted together with their neighbours: below, the statistic is no chi-square far out in its tail. */
const LEAST_EXPECTED = 25;

/** Pearson's test of counts over cells with these chances (they sum to 1). */
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

/** The sums over a sequence of 32-bit words that its tests need; sums of two sequences are added field by field. */
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

/** Counts each word that passes: `next` of a stream in, the same out. The row goes on over the borders of streams. */
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
 * Runs above and below the middle: a run ends where the next word lies on the other side, which is a fair coin for each pair, so
 * the number of ends is binomial.
 */
export function runsTest({ pairs, changes }: WordSums): Verdict {
  return normal((changes - pairs / 2) / Math.sqrt(pairs / 4));
}

/** Correlation of a word with the one before: a mean of products with mean 0 and variance 1/144 (mean and variance of words are known). */
export function serialTest({ pairs, product }: WordSums): Verdict {
  return normal((product * 12) / Math.sqrt(pairs));
}

/** The upper bytes of the words are equally likely. */
export function byteTest({ bytes }: WordSums): ChiSquare {
  return chiSquare(
    bytes,
    bytes.map(() => 1 / bytes.length),
  );
}

export function normal(z: number): Verdict {
  return { statistic: z, p: normalTails(z) };
}
