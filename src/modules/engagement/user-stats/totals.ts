import { sql } from 'kysely';
import { z } from 'zod';
import { Decimal, object } from '../../../http/schemas.ts';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { effectsAfterCursor, generationOf } from '../../games/bets/effects.ts';
import { countedStakeUsdSql } from '../../games/bets/rules.ts';
import type { ShortGameIdentity } from '../../games/bets/schemas.ts';
import { correctedAt } from '../../games/bets/versions.ts';
import { picturesOf } from '../../games/covers/rules.ts';
import { adminStats, type Totals } from './rules.ts';

/** Amounts are US dollars; rtp and winRate are percentages. */
const full = {
  totalWagered: Decimal,
  totalPayouts: Decimal,
  totalDeposits: Decimal,
  totalWithdraws: Decimal,
  ltv: Decimal.meta({
    description: 'Equal to `netDeposit`: lifetime deposits minus withdrawals.',
  }),
  ggr: Decimal,
  avgBet: Decimal,
  netDeposit: Decimal,
  totalLoss: Decimal.meta({
    description: 'The net loss of the player: equal to `ggr` if that is positive, otherwise 0.',
  }),
  totalBets: z.number(),
  rtp: z.number(),
  winRate: z.number(),
};
export const UserAdminStats = object('UserAdminStatsDto', full);
export const FullUserStats = object('FullUserStats', full);

export const CURSOR = 'user-stats';
const GENERATION = generationOf(CURSOR);

/**
 * The largest payout of a winning bet, and the best multiplier (payout ÷ stake × 10^4). Reversals increase neither. A bet whose whole stake
 * was returned has no multiplier.
 */
export const BIGGEST_WIN = sql`coalesce(max(usd_payout) filter (where sign > 0 and payout > amount), 0)`;
export const BEST_MULTIPLIER = sql`coalesce(max(
  case when amount = 0 then 0 when payout > 900000000000000 then least(div(payout::numeric * 10000, amount), 9223372036854775807)::int8
    else payout * 10000 / amount end) filter (where sign > 0), 0)`;

const END_OF_IDS = '9223372036854775807';

/** The sums that the consumer stores, computed from effects. A bet that paid more than its stake is a win. */
const SUMS = sql`coalesce(sum(sign), 0) as bets,
  coalesce(sum(sign) filter (where payout > amount), 0) as wins,
  sum(sign * usd_amount) as wagered_usd,
  sum(sign * usd_payout) as payout_usd,
  sum(sign * (usd_amount - counted_usd)) as undecided_usd,
  bool_or(sign < 0) as has_reversal,
  ${BIGGEST_WIN} as biggest_win_usd,
  ${BEST_MULTIPLIER} as best_multiplier_e4`;

/**
 * Selects the users' totals up to the cursor plus their bets after it, in one snapshot. If there is a rollback after the cursor, the maxima
 * of that user are computed from their settled bets until the consumer has processed it.
 */
