/** Returns the number of ways to choose k of n. */
export function choose(n: bigint | number, k: bigint | number): bigint {
  let ways = 1n;
  for (let i = 1n; i <= k; i++) ways = (ways * (BigInt(n) - BigInt(k) + i)) / i;
  return ways;
}

/** Returns `value / whole` in percent, rounded half up to six decimals. */
export function sixDigits(value: bigint, whole: bigint): string {
  const millionths = (value * 100_000_000n * 2n + whole) / (whole * 2n);
  return `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`;
}

type Share = { value: bigint; whole: bigint };

/** Compares two fractions exactly. */
export function bySize(x: Share, y: Share): number {
  const difference = x.value * y.whole - y.value * x.whole;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
