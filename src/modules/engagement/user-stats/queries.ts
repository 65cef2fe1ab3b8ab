import { sql } from 'kysely';
import type { z } from 'zod';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { effectsAfterCursor, generationOf } from '../../games/bets/effects.ts';
import type { ShortGameIdentity } from '../../games/bets/schemas.ts';
import { correctedAt } from '../../games/bets/versions.ts';
import type { Totals } from './rules.ts';

export const CURSOR = 'user-stats';
const GENERATION = generationOf(CURSOR);

/**
 * Largest payout of a bet that won, and payout ÷ stake × 10^4 of the best; a reversal raises neither. What pays without a stake (all of it
 * was taken back) has no multiplier.
 */
export const BIGGEST_WIN = sql`coalesce(max(usd_payout) filter (where sign > 0 and payout > amount), 0)`;
export const BEST_MULTIPLIER = sql`coalesce(max(
  case when amount = 0 then 0 when payout > 900000000000000 then least(div(payout::numeric * 10000, amount), 9223372036854775807)::int8
    else payout * 10000 / amount end) filter (where sign > 0), 0)`;

const END_OF_IDS = '9223372036854775807';

/** A bet counts while it is settled; one that paid more than its stake is a win. The same sums as those that are stored. */
const SUMS = sql`coalesce(sum(sign), 0) as bets,
  coalesce(sum(sign) filter (where payout > amount), 0) as wins,
  sum(sign * usd_amount) as wagered_usd,
  sum(sign * usd_payout) as payout_usd,
  bool_or(sign < 0) as has_reversal,
  ${BIGGEST_WIN} as biggest_win_usd,
  ${BEST_MULTIPLIER} as best_multiplier_e4`;

/**
 * The users' totals up to the cursor plus their bets after it, in one snapshot. Until the consumer has processed a rollback after the
 * cursor, the maxima of that user are those of their settled bets.
 */
const totalsOf = (userIds: readonly number[]) => sql`
  select u.id as "userId",
    coalesce(s.bets, 0) + t.bets as bets,
    coalesce(s.wins, 0) + t.wins as wins,
    coalesce(s.wagered_usd, 0) + coalesce(t.wagered_usd, 0) as wagered,
    coalesce(s.payout_usd, 0) + coalesce(t.payout_usd, 0) as payouts,
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

/** The game with most bets; of several the one with the lowest id. */
const FAVORITE = sql`
  select game_id from (
    select game_id, bets from user_game_stats where user_id = t."userId" and generation = ${GENERATION}
    union all
    select game_id, sum(sign) from ${effectsAfterCursor(CURSOR, sql`user_id = t."userId"`)} effects group by game_id
  ) x group by game_id having sum(bets) > 0 order by sum(bets) desc, game_id limit 1`;

type TotalsRow = { userId: number } & Record<keyof Totals, bigint | string>;
type Favorite = z.input<typeof ShortGameIdentity>;

/** What each of these users comes to; zeros for users who never played or paid. */
export async function readTotals(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, Totals>> {
  const { rows } = await sql<TotalsRow>`${totalsOf(userIds)}`.execute(db);
  return new Map(rows.map((row) => [row.userId, toTotals(row)]));
}

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
  return { totals: toTotals(totals), favorite };
}

/**
 * Dollars that users have wagered since so many days, cut to the hour, up to the last settled bet; 0 days: ever. By user and days, in one
 * statement.
 */
export async function readWagered(
  db: DbOrTx,
  userIds: readonly number[],
  days: readonly number[],
): Promise<{ userId: number; days: number; usd: string }[]> {
  const { rows } = await sql<{ userId: number; days: number; usd: string }>`
    select u.id as "userId", w.days, (
      coalesce((select sum(staked_usd) from play_hours h
        where h.user_id = u.id and h.generation = ${GENERATION} and h.hour >= w.since), 0)
      + coalesce((select sum(sign * usd_amount) from ${effectsAfterCursor(CURSOR, sql`user_id = u.id`)} effects
        where date_trunc('hour', at, 'UTC') >= w.since), 0))::text as usd
    from unnest(${userIds}::int4[]) u(id), (
      select days, case when days = 0 then '-infinity' else date_trunc('hour', now(), 'UTC') - days * interval '1 day' end as since
      from unnest(${days}::int4[]) d(days)) w`.execute(db);
  return rows;
}

const toTotals = ({ userId: _, ...sums }: TotalsRow): Totals =>
  Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, BigInt(sum)])) as Totals;

/** An hour may go on, and not everybody's clock is right. */
const RECENT = sql`now() - interval '2 hours'`;

/**
 * Stores what the bets of a month come to before it is detached: for each player and game, and the best of each hour that also has
 * bets of other months, or may be found again because of a correction. It counts while the month is detached (`parts_away`). Corrected
 * bets are not in it: their corrections stay, and count by themselves. `part` must be in `archived_parts`, and all its effects must
 * have been applied.
 */
export async function keepMonth(tx: Tx, part: string): Promise<void> {
  await sql`
    with settled as not materialized (
      select 1 as sign, user_id, game_id, amount, payout, usd_amount, usd_payout, coalesce(settled_at, created_at) as at
      from ${sql.table(part)} where status = 'SETTLED' and not is_corrected),
    below as (select below from archived_parts a where a.part = ${part}),
    corrected as (
      select distinct user_id, game_id, date_trunc('hour', at, 'UTC') as hour
      from bet_corrections, lateral (values (at_before), (at_after)) v(at) where bet_id < (table below)),
    games as (
      insert into bet_openings (part, user_id, game_id, bets, wins, wagered_usd, payout_usd, biggest_win_usd, best_multiplier_e4)
      select ${part}, user_id, game_id, count(*), count(*) filter (where payout > amount), sum(usd_amount), sum(usd_payout),
        ${BIGGEST_WIN}, ${BEST_MULTIPLIER}
      from settled group by user_id, game_id)
    insert into hour_openings (part, user_id, game_id, hour, last_at, biggest_win_usd, best_multiplier_e4)
    select ${part}, user_id, game_id, hour, max(at), ${BIGGEST_WIN}, ${BEST_MULTIPLIER}
    from settled join play_hours h using (user_id, game_id)
    where h.hour = date_trunc('hour', at, 'UTC')
      and (h.last_place >= (table below) or h.hour > ${RECENT} or (user_id, game_id, h.hour) in (table corrected))
    group by user_id, game_id, hour`.execute(tx);
}
