import { sql } from 'kysely';
import { int4Array } from '../../../../platform/database/arrays.ts';
import type { Db, DbOrTx, Statement } from '../../../../platform/database/db.ts';
import type { Rate, Units } from '../../../../platform/money.ts';

/** The round that accepts bets, with the fields that a new bet needs. Limits are in US dollars, as they were at the start of the round. */
export type BettingRound = {
  id: bigint;
  minBet: Units;
  maxBet: Units;
  maxProfit: Units;
  /** The database's time after the round was locked, to the microsecond, and whether that time is before the end of betting. */
  at: Date;
  isOpen: boolean;
};

/**
 * Reads the round that accepts bets and locks it, so that it accepts bets until the transaction ends. Returns no row if there is no such
 * round. The time is read after the lock was acquired, because a bet that waited for the lock may be too late.
 */
export function currentRoundStatement(): Statement {
  return {
    name: 'speed-roulette.current',
    text: `with round as materialized (
        select id, min_bet as "minBet", max_bet as "maxBet", max_profit as "maxProfit", ends_at as "endsAt"
        from speed_rounds where phase = 'BETTING' and clock_timestamp() < ends_at for share)
      select stamped.*, at < "endsAt" as "isOpen" from (select *, clock_timestamp() as at from round offset 0) stamped`,
    values: [],
  };
}

/** The total stake of a player in the round that accepts bets, in US dollars as entered. Players without a stake are omitted. */
export type Placed = { userId: number; usd: Units };

/** Reads the `Placed` values of players. The players and the round must be locked. */
export function placedStatement(userIds: readonly number[]): Statement {
  return {
    name: 'speed-roulette.placed',
    text: `select b.user_id as "userId", sum(coalesce(b.bet_usd, b.usd_amount))::int8 as usd
      from speed_rounds r join bets b on b.round_id = r.id and b.id > r.first_id
      where r.phase = 'BETTING' and b.user_id = any($1::int4[]) group by b.user_id`,
    values: [int4Array(userIds)],
  };
}

export type Chain = { id: number; commitment: string; length: number; publicSeed: string | null };
/** A chain that is usable, or will be usable once its public seed is known. `played` is the last position that was used. */
export type OpenChain = Chain & { blockHeight: number; played: number };

