import type { FairnessBet } from '../../../../../client/call.ts';
import { blockMessage, numbersOf } from '../../../../../src/modules/games/fairness/rules.ts';
import { replayBet } from '../../../../../src/modules/games/house-games/verify/rules.ts';

/** A game of mines with 63 bombs uses 63 numbers, eight per block. */
const BLOCKS = 8;
const NUMBERS_OF_BLOCK = 8;

/** The seeds of a bet. In a shared round the public seed and the position in the chain take the place of the client seed and the nonce. */
export type Seeds = {
  serverSeed: string | null;
  serverSeedHash: string | null;
  clientSeed: string | null;
  origin: 'PLAYER' | 'SERVER' | null;
  nonce: number | null;
};

export function seedsOf(bet: FairnessBet): Seeds {
  const { round } = bet;
  if (!round)
    return {
      serverSeed: bet.serverSeed,
      serverSeedHash: bet.serverSeedHash,
      clientSeed: bet.clientSeed,
      origin: bet.clientSeedOrigin,
      nonce: bet.nonce,
    };
  return {
    serverSeed: round.seed,
    serverSeedHash: round.seedHash,
    clientSeed: round.publicBlockHash,
    origin: null,
    nonce: round.chainPosition,
  };
}

export type Block = { message: string; hex: string };
/** The outcome that the browser computed from the seeds. `isSame`: it is the outcome of the bet. */
export type Computed = { isSame: boolean; blocks: readonly Block[]; numbers: number; outcome: unknown };

const bytes = (text: string) => new TextEncoder().encode(text);
const hex = (buffer: ArrayBuffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

const sha256 = async (text: string) => hex(await crypto.subtle.digest('SHA-256', bytes(text)));

async function blocksOf(serverSeed: string, clientSeed: string, nonce: number): Promise<Block[]> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(serverSeed), algorithm, false, ['sign']);
  return Promise.all(
    Array.from({ length: BLOCKS }, async (_, index) => {
      const message = blockMessage(clientSeed, nonce, index);
      return { message, hex: hex(await crypto.subtle.sign('HMAC', key, bytes(message))) };
    }),
  );
}

/** Computes a bet again from its seeds. Returns undefined while the server seed is secret. */
export async function compute(bet: FairnessBet): Promise<Computed | undefined> {
  const { serverSeed, serverSeedHash, clientSeed, nonce } = seedsOf(bet);
  if (serverSeed === null || clientSeed === null || nonce === null) return undefined;
  const blocks = await blocksOf(serverSeed, clientSeed, nonce);
  const stream = numbersOf((index) => blocks[index]!.hex);
  let numbers = 0;
  const next = () => {
    numbers++;
    return stream();
  };
  const { game, inputs, outcome, rtpBp } = bet;
  const replayed = replayBet({ game, inputs, outcome, rtpBp }, next)?.outcome;
  const isHash = serverSeedHash === null || (await sha256(serverSeed)) === serverSeedHash;
  return {
    isSame: isHash && isEqual(outcome, replayed),
    blocks: blocks.slice(0, Math.max(1, Math.ceil(numbers / NUMBERS_OF_BLOCK))),
    numbers,
    outcome: replayed,
  };
}

/** Compares two JSON values, whatever the order of their keys is. */
function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [left, right] = [a, b] as Readonly<Record<string, unknown>>[];
  const keys = new Set([...Object.keys(left!), ...Object.keys(right!)]);
  return [...keys].every((key) => isEqual(left![key], right![key]));
}

/** The address of the verifier with all values of the bet. The verifier is a page of its own that sends no requests. */
export const verifierLink = (bet: FairnessBet): string =>
  `/verify#${new URLSearchParams({ bet: JSON.stringify(bet) })}`;
