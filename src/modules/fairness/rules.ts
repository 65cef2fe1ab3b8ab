import { createHmac, hash } from 'node:crypto';

/** Stored with each bet: which version of this file turns its seeds into its outcome. */
export const ALGORITHM_VERSION = '1';

/** The commitment: SHA-256 (lower-case hex) of the server seed's 64 characters as text, not of the 32 bytes they spell. */
export function hashServerSeed(serverSeed: string): string {
  return hash('sha256', serverSeed);
}

/** A client seed is used exactly as entered: 1 to 64 characters, each in 0x20–0x7E. */
export function isClientSeed(text: string): boolean {
  return /^[\x20-\x7E]{1,64}$/.test(text);
}

/**
 * The random stream of one bet: each call answers the next u[i], an integer from 0 to 2^32 − 1. Eight of them are cut
 * from HMAC-SHA256(key = serverSeed, message = clientSeed:nonce:round), round 0, 1, 2 …, computed when first needed.
 */
export function stream(serverSeed: string, clientSeed: string, nonce: number): () => number {
  let block = '';
  let at = 0;
  let round = 0;
  return () => {
    if (at === block.length) {
      block = blockOf(serverSeed, clientSeed, nonce, round++);
      at = 0;
    }
    const u = numberAt(block, at);
    at += NUMBER_DIGITS;
    return u;
  };
}

/** u[0] of the stream, for games that need one number only: the same as `stream(…)()` without its closure. */
export function firstNumber(serverSeed: string, clientSeed: string, nonce: number): number {
  return numberAt(blockOf(serverSeed, clientSeed, nonce, 0), 0);
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

const NUMBER_DIGITS = 8;

function numberAt(block: string, at: number): number {
  return Number.parseInt(block.slice(at, at + NUMBER_DIGITS), 16);
}

/** 32 bytes as hex: Node hands over a digest faster as text than as a Buffer, and a bet waits for it. */
function blockOf(serverSeed: string, clientSeed: string, nonce: number, round: number): string {
  return createHmac('sha256', serverSeed).update(`${clientSeed}:${nonce}:${round}`).digest('hex');
}
