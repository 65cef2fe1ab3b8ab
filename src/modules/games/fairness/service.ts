import { randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { createCache } from '../../../platform/cache.ts';
import { iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import { int8Array } from '../../../platform/database/arrays.ts';
import { type Db, type DbOrTx, type Statement, type Tx, transaction } from '../../../platform/database/db.ts';
import type { SeedPairs } from '../../../platform/database/tables.ts';
import { errors } from '../../../platform/errors.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import { createEncryption, type Secret } from '../../../platform/secrets/encryption.ts';
import { createPlayer, lockPlayers, type Player, setSeedPair } from '../../base/players/service.ts';
import { hashServerSeed } from './hash.ts';

export const ClientSeedOrigin = z.enum(['PLAYER', 'SERVER']).meta({
  description:
    'SERVER means that the server generated the client seed, or that its origin was not recorded. In both cases the player has ' +
    'contributed no randomness.',
});

export const FairnessSeeds = object('FairnessSeeds', {
  serverSeedHash: z.string(),
  nextServerSeedHash: z.string(),
  clientSeed: z.string(),
  clientSeedOrigin: ClientSeedOrigin,
  nonce: z.number().int(),
  createdAt: Timestamp,
  openRounds: z.array(z.string()),
});

export const RevealedSeedPair = object('RevealedSeedPair', {
  serverSeed: z.string(),
  serverSeedHash: z.string(),
  clientSeed: z.string(),
  clientSeedOrigin: ClientSeedOrigin,
  lastNonce: z.number().int(),
  rotatedAt: Timestamp,
});

export const fairnessErrors = errors({
  FAIRNESS_ROUND_OPEN: [
    409,
    'Revealing the seed would show the board of your open round. Finish that round first.',
  ],
});

/** Server and client seed of a bet. Together with the nonce they determine the bet's random stream. */
export type SeedPair = { serverSeed: string; clientSeed: string };
export type SeedEncryption = ReturnType<typeof createSeedEncryption>;
export type Fairness = ReturnType<typeof createFairness>;

export type FairnessDeps = {
  db: Db;
  config: Pick<Config, 'SEED_PAIR_BETS' | 'SEED_PAIR_IDLE_MINUTES'>;
  fairness: Fairness;
  log: Pick<Logs, 'named'>;
};

type Seeds = z.input<typeof FairnessSeeds>;
type Revealed = z.input<typeof RevealedSeedPair>;

/** Encrypts server seeds in the database until they are revealed, so that no outcome can be predicted from a copy of the database. */
export function createSeedEncryption(secret: Secret) {
  const encryption = createEncryption(secret, 'server seeds');
  return {
    /** Returns a new server seed (32 random bytes as 64 hex characters), its commitment and its encrypted form. */
    draw(): { serverSeed: string; hash: string; sealed: Buffer } {
      const seed = randomBytes(32);
      const serverSeed = seed.toString('hex');
      return { serverSeed, hash: hashServerSeed(serverSeed), sealed: encryption.seal(seed) };
    },
    /** Throws if the seed was encrypted with a different SEED_SECRET. */
    open: (sealed: Buffer): string => encryption.open(sealed).toString('hex'),
  };
}

/** Creates, rotates and decrypts seed pairs, and caches the active ones. */
export function createFairness({ db, encryption }: { db: Db; encryption: SeedEncryption }) {
  const pairs = createCache<bigint, SeedPair>(100_000);
  const toRevealed = (pair: Selectable<SeedPairs>): Revealed => ({
    serverSeed: encryption.open(pair.server_seed),
    serverSeedHash: pair.server_seed_hash,
    clientSeed: pair.client_seed!,
    clientSeedOrigin: originOf(pair),
    lastNonce: pair.last_nonce!,
    rotatedAt: iso(pair.rotated_at!),
  });
  return {
    /**
     * Creates a new user's first seeds (an active pair and the next seed) and the user's player row. Without `clientSeed` the server
     * generates the client seed and marks the pair accordingly.
     */
    async createSeeds(tx: Tx, userId: number, clientSeed?: string): Promise<void> {
      const first = await insertSeed(tx, encryption, userId);
      await activate(tx, first, clientSeed === undefined ? drawnSeed() : playerSeed(clientSeed));
      await insertSeed(tx, encryption, userId);
      await createPlayer(tx, userId, first);
    },

    /** Reveals the active server seed, activates the next seed and generates a new next seed. Throws 409 FAIRNESS_ROUND_OPEN. */
    rotate: (userId: number, clientSeed?: string) =>
      transaction(db, async (tx): Promise<{ revealed: Revealed; active: Seeds }> => {
        const player = (await lockPlayers(tx, [userId])).get(userId)!;
        const open = await openRounds(tx, userId);
        if (open.length > 0) throw fairnessErrors.FAIRNESS_ROUND_OPEN({ openRounds: open });
        const revealed = await revealActive(tx, encryption, { player, clientSeed });
        return { revealed: toRevealed(revealed), active: await readSeeds(tx, userId) };
      }),

    toRevealed,

    /** Returns an active pair from the cache. An active pair never changes. */
    peekPair: (id: bigint): SeedPair | undefined => pairs.get(id),
    rememberPairs(rows: readonly StoredPair[]): void {
      for (const { id, sealed, clientSeed } of rows)
        pairs.set(id, { serverSeed: encryption.open(sealed), clientSeed });
    },

    /** Clears the cache, because after a restore of the database the cached ids may belong to other pairs. */
    forgetPairs: (): void => pairs.clear(),

    /** Returns the public part of a pair. `serverSeed` is null until it is revealed. */
    async proofOf(id: bigint) {
      const query = db.selectFrom('seed_pairs').selectAll().where('id', '=', id);
      const row = await query.executeTakeFirstOrThrow();
      const serverSeed = row.state === 'REVEALED' ? encryption.open(row.server_seed) : null;
      return {
        serverSeed,
        serverSeedHash: row.server_seed_hash,
        clientSeed: row.client_seed!,
        clientSeedOrigin: originOf(row),
      };
    },
  };
}

export type StoredPair = { id: bigint; sealed: Buffer; clientSeed: string };

/** Statement that reads active pairs for `rememberPairs`. */
export function pairsStatement(ids: readonly bigint[]): Statement {
  return {
    name: 'fairness.pairs',
    text: `select id, server_seed as sealed, client_seed as "clientSeed" from seed_pairs
      where id = any($1::int8[]) and client_seed is not null`,
    values: [int8Array(ids)],
  };
}

export async function readSeeds(db: DbOrTx, userId: number): Promise<Seeds> {
  const row = await db
    .selectFrom('players')
    .innerJoin('seed_pairs as active', 'active.id', 'players.seed_pair_id')
    .innerJoin('seed_pairs as next', (join) =>
      join.onRef('next.user_id', '=', 'players.user_id').on('next.state', '=', 'NEXT'),
    )
    .select([
      'active.server_seed_hash',
      'next.server_seed_hash as next_hash',
      'active.client_seed',
      'active.client_seed_origin',
      'players.nonce',
      'active.activated_at',
    ])
    .where('players.user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return {
    serverSeedHash: row.server_seed_hash,
    nextServerSeedHash: row.next_hash,
    clientSeed: row.client_seed!,
    clientSeedOrigin: originOf(row),
    nonce: row.nonce,
    createdAt: iso(row.activated_at!),
    openRounds: await openRounds(db, userId),
  };
}

/**
 * Returns the slugs of the games in which the player has an open round. Revealing the seed would reveal the hidden part of such a round.
 */
async function openRounds(db: DbOrTx, userId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('rounds')
    .innerJoin('games', 'games.id', 'rounds.game_id')
    .select('games.slug')
    .where('user_id', '=', userId)
    .orderBy('games.slug')
    .execute();
  return rows.map((row) => row.slug);
}

async function insertSeed(tx: Tx, encryption: SeedEncryption, userId: number): Promise<bigint> {
  const { hash, sealed } = encryption.draw();
  const row = await tx
    .insertInto('seed_pairs')
    .values({ user_id: userId, state: 'NEXT', server_seed: sealed, server_seed_hash: hash })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

type ClientSeed = { seed: string; origin: Origin | null };
type Origin = z.output<typeof ClientSeedOrigin>;

const playerSeed = (seed: string): ClientSeed => ({ seed, origin: 'PLAYER' });
const drawnSeed = (): ClientSeed => ({ seed: randomBytes(8).toString('hex'), origin: 'SERVER' });
/** Pairs created by earlier versions do not record who chose the client seed. SERVER is the default, because it is the weaker claim. */
const originOf = (pair: { client_seed_origin: string | null }): Origin =>
  pair.client_seed_origin === 'PLAYER' ? 'PLAYER' : 'SERVER';

async function activate(tx: Tx, id: bigint, { seed, origin }: ClientSeed): Promise<void> {
  await tx
    .updateTable('seed_pairs')
    .set({ state: 'ACTIVE', client_seed: seed, client_seed_origin: origin })
    .set({ activated_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .execute();
}

/** Reveals the active pair of a locked player and activates the next one. The client seed is kept unless `clientSeed` is given. */
async function revealActive(
  tx: Tx,
  encryption: SeedEncryption,
  { player, clientSeed }: { player: Player; clientSeed: string | undefined },
): Promise<Selectable<SeedPairs>> {
  const { userId, seedPairId, nonce } = player;
  const revealed = await tx
    .updateTable('seed_pairs')
    .set({ state: 'REVEALED', last_nonce: nonce - 1, rotated_at: sql`clock_timestamp()` })
    .where('id', '=', seedPairId)
    .where('state', '=', 'ACTIVE')
    .returningAll()
    .executeTakeFirstOrThrow();
  const next = await tx
    .selectFrom('seed_pairs')
    .select('id')
    .where('user_id', '=', userId)
    .where('state', '=', 'NEXT')
    .executeTakeFirstOrThrow();
  const kept = { seed: revealed.client_seed!, origin: revealed.client_seed_origin as Origin | null };
  await activate(tx, next.id, clientSeed === undefined ? kept : playerSeed(clientSeed));
  await insertSeed(tx, encryption, userId);
  await setSeedPair(tx, userId, next.id);
  return revealed;
}
