import { randomBytes } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Config } from '../../../../platform/config/config.ts';
import type { Db } from '../../../../platform/database/db.ts';
import { messageOf } from '../../../../platform/errors.ts';
import { createOutbound } from '../../../../platform/net/outbound.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { createEncryption, type Secret } from '../../../../platform/secrets/encryption.ts';
import { hashServerSeed } from '../../fairness/hash.ts';
import { type Chain, type OpenChain, openChains } from './queries.ts';

/** The interval between stored links. Any other link is computed from the nearest stored link before it, in at most this many hashes. */
export const LINKS_APART = 1000;
/** Number of links to hash before yielding to other work. */
const SLICE = 2000;
/** The next chain is prepared when fewer positions than this are left. */
const RESERVE = 1000;

/** Thrown if the links of a chain can never be decrypted, because they were encrypted with another secret or were changed. */
export class UnreadableChain extends Error {}

export type Chains = ReturnType<typeof createChains>;

type Deps = {
  db: Db;
  /** Number of links in a new chain. */
  length: number;
  publicChain: PublicChain | undefined;
  log: Log;
};
type State = Deps & {
  encryption: ReturnType<typeof createEncryption>;
  /** The stored links of the chain in use. */
  opened?: { id: number; links: Buffer } | undefined;
  lastProblem?: string | undefined;
};

/**
 * Manages chains of seeds. Link 0 is random, and each further link is the SHA-256 of the previous link as a hex string. The last link is
 * published before the block exists whose hash becomes the public seed. The round at position n uses the link at index length − n.
 */
export function createChains({ secret, ...deps }: Deps & { secret: Secret }) {
  const state: State = { ...deps, encryption: createEncryption(secret, 'speed-roulette chains') };
  return {
    /**
     * Publishes a chain when one is needed, and stores public seeds. Returns true if nothing was missing. Logs a problem only when it
     * begins.
     */
    async keep(): Promise<boolean> {
      try {
        const hasAll = await keep(state);
        state.lastProblem = undefined;
        return hasAll;
      } catch (error) {
        const problem = messageOf(error);
        if (problem !== state.lastProblem)
          deps.log.warn(
            { problem },
            'speed-roulette has no new seeds: rounds end with the chain that is there',
          );
        state.lastProblem = problem;
        return false;
      }
    },

    /** Returns the seed of a position. Throws UnreadableChain. */
    async seedOf(chain: Chain, position: number): Promise<string> {
      return linkAt(await linksOf(state, chain), chain.length - position);
    },

    /** Marks a chain as no longer in use. */
    async retire({ id }: Chain): Promise<void> {
      if (state.opened?.id === id) state.opened = undefined;
      await retire(deps.db, id);
    },
  };
}

async function keep(state: State): Promise<boolean> {
  const { db, publicChain } = state;
  const chains = await openChains(db);
  const [first] = chains;
  const isShort = !first || (chains.length === 1 && first.length - first.played < RESERVE);
  const waiting = chains.filter((chain) => chain.publicSeed === null);
  if (!isShort && waiting.length === 0) return true;
  if (!publicChain) throw new Error('PUBLIC_CHAIN_URL is not set: no chain can get its public seed');
  for (const chain of waiting) await learnPublicSeed(state, publicChain, chain);
  if (isShort) await publish(state, publicChain);
  return false;
}

async function publish({ db, length, encryption, log }: State, publicChain: PublicChain): Promise<void> {
  const { commitment, links } = await forgeChain(length);
  const blockHeight = await publicChain.futureHeight();
  const { id } = await db
    .insertInto('speed_chains')
    .values({ commitment, length, links: encryption.seal(links), block_height: blockHeight })
    .returning('id')
    .executeTakeFirstOrThrow();
  log.info({ commitment, length, blockHeight }, 'seed chain published');
  // If the block already exists, the chain could have been chosen to suit the block's hash. Such a chain is not used.
  if ((await publicChain.hashAt(blockHeight)) !== undefined) await retire(db, id);
}