export const chainOf = (db: Db, id: number): Promise<Chain> =>
  db
    .selectFrom('speed_chains')
    .select(['id', 'commitment', 'length', 'public_seed as publicSeed'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

/** Returns chains with unused positions, in the order in which they are used. */
export async function openChains(db: DbOrTx): Promise<OpenChain[]> {
  const { rows } = await sql<OpenChain>`
    select id, commitment, length, block_height as "blockHeight", public_seed as "publicSeed", played
    from (select *, ${PLAYED} as played from speed_chains c where retired_at is null) chains
    where played < length order by id`.execute(db);
  return rows;
}

const PLAYED = sql`coalesce((select max(position) from speed_rounds r where r.chain_id = c.id), 0)`;

export type PublishedChain = Omit<OpenChain, 'id'> & {
  publishedAt: Date;
  publicSeedAt: Date | null;
  isRetired: boolean;
};

/** Returns every chain that was ever published, newest first. */
export async function publishedChains(db: Db): Promise<PublishedChain[]> {
  const { rows } = await sql<PublishedChain>`
    select commitment, length, block_height as "blockHeight", public_seed as "publicSeed", public_seed_at as "publicSeedAt",
      created_at as "publishedAt", retired_at is not null as "isRetired", ${PLAYED} as played
    from speed_chains c order by id desc`.execute(db);
  return rows;
}

/** Time until the phase ends, by the database's clock; 0 if the phase has ended. */
const LEFT_MS = sql<number>`greatest(0, ceil(extract(epoch from ends_at - clock_timestamp()) * 1000))::float8`;

/** A round with the fields that the runner needs. */
export type RunningRound = {
  id: bigint;
  chainId: number;
  position: number;
  phase: 'BETTING' | 'WAITING' | 'RESULT' | 'VOID';
  seedHash: string;
  number: number | null;
  maxProfit: Units;
  isSettled: boolean;
  leftMs: number;
};

/** Returns the round that still has open bets, otherwise the current one. */
export async function runningRound(db: DbOrTx): Promise<RunningRound | undefined> {
  const { rows } = await sql<RunningRound>`
    select id, chain_id as "chainId", position, phase, seed_hash as "seedHash", number, max_profit as "maxProfit",
      settled_at is not null as "isSettled",
      ${LEFT_MS} as "leftMs"
    from speed_rounds where phase in ('BETTING', 'WAITING', 'RESULT') or settled_at is null
    order by phase in ('RESULT', 'VOID') and settled_at is null desc, id limit 1`.execute(db);
  return rows[0];
}

/** Finds a round by its id if it has a result or is void. */
export async function endedRound(db: DbOrTx, id: bigint): Promise<EndedRound | undefined> {
  const { rows } = await sql<EndedRound>`select id, number, max_profit as "maxProfit" from speed_rounds
    where id = ${id} and phase in ('RESULT', 'DONE', 'VOID')`.execute(db);
  return rows[0];
}

/** `number` is null if the round is void. */
export type EndedRound = { id: bigint; number: number | null; maxProfit: Units };

/** A lower bound for the ids of the round's bets. */
const firstIdOf = (roundId: bigint) => sql<bigint>`(select first_id from speed_rounds where id = ${roundId})`;

/** An open bet of a round, with its player. */
export type Pending = { id: bigint; userId: number };

/** Returns the open bets of a round, ordered by player. */
export async function pendingBets(db: Db, roundId: bigint): Promise<Pending[]> {
  const { rows } = await sql<Pending>`select id, user_id as "userId" from bets
    where round_id = ${roundId} and id > ${firstIdOf(roundId)} and status = 'CREATED' order by user_id, id`.execute(
    db,
  );
  return rows;
}

/** A bet of a round, read under its player's lock. */
export type RoundBetRow = {
  id: bigint;
  userId: number;
  status: 'CREATED' | 'SETTLED' | 'ERROR' | 'ROLLBACK';
  stake: Units;
  stakedUsd: Units;
  isByWish: boolean;
  rate: Rate;
  currencyId: string;
  decimals: number;
  color: unknown;
  madeAt: Date;
};

/** Reads all bets of some players in a round, in the order in which they were placed. The players must be locked. */
export function roundBetsStatement(roundId: bigint, userIds: readonly number[]): Statement {
  return {
    name: 'speed-roulette.bets',
    text: `select b.id, b.user_id as "userId", b.status, b.amount as stake, b.usd_amount as "stakedUsd",
        b.bet_usd is null as "isByWish", b.usd_rate as rate, b.currency_id as "currencyId", c.decimals, b.inputs -> 'color' as color,
        b.created_at as "madeAt"
      from bets b join currencies c on c.id = b.currency_id
      where b.round_id = $1 and b.id > (select first_id from speed_rounds where id = $1) and b.user_id = any($2::int4[]) order by b.id`,
    values: [roundId, int4Array(userIds)],
  };
}

/** A round as players see it. */
export type ShownRound = Awaited<ReturnType<typeof latestRounds>>[number];

/** Returns the latest rounds, newest first, without void rounds. */
export const latestRounds = (db: Db, count: number) =>
  db
    .selectFrom('speed_rounds')
    .innerJoin('speed_chains', 'speed_chains.id', 'chain_id')
    .select(['speed_rounds.id', 'phase', 'seed_hash', 'seed', 'public_seed', 'number'])
    .select(['started_at', 'ends_at', LEFT_MS.as('leftMs')])
    .where('phase', '<>', 'VOID')
    .orderBy('speed_rounds.id', 'desc')
    .limit(count)
    .execute();

/** Returns the bets of a round with their players, oldest first. */
export async function betsOf(db: Db, roundId: bigint) {
  return db
    .selectFrom('bets')
    .innerJoin('users', 'users.id', 'bets.user_id')
    .select(['users.id', 'users.username', 'users.avatar', 'users.vip_level', 'users.is_private'])
    .select(['bets.id as bet_id', 'users.is_streamer_mode', 'bets.currency_id'])
    .select(sql<bigint>`coalesce(bets.bet_usd, bets.usd_amount)`.as('bet_usd'))
    .select(sql<unknown>`bets.inputs -> 'color'`.as('color'))
    .where('bets.round_id', '=', roundId)
    .where('bets.id', '>', firstIdOf(roundId))
    .orderBy('bets.id')
    .execute();
}

/** Finds a bet of a shared round by its id if it has the status ERROR because it could not be settled. */
export async function errorBet(db: Db, id: bigint): Promise<(Pending & { roundId: bigint }) | undefined> {
  const { rows } = await sql<Pending & { roundId: bigint }>`
    select id, user_id as "userId", round_id as "roundId" from bets
    where id = ${id} and status = 'ERROR' and round_id is not null`.execute(db);
  return rows[0];
}
