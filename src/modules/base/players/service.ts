import { sql } from 'kysely';
import { type DbOrTx, run, type Statement, type Tx } from '../../../platform/db.ts';
import { int4Array, int8Array } from '../../../platform/pg-arrays.ts';

/**
 * What a bet must know of a player, read with their row locked. `isRestricted`: the table `restrictions` has a row to read. `hasGrant`: a
 * grant is active, or bets with bonus money are open; `grantsVersion` grows when one starts or ends.
 */
export type Player = {
  userId: number;
  seedPairId: bigint;
  nonce: number;
  isBanned: boolean;
  isRestricted: boolean;
  hasGrant: boolean;
  grantsVersion: number;
  /** When their last bet was made, as far as that was kept (`advanceNonces`). */
  lastBetAt: Date | null;
};

/**
 * Locks players in ascending order: THE lock of everything that is theirs. Whoever changes money, nonce or seeds takes
 * it first; what it guards (wallets, seed pairs) is read by a later statement, which sees what the lock waited for.
 */
export function lockStatement(userIds: readonly number[]): Statement {
  return {
    name: 'players.lock',
    text: `select user_id as "userId", seed_pair_id as "seedPairId", nonce, is_banned as "isBanned",
        is_restricted as "isRestricted", has_grant as "hasGrant",
        grants_version as "grantsVersion",
        last_bet_at as "lastBetAt"
      from players where user_id = any($1::int4[]) order by user_id for update`,
    values: [int4Array(userIds)],
  };
}

/** Players that a transaction has locked, as they are: nobody else can change them before it ends. */
const locked = new WeakMap<Tx, Map<number, Player>>();

/**
 * Locks players until the transaction ends. Unknown ids are left out. Whoever is locked already costs no statement: each part of a
 * transaction asks for the lock that it needs. A rollback to a savepoint gives back what was locked after it: nothing may lock again then.
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

/** Players as they are at the moment, without the lock: for what may miss a change that commits at the same time. Unknown ids are left out. */
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

/** What the transaction itself has changed is read again. */
const forget = (tx: Tx, userId: number) => locked.get(tx)?.delete(userId);

/**
 * Moves nonces on. Fails (40001) when any player's pair or nonce is not what the writer read, or when the gate has come to know
 * something of them or a grant of theirs has started or ended since. `keepsTime`: they bet now, and the next bet may have to wait.
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

/** Puts a new seed pair in force: nonces start again at 0. The player must be locked. */
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

/** Marks that a player has a row in `restrictions`. The player must be locked. */
export async function setRestricted(tx: Tx, userId: number): Promise<void> {
  forget(tx, userId);
  await tx.updateTable('players').set({ is_restricted: true }).where('user_id', '=', userId).execute();
}

/** A grant of a player has started or ended: whether their bets have to read grants from now on. The player must be locked. */
export async function setHasGrant(tx: Tx, userId: number, hasGrant: boolean): Promise<void> {
  forget(tx, userId);
  await tx
    .updateTable('players')
    .set({ has_grant: hasGrant, grants_version: sql<number>`grants_version + 1` })
    .where('user_id', '=', userId)
    .execute();
}
