/** Independent implementation of the random stream for tests to compare with. It uses no code from src/. */
import { createHmac } from 'node:crypto';

export type Seeds = { serverSeed: string; clientSeed: string };

/** Returns a generator of a bet's numbers u[0], u[1] … */
export function numbersOf({ serverSeed, clientSeed }: Seeds, nonce: number): () => number {
  let i = 0;
  return () => {
    const message = `${clientSeed}:${nonce}:${Math.floor(i / 8)}`;
    const block = createHmac('sha256', Buffer.from(serverSeed)).update(message).digest();
    return block.readUInt32BE((i++ % 8) * 4);
  };
}

/** Draws `count` distinct integers from first to last, in drawing order. */
export function drawn([first, last]: readonly [number, number], count: number, next: () => number): number[] {
  const left = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return Array.from({ length: count }, () => {
    const at = Number((BigInt(next()) * BigInt(left.length)) >> 32n);
    return left.splice(at, 1)[0]!;
  });
}

/** Returns the given numbers one by one; throws when they run out. */
export function given(words: readonly number[]): () => number {
  const left = [...words];
  return () => {
    const word = left.shift();
    if (word === undefined) throw new Error('takes more numbers than there are');
    return word;
  };
}

/** Returns the smallest 32-bit random word that selects the index `at` out of n values. */
export const wordFor = (at: number, n: number): number =>
  Number((BigInt(at) * 2n ** 32n + BigInt(n) - 1n) / BigInt(n));

/** Returns a stream of random words. Its i-th word selects the given position among the remaining ones. */
export function positions(list: readonly number[], places: number): () => number {
  let i = 0;
  return () => {
    const left = places - i;
    return wordFor(list[i++]!, left);
  };
}

/** Returns every possible draw of k out of n, each as a list of positions among the remaining ones. */
export function allDraws(n: number, k: number): number[][] {
  if (k === 0) return [[]];
  return Array.from({ length: n }, (_, at) => at).flatMap((at) =>
    allDraws(n - 1, k - 1).map((rest) => [at, ...rest]),
  );
}

/** Returns the status and code that a rule throws ("409 ACTION_NOT_ALLOWED"), or "done". */
export function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    const { status, code } = error as { status: number; code: string };
    return `${status} ${code}`;
  }
  return 'done';
}
