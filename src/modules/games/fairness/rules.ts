/** The random stream of a bet, without the hashing, so that this code also runs in browsers. hash.ts computes the blocks of the stream. */

/** The version of this algorithm. It is stored with each bet whose outcome this algorithm produced. */
export const ALGORITHM_VERSION = '1';

/** A client seed is used exactly as entered: 1 to 64 characters, each in 0x20–0x7E. */
export function isClientSeed(text: string): boolean {
  return /^[\x20-\x7E]{1,64}$/.test(text);
}

/** Returns the message of block `round`: clientSeed:nonce:round. The block is its HMAC-SHA256 with the server seed as key. */
export function blockMessage(clientSeed: string, nonce: number, round: number): string {
  return `${clientSeed}:${nonce}:${round}`;
}

/**
 * Returns a function that returns the next number u[i] of the stream, an integer from 0 to 2^32 − 1. Each block (64 hex characters)
 * contains eight numbers. `blockAt` is called with 0, 1, 2 … when the next block is needed.
 */
export function numbersOf(blockAt: (round: number) => string): () => number {
  let block = '';
  let at = 0;
  let round = 0;
  return () => {
    if (at === block.length) {
      block = blockAt(round++);
      at = 0;
    }
    const u = numberAt(block, at);
    at += NUMBER_DIGITS;
    return u;
  };
}

/** Returns the number that starts at digit `at` of a block. */
export function numberAt(block: string, at: number): number {
  return Number.parseInt(block.slice(at, at + NUMBER_DIGITS), 16);
}

/**
 * floor(u × n / 2^32): an integer from 0 to n − 1, for u below 2^32 and n below 2^21. Exact in doubles: u × n stays
 * below 2^53, and dividing by a power of two only changes the exponent. There is no rejection step because the published
 * verifiers have none. The probabilities of two values differ by at most 2^-32.
 */
export function pick(u: number, n: number): number {
  return Math.floor((u * n) / 4294967296);
}

/**
 * Draws k elements (k ≤ list.length) without replacement and returns them in draw order. Uses exactly k numbers. Each number picks one of
 * the remaining elements, which keep their order (the ordered-removal form of Fisher–Yates). `list` is not changed.
 */
export function draw<T>(list: readonly T[], k: number, next: () => number): T[] {
  const left = [...list];
  const drawn: T[] = [];
  for (let i = 0; i < k; i++) drawn.push(...left.splice(pick(next(), left.length), 1));
  return drawn;
}

/** Returns the integers from `from` to `to`, both inclusive. */
export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

const NUMBER_DIGITS = 8;
