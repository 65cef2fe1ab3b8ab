/** The random stream, written a second time for tests to compare with: nothing of src/ is used. */
import { createHmac } from 'node:crypto';

export type Seeds = { serverSeed: string; clientSeed: string };

/** u[0], u[1] … of a bet. */
export function numbersOf({ serverSeed, clientSeed }: Seeds, nonce: number): () => number {
  let i = 0;
  return () => {
    const message = `${clientSeed}:${nonce}:${Math.floor(i / 8)}`;
    const block = createHmac('sha256', Buffer.from(serverSeed)).update(message).digest();
    return block.readUInt32BE((i++ % 8) * 4);
  };
}

/** `count` of the integers first … last, in order of drawing. */
export function drawn([first, last]: readonly [number, number], count: number, next: () => number): number[] {
  const left = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return Array.from({ length: count }, () => {
    const at = Number((BigInt(next()) * BigInt(left.length)) >> 32n);
    return left.splice(at, 1)[0]!;
  });
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

/** A stream on which the i-th draw takes the position that is given for it among those left. */
export function positions(list: readonly number[], places: number): () => number {
  let i = 0;
  return () => {
    const left = places - i;
    return wordFor(list[i++]!, left);
  };
}

/** Every way to draw k of n, each as the positions among what is left. */
export function allDraws(n: number, k: number): number[][] {
  if (k === 0) return [[]];
  return Array.from({ length: n }, (_, at) => at).flatMap((at) =>
    allDraws(n - 1, k - 1).map((rest) => [at, ...rest]),
  );
}

/** What a rule refuses with: "409 ACTION_NOT_ALLOWED". */
export function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    const { status, code } = error as { status: number; code: string };
    return `${status} ${code}`;
  }
  return 'done';
}