const totalsOf = (userIds: readonly number[]) => sql`
  select u.id as "userId",
    coalesce(s.bets, 0) + t.bets as bets,
    coalesce(s.wins, 0) + t.wins as wins,
    coalesce(s.wagered_usd, 0) + coalesce(t.wagered_usd, 0) as wagered,
    coalesce(s.payout_usd, 0) + coalesce(t.payout_usd, 0) as payouts,
    coalesce(s.undecided_usd, 0) + coalesce(t.undecided_usd, 0) as undecided,
    case when t.has_reversal then coalesce(m.biggest_win_usd, 0) else greatest(s.biggest_win_usd, t.biggest_win_usd, 0) end as "biggestWin",
    case when t.has_reversal then coalesce(m.best_multiplier_e4, 0) else greatest(s.best_multiplier_e4, t.best_multiplier_e4, 0) end
      as "bestMultiplier",
    coalesce(d.usd_amount, 0) as deposits,
    coalesce(w.usd_amount, 0) as withdraws
  from unnest(${userIds}::int4[]) u(id)
  cross join lateral (
    select ${SUMS} from ${effectsAfterCursor(CURSOR, sql`user_id = u.id`)} effects) t
  left join lateral (
    select max(biggest_win_usd) as biggest_win_usd, max(best_multiplier_e4) as best_multiplier_e4 from (
      select ${BIGGEST_WIN} as biggest_win_usd, ${BEST_MULTIPLIER} as best_multiplier_e4
      from (
        select 1 as sign, amount, payout, usd_payout from bets
        where t.has_reversal and user_id = u.id and status = 'SETTLED' and not is_corrected
        union all
        select 1, amount, payout, usd_payout from ${sql.raw(correctedAt(END_OF_IDS))} corrected where t.has_reversal and user_id = u.id
      ) bets
      union all
      select biggest_win_usd, best_multiplier_e4 from bet_openings o join parts_away using (part)
      where t.has_reversal and o.user_id = u.id
    ) settled) m on true
  left join user_stats s on s.user_id = u.id and s.generation = ${GENERATION}
  left join payment_stats d on d.kind = 'DEPOSIT' and d.period = 'ALL' and d.period_start = '-infinity' and d.user_id = u.id
  left join payment_stats w on w.kind = 'WITHDRAW' and w.period = 'ALL' and w.period_start = '-infinity' and w.user_id = u.id`;

/** The game with the most bets. Among games with equally many bets, the one with the lowest id. */
const FAVORITE = sql`
  select game_id from (
    select game_id, bets from user_game_stats where user_id = t."userId" and generation = ${GENERATION}
    union all
    select game_id, sum(sign) from ${effectsAfterCursor(CURSOR, sql`user_id = t."userId"`)} effects group by game_id
  ) x group by game_id having sum(bets) > 0 order by sum(bets) desc, game_id limit 1`;

type TotalsRow = { userId: number } & Record<keyof Totals, bigint | string>;
type Favorite = z.input<typeof ShortGameIdentity>;

/** Returns totals by user id. The totals are zero for users who never played or paid. */
export async function readTotals(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, Totals>> {
  const { rows } = await sql<TotalsRow>`${totalsOf(userIds)}`.execute(db);
  return new Map(rows.map((row) => [row.userId, toTotals(row)]));
}

/** Returns a player's totals and the game that the player plays most. */
export async function readPlayer(
  db: DbOrTx,
  userId: number,
): Promise<{ totals: Totals; favorite: Favorite | null }> {
  const { rows } = await sql<TotalsRow & { favorite: Favorite | null }>`
    select t.*, (
      select json_build_object('id', g.id, 'slug', g.slug, 'name', g.name, 'type', g.type, 'images',
          case when cardinality(g.custom_images) > 0 then g.custom_images else g.images end,
        'providerName', g.provider_name)
      from games g where g.id = (${FAVORITE})) as favorite
    from (${totalsOf([userId])}) t`.execute(db);
  const { favorite, ...totals } = rows[0]!;
  const images = favorite && picturesOf({ ...favorite, customImages: [] });
  return { totals: toTotals(totals), favorite: favorite && { ...favorite, images: images! } };
}

/** Reads statistics for staff by user id in one statement. All values are zero for users who never played or paid. */
export async function adminStatsOf(
  db: DbOrTx,
  userIds: readonly number[],
): Promise<Map<number, z.input<typeof UserAdminStats>>> {
  const totals = userIds.length > 0 ? await readTotals(db, userIds) : [];
  return new Map([...totals].map(([id, sums]) => [id, adminStats(sums)]));
}

const toTotals = ({ userId: _, ...sums }: TotalsRow): Totals =>
  Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, BigInt(sum)])) as Totals;

/** Returns the USD value of a player's stakes that were settled as won or lost (games/bets/rules.ts), up to the last settled bet. */
export const wageredOf = async (db: DbOrTx, userId: number): Promise<Units> =>
  countedIn((await readTotals(db, [userId])).get(userId)!);

