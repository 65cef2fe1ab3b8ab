import { createHmac, hash } from 'node:crypto';
import { blockMessage, numberAt, numbersOf } from './rules.ts';

/** Returns the commitment: SHA-256 (lowercase hex) of the server seed's 64 characters as a string, not of the 32 bytes that they encode. */
export function hashServerSeed(serverSeed: string): string {
  return hash('sha256', serverSeed);
}

/** Returns the random stream of one bet, starting at u[0]. Blocks are computed when they are needed. */
export function stream(serverSeed: string, clientSeed: string, nonce: number): () => number {
  return numbersOf((round) => blockOf(serverSeed, clientSeed, nonce, round));
}

/** Returns u[0] of the stream, for games that need only one number. Equals `stream(…)()` without the cost of the closure. */
export function firstNumber(serverSeed: string, clientSeed: string, nonce: number): number {
  return numberAt(blockOf(serverSeed, clientSeed, nonce, 0), 0);
}

/** Returns 32 bytes as a hex string, because Node creates a digest faster as a string than as a Buffer. */
function blockOf(serverSeed: string, clientSeed: string, nonce: number, round: number): string {
  return createHmac('sha256', serverSeed)
    .update(blockMessage(clientSeed, nonce, round))
    .digest('hex');
}
