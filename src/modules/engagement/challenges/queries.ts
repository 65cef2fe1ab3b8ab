import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Config } from '../../../platform/config/config.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { ChallengeAwards, Challenges } from '../../../platform/database/tables.ts';
import { errors } from '../../../platform/errors.ts';
import type { Files } from '../../../platform/files/files.ts';
import type { Units } from '../../../platform/money.ts';
import type { StaffValueDeps } from '../../base/staff-value/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import { lockCursor } from '../../games/bets/consume.ts';
import { asTheyStand } from '../../games/bets/versions.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { BetFacts, PlayerFacts, Status, Terms } from './rules.ts';

export const challengeErrors = errors({
  CHALLENGE_NOT_FOUND: [404, 'This challenge does not exist.'],
  CHALLENGE_FINISHED: [409, 'The reward of this challenge has already been paid. Roll it back first.'],
  CHALLENGE_TERMS_FIXED: [409, 'The challenge already has a winner; only its visibility can change.'],
  CHALLENGE_NOT_AWARDED: [409, 'No reward has been paid for this challenge.'],
  CHALLENGE_BET_NOT_ELIGIBLE: [409, 'This bet cannot win the challenge; see `details.rule`.'],
  CHALLENGE_REWARD_SPENT: [
    409,
    "The winner's balance is below the reward. Set withdrawLessIfNotEnoughBalance to take what is left.",
  ],
});

export type ChallengeDeps = StaffValueDeps & {
  db: Db;
  /** Database for lists. It may be a replica that lags behind. */
  reads: Db;
  config: Pick<Config, 'UPLOAD_LIMIT_PIXELS'>;
  files: Pick<Files, 'put' | 'urlOf' | 'forget'>;
  gate: Pick<Gate, 'assertMay'>;
  catalogue: Pick<Catalogue, 'state'>;
  currencies: Pick<Currencies, 'get' | 'freshRate' | 'toUsd'>;
};

/** The name of the consumer's cursor. */
export const CURSOR = 'challenges';

const GAME_COLUMNS = [
  'games.slug as game_slug',
  'games.name as game_name',
  'games.type as game_type',
  'games.images as game_images',
  'games.custom_images as game_custom_images',
  'games.provider_name as game_provider',
] as const;

/** Selects challenges with their games, excluding deleted challenges. */
export const selectChallenges = (db: DbOrTx) =>
  db
    .selectFrom('challenges')
    .innerJoin('games', 'games.id', 'challenges.game_id')
    .selectAll('challenges')
    .select(GAME_COLUMNS)
    .where('deleted_at', 'is', null);

type Row = Awaited<ReturnType<ReturnType<typeof selectChallenges>['executeTakeFirstOrThrow']>>;
export type ChallengeRow = Omit<Row, 'status'> & { status: Status };
export type AwardRow = Selectable<ChallengeAwards>;

export async function findChallenge(db: DbOrTx, id: string): Promise<ChallengeRow | undefined> {
  const row = await selectChallenges(db).where('challenges.id', '=', id).executeTakeFirst();
  return row as ChallengeRow | undefined;
}

/** Locks a challenge. In the lock order, players come before the challenge, and the consumer's cursor comes after it. */
export async function lockChallenge(tx: Tx, id: string): Promise<ChallengeRow | undefined> {
  const row = await selectChallenges(tx)
    .where('challenges.id', '=', id)
    .forNoKeyUpdate('challenges')
    .executeTakeFirst();
  return row as ChallengeRow | undefined;
}

export async function insertChallenge(tx: Tx, values: Insertable<Challenges>): Promise<void> {
  await tx.insertInto('challenges').values(values).execute();
}

