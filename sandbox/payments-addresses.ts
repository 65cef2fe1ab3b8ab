import { createHash } from 'node:crypto';

const BITCOIN = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const RIPPLE = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';

/** The byte that addresses of a network begin with. */
const VERSIONS: Readonly<Record<string, number>> = {
  bitcoin: 0x00,
  litecoin: 0x30,
  dogecoin: 0x1e,
  bitcoincash: 0x00,
  tron: 0x41,
  ripple: 0x00,
};

/**
 * An address that a network takes for a good one, checksum included, always the same for the same seed; nobody has its
 * key. Undefined: no such network.
 */
export function makeAddress(networkId: string, seed: string): string | undefined {
  if (networkId === 'ethereum' || networkId === 'bsc') return ethereum(hash(seed).subarray(0, 20));
  if (networkId === 'solana') return solana(seed);
  const version = VERSIONS[networkId];
  if (version === undefined) return undefined;
  const payload = Buffer.concat([Buffer.of(version), hash(seed).subarray(0, 20)]);
  const whole = Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)]);
  return base58(whole, networkId === 'ripple' ? RIPPLE : BITCOIN);
}

/** The hash of a transaction as the network writes it. */
export function makeTxHash(networkId: string, seed: string): string {
  if (networkId === 'solana') return base58(Buffer.concat([hash(`${seed}/1`), hash(`${seed}/2`)]), BITCOIN);
  const hex = hash(seed).toString('hex');
  if (networkId === 'ripple') return hex.toUpperCase();
  return networkId === 'ethereum' || networkId === 'bsc' ? `0x${hex}` : hex;
}

/** A whole number of 32 bits for the seed, as ripple's destination tags. */
export const makeTag = (seed: string): number => hash(seed).readUInt32BE();

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
const hash = (seed: string) => sha256(Buffer.from(seed));

/** Public keys of 32 bytes: 43 or 44 characters. */
function solana(seed: string): string {
  for (let round = 0; ; round++) {
    const address = base58(hash(`${seed}#${round}`), BITCOIN);
    if (address.length >= 43) return address;
  }
}

function base58(bytes: Buffer, alphabet: string): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = alphabet[Number(rest % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return alphabet[0]!.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

/** Letters in the case that EIP-55 makes a checksum of. */
function ethereum(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const sums = keccak256(Buffer.from(hex)).toString('hex');
  return `0x${hex.replace(/[a-f]/g, (letter, at: number) => (sums[at]! >= '8' ? letter.toUpperCase() : letter))}`;
}

const MASK = 2n ** 64n - 1n;
const rotate = (lane: bigint, by: bigint) => ((lane << by) | (lane >> (64n - by))) & MASK;

/** Keccak as it was before NIST made SHA-3 of it, for texts below 136 bytes: Node's OpenSSL offers no such digest. */
function keccak256(message: Buffer): Buffer {
  const block = Buffer.alloc(136);
  message.copy(block);
  block[message.length] = 1;
  block[135]! |= 0x80;
  const state = Array.from({ length: 25 }, (_, i) => (i < 17 ? block.readBigUInt64LE(i * 8) : 0n));
  let register = 1;
  for (let round = 0; round < 24; round++) {
    permute(state);
    // Seven bits of a shift register make the constant of a round.
    for (let j = 0; j < 7; j++) {
      if (register & 1) state[0]! ^= 1n << (2n ** BigInt(j) - 1n);
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    }
  }
  const digest = Buffer.alloc(32);
  for (let i = 0; i < 4; i++) digest.writeBigUInt64LE(state[i]!, i * 8);
  return digest;
}

/** The steps theta, rho, pi and chi. */
function permute(state: bigint[]): void {
  const columns = [0, 1, 2, 3, 4].map((x) => [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ state[x + y]!, 0n));
  for (let i = 0; i < 25; i++) state[i]! ^= columns[(i + 4) % 5]! ^ rotate(columns[(i + 1) % 5]!, 1n);
  let [x, y, lane] = [1, 0, state[1]!];
  for (let t = 1; t <= 24; t++) {
    [x, y] = [y, (2 * x + 3 * y) % 5];
    const at = x + 5 * y;
    const turned = rotate(lane, BigInt(((t * (t + 1)) / 2) % 64));
    lane = state[at]!;
    state[at] = turned;
  }
  for (let row = 0; row < 25; row += 5) {
    const old = state.slice(row, row + 5);
    for (let i = 0; i < 5; i++) state[row + i] = old[i]! ^ (~old[(i + 1) % 5]! & MASK & old[(i + 2) % 5]!);
  }
}
