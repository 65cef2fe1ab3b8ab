import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, base58xrp } from '@scure/base';

/** Version byte at the start of a network's addresses. */
const VERSIONS: Readonly<Record<string, number>> = {
  bitcoin: 0x00,
  litecoin: 0x30,
  dogecoin: 0x1e,
  bitcoincash: 0x00,
  tron: 0x41,
  ripple: 0x00,
};

/**
 * Returns a valid address with its checksum. The address is always the same for a seed, and no private key for it is known. Returns
 * undefined for an unknown network.
 */
export function makeAddress(networkId: string, seed: string): string | undefined {
  if (networkId === 'ethereum' || networkId === 'bsc') return ethereum(hash(seed).subarray(0, 20));
  if (networkId === 'solana') return solana(seed);
  const version = VERSIONS[networkId];
  if (version === undefined) return undefined;
  const payload = Buffer.concat([Buffer.of(version), hash(seed).subarray(0, 20)]);
  const whole = Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)]);
  return (networkId === 'ripple' ? base58xrp : base58).encode(whole);
}

/** Returns a transaction hash in the network's format. */
export function makeTxHash(networkId: string, seed: string): string {
  if (networkId === 'solana') return base58.encode(Buffer.concat([hash(`${seed}/1`), hash(`${seed}/2`)]));
  const hex = hash(seed).toString('hex');
  if (networkId === 'ripple') return hex.toUpperCase();
  return networkId === 'ethereum' || networkId === 'bsc' ? `0x${hex}` : hex;
}

/** Returns a 32-bit integer derived from the seed. It can be used as a Ripple destination tag. */
export const makeTag = (seed: string): number => hash(seed).readUInt32BE();

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
const hash = (seed: string) => sha256(Buffer.from(seed));

/** Returns a Solana address, which is a 32-byte public key in base58. Only keys that encode to at least 43 characters are used. */
function solana(seed: string): string {
  for (let round = 0; ; round++) {
    const address = base58.encode(hash(`${seed}#${round}`));
    if (address.length >= 43) return address;
  }
}

/** Returns an Ethereum address. EIP-55 encodes its checksum in the upper and lower case of the letters. */
function ethereum(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const sums = Buffer.from(keccak_256(Buffer.from(hex))).toString('hex');
  return `0x${hex.replace(/[a-f]/g, (letter, at: number) => (sums[at]! >= '8' ? letter.toUpperCase() : letter))}`;
}
