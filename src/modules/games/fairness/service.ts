import { randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { type Page, pageOf } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { SeedPairs } from '../../../platform/database.ts';
import { type Db, type DbOrTx, type Statement, type Tx, transaction } from '../../../platform/db.ts';
import { int8Array } from '../../../platform/pg-arrays.ts';
import { createPlayer, lockPlayers, type Player, setSeedPair } from '../../base/players/service.ts';
import { fairnessErrors } from './errors.ts';
import type { FairnessSeeds, HistoryQuery, RevealedSeedPair, Rotate } from './schemas.ts';
import type { SeedEncryption } from './seeds.ts';

export type Fairness = ReturnType<typeof createFairness>;
/** What a bet's random stream is made of, beside its nonce. */
export type SeedPair = { serverSeed: string; clientSeed: string };
/** Slugs of the games in which a player has an open round. */
export type OpenRounds = (db: DbOrTx, userId: number) => Promise<string[]>;

type Seeds = z.input<typeof FairnessSeeds>;
type Revealed = z.input<typeof RevealedSeedPair>;

type Deps = { db: Db; encryption: SeedEncryption; openRounds: OpenRounds };

export function createFairness({ db, encryption, openRounds }: Deps) {
  const pairs = new LRUCache<bigint, SeedPair>({ max: 100_000 });
  return {
    /** First seeds of a new user: an active pair, the next seed, and their row among the players. */
    async createSeeds(tx: Tx, userId: number): Promise<void> {
      const first = await insertSeed(tx, encryption, userId);
      await activate(tx, first, randomClientSeed());
      await insertSeed(tx, encryption, userId);
      await createPlayer(tx, userId, first);
    },

    seeds: (userId: number) => readSeeds(db, userId, openRounds),

    /** The announced seed comes into force, the old one is revealed, a new one is announced. */
    rotate: (userId: number, { clientSeed }: z.output<typeof Rotate>) =>
      transaction(db, async (tx): Promise<{ revealed: Revealed; active: Seeds }> => {
        const player = (await lockPlayers(tx, [userId])).get(userId)!;
        const open = await openRounds(tx, userId);
        if (open.length > 0) throw fairnessErrors.FAIRNESS_ROUND_OPEN({ openRounds: open });
        const revealed = await revealActive(tx, encryption, { player, clientSeed });
        return { revealed, active: await readSeeds(tx, userId, openRounds) };
      }),

    history: (userId: number, query: z.output<typeof HistoryQuery>): Promise<Page<Revealed>> =>
      readHistory({ db, encryption }, userId, query),

    /** Seed pairs in force, from memory where possible: a pair never changes once it is active. */
    peekPair: (id: bigint): SeedPair | undefined => pairs.get(id),
    rememberPairs(rows: readonly StoredPair[]): void {
      for (const { id, sealed, clientSeed } of rows)
        pairs.set(id, { serverSeed: encryption.open(sealed), clientSeed });
    },

    /** The database may have come back at an earlier state, in which their ids are given again. */
    forgetPairs: (): void => pairs.clear(),

    /** What may be shown of a pair: its server seed only once it is revealed. */
    async proofOf(id: bigint) {
      const row = await db
        .selectFrom('seed_pairs')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const serverSeed = row.state === 'REVEALED' ? encryption.open(row.server_seed) : null;
      return { serverSeed, serverSeedHash: row.server_seed_hash, clientSeed: row.client_seed! };
    },
  };
}

export type StoredPair = { id: bigint; sealed: Buffer; clientSeed: string };

/** Reads active pairs; to be given to `rememberPairs`. */
export function pairsStatement(ids: readonly bigint[]): Statement {
  return {
    name: 'fairness.pairs',
    text: `select id, server_seed as sealed, client_seed as "clientSeed" from seed_pairs
      where id = any($1::int8[]) and client_seed is not null`,
    values: [int8Array(ids)],
  };
}

async function readHistory(
  { db, encryption }: Pick<Deps, 'db' | 'encryption'>,
  userId: number,
  query: z.output<typeof HistoryQuery>,
): Promise<Page<Revealed>> {
  const { serverSeedHash, sortOrder, take } = query;
  const base = db
    .selectFrom('seed_pairs')
    .where('user_id', '=', userId)
    .where('state', '=', 'REVEALED')
    .$if(serverSeedHash !== undefined, (q) => q.where('server_seed_hash', '=', serverSeedHash!));
  const { total } = await base.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
  const inOrder = base.selectAll().orderBy('rotated_at', sortOrder).orderBy('id', sortOrder);
  return pageOf(query, total, async (offset) => {
    const rows = await inOrder.limit(take).offset(offset).execute();
    return rows.map((row) => toRevealed(row, encryption));
  });
}

const toRevealed = (pair: Selectable<SeedPairs>, encryption: SeedEncryption): Revealed => ({
  serverSeed: encryption.open(pair.server_seed),
  serverSeedHash: pair.server_seed_hash,
  clientSeed: pair.client_seed!,
  lastNonce: pair.last_nonce!,
  rotatedAt: iso(pair.rotated_at!),
});

async function readSeeds(db: DbOrTx, userId: number, openRounds: OpenRounds): Promise<Seeds> {
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
      'players.nonce',
      'active.activated_at',
    ])
    .where('players.user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return {
    serverSeedHash: row.server_seed_hash,
    nextServerSeedHash: row.next_hash,
    clientSeed: row.client_seed!,
    nonce: row.nonce,
    createdAt: iso(row.activated_at!),
    openRounds: await openRounds(db, userId),
  };
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

async function activate(tx: Tx, id: bigint, clientSeed: string): Promise<void> {
  await tx
    .updateTable('seed_pairs')
    .set({ state: 'ACTIVE', client_seed: clientSeed, activated_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .execute();
}

/** Reveals the active pair of a player, who must be locked, and activates the next one. */
async function revealActive(
  tx: Tx,
  encryption: SeedEncryption,
  { player, clientSeed }: { player: Player; clientSeed: string | undefined },
): Promise<Revealed> {
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
  await activate(tx, next.id, clientSeed ?? randomClientSeed());
  await insertSeed(tx, encryption, userId);
  await setSeedPair(tx, userId, next.id);
  return toRevealed(revealed, encryption);
}

function randomClientSeed(): string {
  return randomBytes(8).toString('hex');
}
