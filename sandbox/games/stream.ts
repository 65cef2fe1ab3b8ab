import { createHmac } from 'node:crypto';
import type { Next } from './seven-orchards.ts';

const NUMBERS_IN_BLOCK = 8;

/** Returns a round's numbers: HMAC-SHA256(seed, "roundId:0:n") for n = 0, 1, 2 …, split into big-endian 4-byte integers. */
export function streamOf(seed: string, roundId: string): Next {
  let block = Buffer.alloc(0);
  let taken = 0;
  return () => {
    const at = taken % NUMBERS_IN_BLOCK;
    if (at === 0)
      block = createHmac('sha256', seed)
        .update(`${roundId}:0:${taken / NUMBERS_IN_BLOCK}`)
        .digest();
    taken++;
    return block.readUInt32BE(at * 4);
  };
}
