/** An exact non-negative number: value / whole. */
export type Fraction = { value: bigint; whole: bigint };

/** Formats the fraction as a percentage, rounded half up to `digits` decimals: "98.990101". */
export function percent({ value, whole }: Fraction, digits = 6): string {
  const scale = 10n ** BigInt(digits);
  const rounded = (value * 100n * scale * 2n + whole) / (whole * 2n);
  return `${rounded / scale}.${String(rounded % scale).padStart(digits, '0')}`;
}

export function toNumber({ value, whole }: Fraction): number {
  // Keeps nineteen digits before the division, because the integers may exceed the precision of a double.
  return Number((value * 10n ** 19n) / whole) / 1e19;
}

export function sum(terms: readonly bigint[]): bigint {
  return terms.reduce((a, b) => a + b, 0n);
}

/** Returns the binomial coefficient C(n, k), or 0n for k outside 0 … n. */
export function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  let ways = 1n;
  for (let i = 1; i <= k; i++) ways = (ways * BigInt(n - k + i)) / BigInt(i);
  return ways;
}

/** A bet and its return. */
export type Point<W> = { at: W; of: Fraction };

/** Returns the bets with the lowest and the highest return. If several bets have the same return, returns the first one. */
export function extremes<W>(points: Iterable<Point<W>>): { min: Point<W>; max: Point<W>; count: number } {
  let min: Point<W> | undefined;
  let max: Point<W> | undefined;
  let count = 0;
  for (const point of points) {
    count++;
    if (!min || isLess(point.of, min.of)) min = point;
    if (!max || isLess(max.of, point.of)) max = point;
  }
  if (!min || !max) throw new Error('no points were given');
  return { min, max, count };
}

const isLess = (a: Fraction, b: Fraction): boolean => a.value * b.whole < b.value * a.whole;