/** Like `wageredOf`, but for many players, by user id. */
export async function wageredOfEach(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, Units>> {
  const totals = await readTotals(db, userIds);
  return new Map([...totals].map(([id, sums]) => [id, countedIn(sums)]));
}

const countedIn = ({ wagered, undecided }: Totals): Units => wagered - undecided;

/**
 * Returns the USD value of stakes that were settled as won or lost (games/bets/rules.ts) within the given numbers of days, rounded to the
 * hour, up to the last settled bet. 0 days means all time. The result is grouped by user and number of days and read in one statement.
 */
export async function wageredWithin(
  db: DbOrTx,
  userIds: readonly number[],
  days: readonly number[],
): Promise<{ userId: number; days: number; usd: string }[]> {
  const { rows } = await sql<{ userId: number; days: number; usd: string }>`
    select u.id as "userId", w.days, (
      coalesce((select sum(staked_usd - undecided_usd) from play_hours h
        where h.user_id = u.id and h.generation = ${generationOf(CURSOR)} and h.hour >= w.since), 0)
      + coalesce((select sum(sign * counted_usd) from ${effectsAfterCursor(CURSOR, sql`user_id = u.id`)} effects
        where date_trunc('hour', at, 'UTC') >= w.since), 0))::text as usd
    from unnest(${userIds}::int4[]) u(id), (
      select days, case when days = 0 then '-infinity' else date_trunc('hour', now(), 'UTC') - days * interval '1 day' end as since
      from unnest(${days}::int4[]) d(days)) w`.execute(db);
  return rows;
}

/** Hours after this time are considered recent. They may still receive bets, and clocks differ. */
const RECENT = sql`now() - interval '2 hours'`;

/**
 * Stores the sums of a month's bets before it is detached: per player and game, and the maxima of each hour that also contains bets of
 * other months or may be recomputed after a correction. The sums are used while the month is detached (`parts_away`). Corrected bets are
 * excluded, because their corrections remain and are counted separately. `part` must be in `archived_parts`, and all its effects must have
 * been applied.
 */
export async function keepMonth(tx: Tx, part: string): Promise<void> {
  await sql`
    with settled as not materialized (
      select 1 as sign, user_id, game_id, amount, payout, usd_amount, usd_payout,
        usd_amount - ${sql.raw(countedStakeUsdSql('usd_amount', 'amount', 'undecided'))} as undecided_usd, coalesce(settled_at, created_at) as at
      from ${sql.table(part)} where status = 'SETTLED' and not is_corrected),
    below as (select below from archived_parts a where a.part = ${part}),
    corrected as (
      select distinct user_id, game_id, date_trunc('hour', at, 'UTC') as hour
      from bet_corrections, lateral (values (at_before), (at_after)) v(at) where bet_id < (table below)),
    games as (
      insert into bet_openings (part, user_id, game_id, bets, wins, wagered_usd, payout_usd, undecided_usd, biggest_win_usd,
        best_multiplier_e4)
      select ${part}, user_id, game_id, count(*), count(*) filter (where payout > amount), sum(usd_amount), sum(usd_payout),
        sum(undecided_usd), ${BIGGEST_WIN}, ${BEST_MULTIPLIER}
      from settled group by user_id, game_id)
    insert into hour_openings (part, user_id, game_id, hour, last_at, biggest_win_usd, best_multiplier_e4)
    select ${part}, user_id, game_id, hour, max(at), ${BIGGEST_WIN}, ${BEST_MULTIPLIER}
    from settled join play_hours h using (user_id, game_id)
    where h.hour = date_trunc('hour', at, 'UTC')
      and (h.last_place >= (table below) or h.hour > ${RECENT} or (user_id, game_id, h.hour) in (table corrected))
    group by user_id, game_id, hour`.execute(tx);
}
