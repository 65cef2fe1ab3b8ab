/** value / whole in percent, rounded half up at six digits. */
export function sixDigits(value: bigint, whole: bigint): string {
  const millionths = (value * 100_000_000n * 2n + whole) / (whole * 2n);
  return `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`;
}

/** How many ways there are to choose k of n. */
export function choose(n: number, k: number): bigint {
  let ways = 1n;
  for (let i = 1; i <= k; i++) ways = (ways * BigInt(n - k + i)) / BigInt(i);
  return ways;
}

/** The numbers of a stream, one after the other; throws when more are taken. */
export function given(words: readonly number[]): () => number {
  const left = [...words];
  return () => {
    const word = left.shift();
    if (word === undefined) throw new Error('takes more numbers than there are');
    return word;
  };
}

/** The smallest word that picks `at` of n. */
export const wordFor = (at: number, n: number): number =>
  Number((BigInt(at) * 2n ** 32n + BigInt(n) - 1n) / BigInt(n));
