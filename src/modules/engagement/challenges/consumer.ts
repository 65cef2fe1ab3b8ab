import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { createConsumer, type OnConsumed } from '../../games/bets/consume.ts';
import { cursorAfter, effectsIn, type Slice } from '../../games/bets/effects.ts';
import { countedStakeUsdSql } from '../../games/bets/rules.ts';
import { correctedAt, countsAt } from '../../games/bets/versions.ts';
import { queueDecision } from './decide.ts';
import { CURSOR, isInTime, MAY_WIN } from './queries.ts';

/** The approximate maximum number of candidates per challenge. For an easy challenge, the earliest bets are sufficient. */
const MOST_CANDIDATES = 1000;

/**
 * Challenges whose bets are still collected: unfinished challenges, and challenges that finished within the last day, because bets placed
 * before the end may arrive late. No bets are collected for older challenges.
 */
const OPEN = sql`c.deleted_at is null and (c.status <> 'FINISHED' or exists (
  select from challenge_awards a where a.challenge_id = c.id and a.rolled_back_at is null and a.created_at > now() - interval '1 day'))`;
const OPEN_IDS = sql`(select c.id from challenges c where ${OPEN})`;

/** The multiplier (payout ÷ stake) in ten-thousandths, rounded in the same way as in lists. */
const MULTIPLIER = sql`least(div(n.payout::numeric * 10000, n.amount), 9223372036854775807)::int8`;

/** True if bet `n` meets all conditions of challenge `c` except the multiplier. */
const COUNTS = sql`n.game_id = c.game_id and n.amount > 0 and n.payout > 0 and n.undecided < n.amount and n.counted_usd >= c.min_bet_usd
  and ${isInTime(sql`n.made_at`)}
  and not exists (select from bonus_bets b where b.bet_id = n.bet_id and b.bonus_staked + b.bonus_paid > 0)`;

/**
 * True for players who are neither staff nor test users. Staff and test users never win, so their bets must not use up the limited number
 * of candidates.
 */
const IS_PLAYER = sql`exists (select from users u where u.id = n.user_id and not u.is_staff and not u.is_test)`;

/** True if the bet was settled before a stored candidate. Such bets are stored regardless of the limit. */
const IS_EARLIER = sql`exists (
  select from challenge_candidates k where k.challenge_id = n.challenge_id and (k.settled_at, k.bet_id) > (n.at, n.bet_id))`;

/** Keeps the better bet. If both are equal, keeps the one that was placed first. */
const KEEP_BEST = sql`
  on conflict (challenge_id, user_id) do update
    set bet_id = excluded.bet_id, multiplier_e4 = excluded.multiplier_e4, settled_at = excluded.settled_at
  where (excluded.multiplier_e4, -excluded.bet_id) > (best.multiplier_e4, -best.bet_id)`;

export type Challenges = ReturnType<typeof createChallenges>;

/**
 * Creates the consumer that stores the bets that can win challenges. A task then selects the winner, and staff confirm the winner and pay
 * the reward.
 */
export const createChallenges = ({ db, onConsumed }: { db: Db; onConsumed: OnConsumed }) =>
  createConsumer(db, { name: CURSOR, apply }, onConsumed);

/**
 * Stores the candidates of open challenges and the best bet of each player. Locks no challenge and no player. Only the state of a bet at
 * the end of the slice is used, so the result does not depend on where slices end.
 */
async function apply(tx: Tx, slice: Slice): Promise<void> {
  if (slice.after === 0n && !slice.isReversal) await reset(tx);
  const reversed = await reversedIn(tx, slice);
  const lost = reversed.length > 0 ? await removeReversed(tx, slice, reversed) : [];
  const games = await readGames(tx);
  if (games.length > 0) await storeBets(tx, slice, games);
  if (lost.length > 0) await findBest(tx, slice, lost);
}

/** Prepares a rebuild, which starts at the first bet and stores the bets of open challenges again. */
async function reset(tx: Tx): Promise<void> {
  await sql`delete from challenge_candidates where challenge_id in ${OPEN_IDS}`.execute(tx);
  await sql`delete from challenge_bests where challenge_id in ${OPEN_IDS}`.execute(tx);
}

/** Returns the bets that were reversed in the slice. */
async function reversedIn(tx: Tx, slice: Slice): Promise<bigint[]> {
  const { rows } = await sql<{ betId: bigint }>`
    select distinct bet_id as "betId" from ${effectsIn(slice, sql`true`, sql`, id as bet_id`)} effects where sign < 0`.execute(
    tx,
  );
  return rows.map(({ betId }) => betId);
}

type Best = { challengeId: string; userId: number };

/** Deletes these bets. Returns the players and challenges whose best bet was among them. */
async function removeReversed(tx: Tx, { isReversal }: Slice, bets: readonly bigint[]): Promise<Best[]> {
  const among = sql`bet_id = any(${bets.map(String)}::int8[])`;
  // A replay stores the deleted bets again, but only for open challenges.
  const which = isReversal ? sql`${among} and challenge_id in ${OPEN_IDS}` : among;
  await sql`delete from challenge_candidates where ${which}`.execute(tx);
  const { rows } = await sql<Best>`
    delete from challenge_bests where ${which} returning challenge_id as "challengeId", user_id as "userId"`.execute(
    tx,
  );
  if (!isReversal) await queueReview(tx, bets);
  return rows;
}