async function learnPublicSeed(
  { db, log }: State,
  publicChain: PublicChain,
  { id, blockHeight }: OpenChain,
): Promise<void> {
  const hash = await publicChain.settledHashAt(blockHeight);
  if (hash === undefined) return;
  await db
    .updateTable('speed_chains')
    .set({ public_seed: hash, public_seed_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .where('public_seed', 'is', null)
    .execute();
  log.info({ blockHeight, publicSeed: hash }, 'the public seed of a chain is known');
}

async function linksOf(state: State, { id, length, commitment }: Chain): Promise<Buffer> {
  if (state.opened?.id === id) return state.opened.links;
  const row = await state.db
    .selectFrom('speed_chains')
    .select('links')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const links = unsealed(state, row.links);
  if (linkAt(links, length) !== commitment)
    throw new UnreadableChain('the links do not lead to the commitment');
  state.opened = { id, links };
  return links;
}

function unsealed({ encryption }: State, sealed: Buffer): Buffer {
  try {
    return encryption.open(sealed);
  } catch (cause) {
    throw new UnreadableChain('the links cannot be unsealed', { cause });
  }
}

async function retire(db: Db, id: number): Promise<void> {
  await db
    .updateTable('speed_chains')
    .set({ retired_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .where('retired_at', 'is', null)
    .execute();
}

/** Creates a new chain. Returns its last link, and every thousandth link as bytes. Yields to other work while it hashes. */
export async function forgeChain(length: number): Promise<{ commitment: string; links: Buffer }> {
  const stored: Buffer[] = [];
  let link = randomBytes(32).toString('hex');
  for (let i = 0; i < length; i++) {
    if (i % LINKS_APART === 0) stored.push(Buffer.from(link, 'hex'));
    if (i % SLICE === 0) await breathe();
    link = hashServerSeed(link);
  }
  return { commitment: link, links: Buffer.concat(stored) };
}

/** Returns link i of a chain, computed from the nearest stored link before it. */
export function linkAt(links: Buffer, i: number): string {
  const last = links.length / 32 - 1;
  const from = Math.min(Math.floor(i / LINKS_APART), last);
  let link = links.subarray(from * 32, from * 32 + 32).toString('hex');
  for (let at = from * LINKS_APART; at < i; at++) link = hashServerSeed(link);
  return link;
}

export type PublicChain = NonNullable<ReturnType<typeof createPublicChain>>;

/** Returns a client that reads a public blockchain through the Esplora HTTP API, or undefined if none is configured. */
export function createPublicChain({ config, log }: { config: Config; log: Log }) {
  const { PUBLIC_CHAIN_URL: baseUrl, PUBLIC_CHAIN_BLOCKS_AHEAD: ahead, PUBLIC_CHAIN_DEPTH: depth } = config;
  if (!baseUrl) return undefined;
  const partner = createOutbound({ name: 'public chain', baseUrl, log });
  const ask = async (path: string): Promise<string | undefined> => {
    const { status, text } = await partner.ask({ method: 'GET', path });
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`public chain: status ${status}`);
    return text.trim();
  };
  const tip = async (): Promise<number> => {
    const text = (await ask('/blocks/tip/height')) ?? '';
    if (!/^\d{1,9}$/.test(text)) throw new Error('public chain: invalid height');
    return Number(text);
  };
  const hashAt = async (height: number): Promise<string | undefined> => {
    const text = await ask(`/block-height/${height}`);
    if (text !== undefined && !/^[0-9a-f]{64}$/.test(text))
      throw new Error('public chain: invalid block hash');
    return text;
  };
  return {
    /** Returns the hash of a block, or undefined if the block does not exist yet. */
    hashAt,
    /** Returns the height of a block that does not exist yet. */
    futureHeight: async (): Promise<number> => (await tip()) + ahead,
    /** Returns the hash of a confirmed block, or undefined if it has too few confirmations. */
    settledHashAt: async (height: number): Promise<string | undefined> =>
      (await tip()) >= height + depth - 1 ? hashAt(height) : undefined,
  };
}