export async function updateChallenge(tx: Tx, id: string, values: Updateable<Challenges>): Promise<void> {
  await tx
    .updateTable('challenges')
    .set({ ...values, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

export type Moment = { at: string; id: bigint };

/**
 * Returns the current time, to the microsecond, and the highest id that an existing bet can have. Locks the cursor, so that the consumer
 * has processed only earlier bets and processes later bets with the changes of this transaction.
 */
export async function holdMoment(tx: Tx): Promise<Moment> {
  await lockCursor(tx, CURSOR);
  const { rows } = await sql<Moment>`
    select case when is_called then last_value + 1023 else last_value - 1 end as id, clock_timestamp()::text as at from ledger_ids`.execute(
    tx,
  );
  return rows[0]!;
}

/** Deletes the stored candidates and best bets. */
export async function deleteBets(tx: Tx, challengeId: string): Promise<void> {
  await tx.deleteFrom('challenge_candidates').where('challenge_id', '=', challengeId).execute();
  await tx.deleteFrom('challenge_bests').where('challenge_id', '=', challengeId).execute();
}

export const insertAward = (tx: Tx, values: Insertable<ChallengeAwards>) =>
  tx.insertInto('challenge_awards').values(values).execute();

/** Returns the award of a FINISHED challenge. Awards that were rolled back are ignored. */
export const getStandingAward = (db: DbOrTx, challengeId: string): Promise<AwardRow> =>
  db
    .selectFrom('challenge_awards')
    .selectAll()
    .where('challenge_id', '=', challengeId)
    .where('rolled_back_at', 'is', null)
    .executeTakeFirstOrThrow();

export async function endAward(
  tx: Tx,
  { challenge_id, n }: Pick<AwardRow, 'challenge_id' | 'n'>,
  end: { taken: Units; by: number | null; reason: string | null },
): Promise<void> {
  await tx
    .updateTable('challenge_awards')
    .set({
      rolled_back_at: (await holdMoment(tx)).at,
      taken: end.taken,
      rolled_back_by: end.by,
      reason: end.reason,
    })
    .where('challenge_id', '=', challenge_id)
    .where('n', '=', n)
    .execute();
}

/** SQL: true if challenge `c` was published with its current terms, and not finished, when the bet was placed. */
export const isInTime = (madeAt: RawBuilder<unknown>) =>
  sql<boolean>`(${madeAt} > c.shown_at and (c.hidden_at is null or ${madeAt} < c.hidden_at) and not exists (
    select from challenge_awards a
    where a.challenge_id = c.id and ${madeAt} >= a.created_at and coalesce(${madeAt} <= a.rolled_back_at, true)))`;

/** SQL: true if the player of candidate `k` may win, and the reward for the bet was not rolled back. */
export const MAY_WIN = sql<boolean>`exists (
    select from users u join players p on p.user_id = u.id left join restrictions r on r.user_id = u.id
    where u.id = k.user_id and not u.is_staff and not u.is_test and u.banned_at is null and not p.is_banned
      and coalesce(r.excluded_until <= now(), true))
  and not exists (select from challenge_awards a
    where a.challenge_id = k.challenge_id and a.bet_id = k.bet_id and a.rolled_back_at is not null)`;

/** Selects the candidates `k` of a challenge that can win. */
export const candidatesOf = (db: DbOrTx, challengeId: string) =>
  db.selectFrom('challenge_candidates as k').where('k.challenge_id', '=', challengeId).where(MAY_WIN);

export type Candidate = { betId: bigint; userId: number; settledAt: Date };

/**
 * Returns the winning candidate: the bet that was settled first. If several were settled at the same time, returns the one that was placed
 * first. Skips bets that were placed during an award, which earlier versions could store. Bets in detached months are not considered, so
 * staff must handle them.
 */
export const firstCandidate = (db: DbOrTx, challengeId: string): Promise<Candidate | undefined> =>
  candidatesOf(db, challengeId)
    .innerJoin('bets', 'bets.id', 'k.bet_id')
    .innerJoin('challenges as c', 'c.id', 'k.challenge_id')
    .where(isInTime(sql`bets.created_at`))
    .select(['k.bet_id as betId', 'k.user_id as userId', 'k.settled_at as settledAt'])
    .orderBy('k.settled_at')
    .orderBy('k.bet_id')
    .limit(1)
    .executeTakeFirst();

/** Returns the number of bets that can win, by challenge. */
export async function countCandidates(db: DbOrTx, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; n: number }>`
    select k.challenge_id as id, count(*)::int as n from challenge_candidates k
    where k.challenge_id = any(${ids}::uuid[]) and ${MAY_WIN} group by 1`.execute(db);
  return new Map(rows.map(({ id, n }) => [id, n]));
}

export const termsOf = (row: ChallengeRow): Terms => ({
  gameId: row.game_id,
  minBetUsd: row.min_bet_usd,
  minMultiplierE4: row.min_multiplier_e4,
});

export type Facts = { userId: number; bet: BetFacts; player: PlayerFacts };

/**
 * Returns the current state of a bet and its player, or undefined if the bet does not exist. The state cannot change while the player is
 * locked.
 */
export async function readFacts(db: DbOrTx, challengeId: string, betId: bigint): Promise<Facts | undefined> {
  const row = await db
    .selectFrom('bets')
    .innerJoin('users as u', 'u.id', 'bets.user_id')
    .innerJoin('players as p', 'p.user_id', 'bets.user_id')
    .leftJoin('restrictions as r', 'r.user_id', 'bets.user_id')
    .leftJoin('bonus_bets as b', 'b.bet_id', 'bets.id')
    .innerJoin('challenges as c', (join) => join.on('c.id', '=', challengeId))
    .select(['bets.id', 'bets.user_id', 'bets.game_id', 'bets.status', 'bets.amount', 'bets.payout'])
    .select(['bets.usd_amount', 'bets.usd_payout', 'bets.settled_at', 'bets.created_at', 'is_corrected'])
    .select('bets.undecided')
    .select(sql<boolean>`coalesce(b.bonus_staked + b.bonus_paid, 0) > 0`.as('has_bonus_money'))
    .select(sql<boolean>`coalesce(${isInTime(sql`bets.created_at`)}, false)`.as('is_in_time'))
    .select(sql<boolean>`u.is_staff or u.is_test`.as('is_kept'))
    .select(sql<boolean>`u.banned_at is not null or p.is_banned`.as('is_banned'))
    .select(sql<boolean>`coalesce(r.excluded_until > now(), false)`.as('is_excluded'))
    .select(
      sql<boolean>`exists (select from challenge_awards a
        where a.challenge_id = c.id and a.bet_id = bets.id and a.rolled_back_at is not null)`.as('is_barred'),
    )
    .where('bets.id', '=', betId)
    .executeTakeFirst();
  if (!row) return undefined;
  const [bet] = await asTheyStand(db, [row]);
  return {
    userId: row.user_id,
    bet: {
      gameId: bet!.game_id,
      status: bet!.status,
      amount: bet!.amount,
      payout: bet!.payout,
      usdAmount: bet!.usd_amount,
      undecided: bet!.undecided ?? 0n,
      hasBonusMoney: row.has_bonus_money,
      isInTime: row.is_in_time,
    },
    player: {
      isBarred: row.is_barred,
      isKept: row.is_kept,
      isBanned: row.is_banned,
      isExcluded: row.is_excluded,
    },
  };
}

/** Returns the player who placed a bet. */
export async function ownerOf(db: DbOrTx, betId: bigint): Promise<number | undefined> {
  const row = await db.selectFrom('bets').select('user_id').where('id', '=', betId).executeTakeFirst();
  return row?.user_id;
}