/** Queues a review of challenges that these bets have won. The review must lock the player, which the consumer does not do. */
async function queueReview(tx: Tx, bets: readonly bigint[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from challenges where winner_bet_id = any(${bets.map(String)}::int8[])`.execute(tx);
  for (const { id } of rows) await queueDecision(tx, id);
}

async function readGames(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ gameId: number }>`
    select distinct c.game_id as "gameId" from challenges c where ${OPEN} and c.shown_at is not null`.execute(
    tx,
  );
  return rows.map(({ gameId }) => gameId);
}

/**
 * Selects the bets of the slice in their final state. If two effects of a bet have the same position, the effect that adds the bet comes
 * second. A replay applies the effects in reverse order.
 */
const netsOf = (slice: Slice, games: readonly number[]) => sql`(
  select bet_id, user_id, game_id, currency_id, amount, payout, usd_amount, usd_payout, undecided, counted_usd, at,
    case when is_corrected then (select b.created_at from bets b where b.id = bet_id) else created_at end as made_at
  from (
    select distinct on (bet_id) * from ${effectsIn(slice, sql`game_id = any(${games}::int4[])`, sql`, id as bet_id, currency_id, is_corrected, created_at`)} effects
    order by bet_id, position ${slice.isReversal ? sql`asc` : sql`desc`}, sign desc) net
  where sign > 0)`;

async function storeBets(tx: Tx, slice: Slice, games: readonly number[]): Promise<void> {
  const { rows } = await sql<{ id: string; first: Date }>`
    with counted as materialized (
      select c.id as challenge_id, c.min_multiplier_e4, n.*, ${MULTIPLIER} as multiplier_e4
      from ${netsOf(slice, games)} n join challenges c on ${OPEN} and ${COUNTS}),
    room as materialized (
      select o.challenge_id from (select distinct challenge_id from counted) o
      where (select count(*) from (
        select from challenge_candidates k where k.challenge_id = o.challenge_id and ${MAY_WIN} limit ${MOST_CANDIDATES}) kept)
        < ${MOST_CANDIDATES}),
    bests as (
      insert into challenge_bests as best (challenge_id, user_id, bet_id, multiplier_e4, settled_at)
      select distinct on (challenge_id, user_id) challenge_id, user_id, bet_id, multiplier_e4, at from counted
      order by challenge_id, user_id, multiplier_e4 desc, bet_id ${KEEP_BEST}),
    candidates as (
      insert into challenge_candidates (challenge_id, bet_id, user_id, currency_id, amount, payout, usd_amount, usd_payout, multiplier_e4,
        settled_at)
      select challenge_id, bet_id, user_id, currency_id, amount, payout, usd_amount, usd_payout, multiplier_e4, at from counted n
      where multiplier_e4 >= min_multiplier_e4 and ${IS_PLAYER} and (challenge_id in (table room) or ${IS_EARLIER})
      on conflict (challenge_id, bet_id) do nothing
      returning challenge_id, settled_at)
    select challenge_id as id, min(settled_at) as first from candidates group by 1`.execute(tx);
  for (const { id, first } of rows) await queueDecision(tx, id, first);
}

/** Finds the best remaining bet of each player since the challenge was published. */
async function findBest(tx: Tx, slice: Slice, lost: readonly Best[]): Promise<void> {
  const position = String(cursorAfter(slice));
  const ids = lost.map(({ challengeId }) => challengeId);
  const users = lost.map(({ userId }) => userId);
  const stakeOf = (bet: string) => sql`coalesce(${sql.ref(`${bet}.undecided`)}, 0) as undecided,
    ${sql.raw(countedStakeUsdSql(`${bet}.usd_amount`, `${bet}.amount`, `${bet}.undecided`))} as counted_usd`;
  await sql`
    insert into challenge_bests as best (challenge_id, user_id, bet_id, multiplier_e4, settled_at)
    select c.id, lost.user_id, found.* from unnest(${ids}::uuid[], ${users}::int4[]) lost(challenge_id, user_id)
    join challenges c on c.id = lost.challenge_id and c.deleted_at is null
    cross join lateral (
      select n.bet_id, ${MULTIPLIER} as multiplier_e4, n.at from (
        select id as bet_id, user_id, game_id, amount, payout, ${stakeOf('bets')},
          coalesce(settled_at, created_at) as at, created_at as made_at from bets
        where user_id = lost.user_id and id > c.shown_id and ${sql.raw(countsAt(position))}
        union all
        select v.bet_id, v.user_id, v.game_id, v.amount, v.payout, ${stakeOf('v')}, v.at, b.created_at
        from ${sql.raw(correctedAt(position))} v join bets b on b.id = v.bet_id
        where v.user_id = lost.user_id and v.bet_id > c.shown_id) n
      where ${COUNTS} order by multiplier_e4 desc, n.bet_id limit 1) found ${KEEP_BEST}`.execute(tx);
}
