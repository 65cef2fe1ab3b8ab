import { sql } from 'kysely';
import { int4Array, int8Array } from '../../../platform/database/arrays.ts';
import { type DbOrTx, run, type Statement, type Tx } from '../../../platform/database/db.ts';

/**
 * The data of a player that a bet needs, read with the row locked. `isRestricted`: true if the player has a row in the table
 * `restrictions`. `hasGrant`: true if a grant is active or bets with bonus money are open. `grantsVersion` is incremented when a grant
 * starts or ends.
 */
export type Player = {
  userId: number;
  seedPairId: bigint;
  nonce: number;
  isBanned: boolean;
  isRestricted: boolean;
  hasGrant: boolean;
  grantsVersion: number;
  /** The time of the player's last bet, as stored by `advanceNonces`. It does not reflect later bets whose time was not stored. */
  lastBetAt: Date | null;
};

/**
 * Locks players in ascending order. This lock protects all data of a player: every change to balances, nonce or seeds takes it first. Read
 * the protected rows (wallets, seed pairs) in a later statement, so that the read includes changes that were committed while the lock was
 * awaited.
 */
export function lockStatement(userIds: readonly number[]): Statement {
  return { name: 'players.lock', text: `${PLAYERS} for update`, values: [int4Array(userIds)] };
}

const PLAYERS = `select user_id as "userId", seed_pair_id as "seedPairId", nonce, is_banned as "isBanned",
    is_restricted as "isRestricted", has_grant as "hasGrant",
    grants_version as "grantsVersion",
    last_bet_at as "lastBetAt"
  from players where user_id = any($1::int4[]) order by user_id`;

/** The players that each transaction has locked. No other transaction can change them until it ends. */
const locked = new WeakMap<Tx, Map<number, Player>>();

/**
 * Locks players until the transaction ends. Ignores unknown ids. Players that are already locked need no statement, so each part of a
 * transaction can lock the players that it needs. A rollback to a savepoint releases the locks taken after the savepoint. Do not lock
 * players again after such a rollback.
 */
export async function lockPlayers(tx: Tx, userIds: Iterable<number>): Promise<Map<number, Player>> {
  const ids = [...new Set(userIds)];
  const known = locked.get(tx) ?? new Map<number, Player>();
  if (!ids.every((id) => known.has(id))) {
    for (const row of await run<Player>(tx, lockStatement(ids))) known.set(row.userId, row);
    locked.set(tx, known);
  }
  return new Map(ids.flatMap((id) => (known.has(id) ? [[id, known.get(id)!]] : [])));
}

/**
 * Reads players in a read-only transaction (isolation level repeatable read). Later checks in this transaction use these rows instead of
 * locking the players, so that staff can view the checks without delaying the player. Ignores unknown ids. Throws in a transaction
 * that may write.
 */
export async function snapshotPlayers(tx: Tx, userIds: readonly number[]): Promise<Map<number, Player>> {
  const { rows } = await sql<{ mode: string }>`
    select current_setting('transaction_read_only') || ' ' || current_setting('transaction_isolation') as mode`.execute(
    tx,
  );
  if (rows[0]!.mode !== 'on repeatable read') throw new Error('only a read-only snapshot may skip the lock');
  const found = await run<Player>(tx, {
    name: 'players.snapshot',
    text: PLAYERS,
    values: [int4Array(userIds)],
  });
  const players = new Map(found.map((player) => [player.userId, player]));
  locked.set(tx, players);
  return players;
}

/** Reads players without a lock, so it may miss a concurrent change. Ignores unknown ids. */
export async function readPlayers(
  db: DbOrTx,
  userIds: readonly number[],
): Promise<Map<number, Pick<Player, 'isBanned' | 'isRestricted'>>> {
  const rows = await db
    .selectFrom('players')
    .select(['user_id', 'is_banned', 'is_restricted'])
    .where('user_id', '=', sql<number>`any(${userIds}::int4[])`)
    .execute();
  return new Map(
    rows.map((row) => [row.user_id, { isBanned: row.is_banned, isRestricted: row.is_restricted }]),
  );
}

/** Ensures that the next lock reads the player again. Called after the transaction has changed the player. */
const forget = (tx: Tx, userId: number) => locked.get(tx)?.delete(userId);

/**
 * Advances the nonces of players. Fails (40001) if a player's seed pair, nonce, restrictions or grants have changed since they were read.
 * With `keepsTime`, also stores the time of the bet, which is needed to enforce the minimum time between bets.
 */
export function advanceNonces(
  players: readonly Player[],
  taken: readonly number[],
  { keepsTime = false }: { keepsTime?: boolean } = {},
): Statement {
  return {
    name: 'players.advance',
    text: `with changed as (
        update players p set nonce = p.nonce + v.taken, last_bet_at = case when $7 then now() else p.last_bet_at end
        from unnest($1::int4[], $2::int8[], $3::int4[], $4::int4[], $8::int4[]) v(user_id, seed_pair_id, nonce, taken, grants_version)
        where p.user_id = v.user_id and p.seed_pair_id = v.seed_pair_id and p.nonce = v.nonce and not p.is_banned
          and p.grants_version = v.grants_version and (not p.is_restricted or $6)
        returning 1)
      select expect_rows((select count(*) from changed), $5::int8)`,
    values: [
      int4Array(players.map((p) => p.userId)),
      int8Array(players.map((p) => p.seedPairId)),
      int4Array(players.map((p) => p.nonce)),
      int4Array(taken),
      players.length,
      players.some((p) => p.isRestricted),
      keepsTime,
      int4Array(players.map((p) => p.grantsVersion)),
    ],
  };
}

export async function createPlayer(tx: Tx, userId: number, seedPairId: bigint): Promise<void> {
  await tx.insertInto('players').values({ user_id: userId, seed_pair_id: seedPairId }).execute();
}

/** Activates a new seed pair and resets the nonce to 0. The player must be locked. */
export async function setSeedPair(tx: Tx, userId: number, seedPairId: bigint): Promise<void> {
  forget(tx, userId);
  await tx
    .updateTable('players')
    .set({ seed_pair_id: seedPairId, nonce: 0 })
    .where('user_id', '=', userId)
    .execute();
}

/** Bans a player from play, or lifts the ban. The player must be locked. */
export async function setBanned(tx: Tx, userId: number, isBanned: boolean): Promise<void> {
  forget(tx, userId);
  await tx.updateTable('players').set({ is_banned: isBanned }).where('user_id', '=', userId).execute();
}

/** Records that a player has a row in `restrictions`. The player must be locked. */
export async function setRestricted(tx: Tx, userId: number): Promise<void> {
  forget(tx, userId);
  await tx.updateTable('players').set({ is_restricted: true }).where('user_id', '=', userId).execute();
}

/**
 * Records that a grant has started or ended. `hasGrant`: true if bets must read the player's grants from now on. The player must be locked.
 */
export async function setHasGrant(tx: Tx, userId: number, hasGrant: boolean): Promise<void> {
  forget(tx, userId);
  await tx
    .updateTable('players')
    .set({ has_grant: hasGrant, grants_version: sql<number>`grants_version + 1` })
    .where('user_id', '=', userId)
    .execute();
}
