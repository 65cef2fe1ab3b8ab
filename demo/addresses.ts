import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import type { Random } from './random.ts';

const base58check = createBase58check(sha256);

/** The networks for deposits and withdrawals, with the first byte of their addresses. */
const NETWORKS = {
  USDT: { networkId: 'tron', version: 0x41 },
  BTC: { networkId: 'bitcoin', version: 0x00 },
} as const;
export type Coin = keyof typeof NETWORKS;

export const networkOf = (coin: Coin): string => NETWORKS[coin].networkId;

/** Returns a random address with a valid checksum. */
export const makeAddress = (random: Random, coin: Coin): string =>
  base58check.encode(Uint8Array.from([NETWORKS[coin].version, ...random.bytes(20)]));
