import { randomBytes } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../../platform/db.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import type { Log } from '../../../../platform/log.ts';
import { hashServerSeed } from '../../fairness/hash.ts';
import type { PublicChain } from './ask.ts';
import { type Chain, type OpenChain, openChains } from './queries.ts';

/** Every so many links one is kept: any other is at most so many hashes away. */
export const LINKS_APART = 1000;
/** So many links are hashed before other work gets its turn. */
const SLICE = 2000;
/** With fewer positions left the next chain is prepared. */
const RESERVE = 1000;

/** The links of a chain cannot be read, and will not be: another secret sealed them, or they were changed. */
export class UnreadableChain extends Error {}

export type Chains = ReturnType<typeof createChains>;

/**
 * Chains of seeds: link 0 is drawn by chance, each further one is the SHA-256 of the text before, and the last is published
 * before the block is known whose hash is mixed in. The round at position n plays link length − n.
 */
export function createChains(parts: {
  db: Db;
  secret: string;
  length: number;
  publicChain: PublicChain | undefined;
  log: Log;
}) {
  const { db, publicChain, log } = parts;
  const encryption = createEncryption(parts.secret, 'speed-roulette chains');
  /** The kept links of the chain that is played. */
  let opened: { id: number; links: Buffer } | undefined;
  let lastProblem: string | undefined;

  const emitEvent = async (chain: PublicChain): Promise<void> => {
    const { commitment, links } = await forgeChain(parts.length);
    const blockHeight = await chain.futureHeight();
    const { id } = await db
      .insertInto('speed_chains')
      .values({ commitment, length: parts.length, links: encryption.seal(links), block_height: blockHeight })
      .returning('id')
      .executeTakeFirstOrThrow();
    log.info({ commitment, length: parts.length, blockHeight }, 'a chain of seeds is published');
    // Who knew the block before could have chosen the chain by it.
    if ((await chain.hashAt(blockHeight)) !== undefined) await retire(db, id);
  };

  const learn = async (chain: PublicChain, { id, blockHeight }: OpenChain): Promise<void> => {
    const hash = await chain.settledHashAt(blockHeight);
    if (hash === undefined) return;
    await db
      .updateTable('speed_chains')
      .set({ public_seed: hash, public_seed_at: sql`clock_timestamp()` })
      .where('id', '=', id)
      .where('public_seed', 'is', null)
      .execute();
    log.info({ blockHeight, publicSeed: hash }, 'the public seed of a chain is known');
  };

  const keep = async (): Promise<boolean> => {
    const chains = await openChains(db);
    const [first] = chains;
    const isShort = !first || (chains.length === 1 && first.length - first.played < RESERVE);
    const waiting = chains.filter((chain) => chain.publicSeed === null);
    if (!isShort && waiting.length === 0) return true;
    if (!publicChain) throw new Error('PUBLIC_CHAIN_URL is not set: no chain can get its public seed');
    for (const chain of waiting) await learn(publicChain, chain);
    if (isShort) await emitEvent(publicChain);
    return false;
  };

  const linksOf = async ({ id, length, commitment }: Chain): Promise<Buffer> => {
    if (opened?.id === id) return opened.links;
    const row = await db
      .selectFrom('speed_chains')
      .select('links')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const links = unsealed(encryption, row.links);
    if (linkAt(links, length) !== commitment)
      throw new UnreadableChain('the links do not lead to the commitment');
    opened = { id, links };
    return links;
  };

  return {
    /** Publishes a chain when one is needed, and learns public seeds. True: nothing was missing. Problems are logged when they begin. */
    async keep(): Promise<boolean> {
      try {
        const hasAll = await keep();
        lastProblem = undefined;
        return hasAll;
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        if (problem !== lastProblem)
          log.warn({ problem }, 'speed-roulette has no new seeds: rounds end with the chain that is there');
        lastProblem = problem;
        return false;
      }
    },

    /** The seed of a position. Throws UnreadableChain. */
    async seedOf(chain: Chain, position: number): Promise<string> {
      return linkAt(await linksOf(chain), chain.length - position);
    },

    /** It is not played any more. */
    async retire({ id }: Chain): Promise<void> {
      if (opened?.id === id) opened = undefined;
      await retire(db, id);
    },
  };
}

function unsealed(encryption: ReturnType<typeof createEncryption>, sealed: Buffer): Buffer {
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

/** A new chain: its last link, and every thousandth as bytes. Lets other work through while it hashes. */
export async function forgeChain(length: number): Promise<{ commitment: string; links: Buffer }> {
  const kept: Buffer[] = [];
  let link = randomBytes(32).toString('hex');
  for (let i = 0; i < length; i++) {
    if (i % LINKS_APART === 0) kept.push(Buffer.from(link, 'hex'));
    if (i % SLICE === 0) await breathe();
    link = hashServerSeed(link);
  }
  return { commitment: link, links: Buffer.concat(kept) };
}

/** Link i of a chain, hashed from the kept one before it. */
export function linkAt(links: Buffer, i: number): string {
  const last = links.length / 32 - 1;
  const from = Math.min(Math.floor(i / LINKS_APART), last);
  let link = links.subarray(from * 32, from * 32 + 32).toString('hex');
  for (let at = from * LINKS_APART; at < i; at++) link = hashServerSeed(link);
  return link;
}
