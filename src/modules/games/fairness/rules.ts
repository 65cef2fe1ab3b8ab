/**
 * The random stream without its hashes, so that it runs wherever a bet is verified, in a browser too: the blocks are given to it.
 * The service computes them in hash.ts.
 */

/** Stored with each bet: which version of this file turns its seeds into its outcome. */
export const ALGORITHM_VERSION = '1';

/** A client seed is used exactly as entered: 1 to 64 characters, each in 0x20–0x7E. */
export function isClientSeed(text: string): boolean {
  return /^[\x20-\x7E]{1,64}$/.test(text);
}

/** What HMAC-SHA256 under the server seed makes block `round` of: clientSeed:nonce:round. */
export function blockMessage(clientSeed: string, nonce: number, round: number): string {
  return `${clientSeed}:${nonce}:${round}`;
}

/**
 * The numbers of a stream: each call answers the next u[i], an integer from 0 to 2^32 − 1. Eight of them are cut from each block,
 * round 0, 1, 2 …, which is asked for when first needed and given as 64 hex characters.
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

/** The number that starts at digit `at` of a block. */
export function numberAt(block: string, at: number): number {
  return Number.parseInt(block.slice(at, at + NUMBER_DIGITS), 16);
}

/**
 * floor(u × n / 2^32): an integer from 0 to n − 1, for u below 2^32 and n below 2^21. Exact in doubles: u × n stays
 * below 2^53, and dividing by a power of two only moves the exponent. No rejection step: the published verifiers have
 * none, and the chances of two values differ by at most 2^-32.
 */
export function pick(u: number, n: number): number {
  return Math.floor((u * n) / 4294967296);
}

/**
 * Ordered draw of k elements (k ≤ list.length), in order of drawing: each number picks from what is left, and the gap
 * closes with the order kept (the ordered-removal form of Fisher–Yates). Takes exactly k numbers; `list` is unchanged.
 */
export function draw<T>(list: readonly T[], k: number, next: () => number): T[] {
  const left = [...list];
  const drawn: T[] = [];
  for (let i = 0; i < k; i++) drawn.push(...left.splice(pick(next(), left.length), 1));
  return drawn;
}

/** The whole numbers between two, both included. */
export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

const NUMBER_DIGITS = 8;
