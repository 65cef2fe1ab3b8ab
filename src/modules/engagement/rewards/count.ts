import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { effectsIn, type Slice } from '../../games/bets/effects.ts';
import type { Terms } from './rules.ts';

type Sql = RawBuilder<unknown>;

/** A table of changes, stored by column. Each column is a PostgreSQL array as a string, which is sent back to the database unparsed. */
type Columns<K extends string> = Record<K, string>;

/** A VIP level that a player has reached, with its reward. */
type Crossed = { userId: number; level: number; thresholdUsd: Units; rewardUsd: Units };

/** The changes that a slice makes to sums. Each table is ordered by its key. Null means that there is no change. */
export type Counted = {
  /** Rows of bet_rewards from earlier slices that this slice reverses, with the positions of the reversals. */
  reversals: Columns<'bets' | 'places' | 'positions'> | null;
  wagered: Columns<'users' | 'usd'> | null;
  crossed: Crossed[];
  /** Grouped by player, currency, period and its start. `earlyLosses`: the part of `losses` that precedes the first gain of the slice. */
  rakeback: Columns<
    'users' | 'currencies' | 'periods' | 'starts' | 'gains' | 'losses' | 'earlyLosses'
  > | null;
  /** True if rakeback was reversed. */
  hasLosses: boolean;
  /**
   * Grouped by referral and day. `lastAts`: the settlement time of the last valid bet after the slice. `lost`: the number of bets that were
   * valid before the slice and reversed in it.
   */
  commission: Columns<
    'users' | 'days' | 'affiliates' | 'wagered' | 'ggr' | 'earned' | 'lastAts' | 'lost'
  > | null;
};

/**
 * Writes the slice's rows of bet_rewards and returns the changes. Each effect is counted with the levels that applied before it. These
 * levels follow from the sums at the start of the slice plus the running sums in order of position. A reversal subtracts the row of the
 * settlement that it reverses, which may be in this or an earlier slice. Bets that are older than the rewards module have no row.
 */
export async function count(tx: Tx, slice: Slice, terms: readonly Terms[]): Promise<Counted> {
  const { rows } = await sql<Counted>`
    with terms(no, since, until, thresholds, rewards, instant_bp, daily_bp, weekly_bp, monthly_bp, affiliate_thresholds, commissions, divisor)
      as (values ${sql.join(terms.map((each, i) => rowOf(i, each, terms[i + 1]?.since ?? null)))}),
    ${EFFECTS(slice)}, ${OWN}, ${MOVED}, ${RUNNING}, ${LEVELED}, ${EARNED}, ${COUNTED},
    written as (
      insert into bet_rewards (bet_id, place, reversed_place, own_usd, own_paid_usd, instant, daily, weekly, monthly, affiliate_usd, user_id,
        affiliate_user_id, edge_ppm, day, week, month, vip_level, currency_id)
      select bet_id, position, next_position, moved_usd, paid_usd, instant, daily, weekly, monthly, affiliate_usd, user_id,
        affiliate_id, edge, day, week, month, level, currency_id
      from counted where sign > 0 order by bet_id)
    select (${REVERSALS}) as reversals, (${WAGERED}) as wagered, (${CROSSED}) as crossed, (${RAKEBACK}) as rakeback,
      exists (select from counted where sign < 0 and day is not null) as "hasLosses", (${COMMISSION}) as commission`.execute(
    tx,
  );
  const { crossed, ...changes } = rows[0]!;
  return { ...changes, crossed: crossed.map(parseCrossed) };
}

/** The query returns amounts as strings, because JSON has no bigint. */
const parseCrossed = ({ thresholdUsd, rewardUsd, ...rest }: Crossed): Crossed => ({
  ...rest,
  thresholdUsd: BigInt(thresholdUsd),
  rewardUsd: BigInt(rewardUsd),
});

function rowOf(no: number, terms: Terms, until: Date | null): Sql {
  const list = (values: readonly (number | bigint)[], type: string) =>
    sql`${`{${values.join()}}`}::${sql.raw(type)}[]`;
  const { instant, daily, weekly, monthly } = terms.rakebackBp;
  return sql`(${no}::int4, coalesce(${terms.since}::timestamptz, '-infinity'), coalesce(${until}::timestamptz, 'infinity'),
    ${list(terms.vipThresholds, 'numeric')}, ${list(terms.vipRewards, 'int8')}, ${list(instant, 'int4')}, ${list(daily, 'int4')},
    ${list(weekly, 'int4')}, ${list(monthly, 'int4')}, ${list(terms.affiliateThresholds, 'numeric')}, ${list(terms.commissions, 'int4')},
    ${terms.divisor}::int8)`;
}

/** Selects the effects in order, each with the previous and the next effect of the same bet in the slice. */
const EFFECTS = (slice: Slice) => sql`
  placed as materialized (
    select row_number() over (order by position, sign, bet_id) as n, e.*
    from ${effectsIn(slice, undefined, sql`, id as bet_id, currency_id, rtp_bp, edge_ppm, is_corrected, created_at as made_at`)} e),
  effects as (
    select *, lag(n) over of_bet as previous, lead(position) over of_bet as next_position
    from placed window of_bet as (partition by bet_id order by n))`;

/**
 * Adds to each effect the part of the stake that was settled as won or lost, excluding bonus money (games/bets/rules.ts), the payout minus
 * the part of the stake that was returned without a win or a loss, the edge, and the player's state at the start of the slice. Gross
 * revenue is then stake minus payout. Staff and test users do not earn commission, and their bets do not generate any. `s`: the row of an
 * earlier slice that a reversal subtracts.
 */
const OWN = sql`
  own as (
    select e.n, e.sign, e.position, e.previous, e.next_position, e.bet_id, e.user_id, e.currency_id, e.at, counted.cash, t.no as terms_no,
      greatest(coalesce(e.edge_ppm, case when e.is_corrected then (select b.edge_ppm from bets b where b.id = e.bet_id) end,
        (10000 - e.rtp_bp) * 100, 0), 0) as edge,
      counted.own_usd, own.paid_usd - (own.staked_usd - counted.own_usd) as own_paid_usd,
      coalesce(u.vip_level, 0) as vip_level, v.wagered_usd,
      case when not (u.is_staff or u.is_test) and not (f.is_staff or f.is_test) then f.id end as referrer,
      s.place as stored_place, s.own_usd as stored_usd, s.own_paid_usd as stored_paid_usd, s.affiliate_user_id as stored_affiliate,
      s.instant as stored_instant, s.daily as stored_daily, s.weekly as stored_weekly, s.monthly as stored_monthly,
      s.affiliate_usd as stored_affiliate_usd, s.day as stored_day, s.week as stored_week, s.month as stored_month
    from effects e
    left join users u on u.id = e.user_id
    left join vip_progress v on v.user_id = e.user_id
    left join referrals r on r.user_id = e.user_id
    left join users f on f.id = r.affiliate_user_id
    cross join lateral (
      select coalesce(case when e.is_corrected then (select b.created_at from bets b where b.id = e.bet_id) end, e.made_at) as at) made
    join terms t on made.at >= t.since and made.at < t.until
    left join lateral (select bonus_staked, bonus_paid from bonus_bets b where b.bet_id = e.bet_id offset 0) b on true
    cross join lateral (
      select e.amount - least(coalesce(b.bonus_staked, 0), e.amount) as cash, e.payout - least(coalesce(b.bonus_paid, 0), e.payout) as paid) parts
    cross join lateral (
      select case when parts.cash = e.amount then e.usd_amount else div(e.usd_amount::numeric * parts.cash, e.amount)::int8 end as staked_usd,
        case when parts.paid = e.payout then e.usd_payout else div(e.usd_payout::numeric * parts.paid, e.payout)::int8 end as paid_usd) own
    cross join lateral (
      select case when e.undecided = 0 then parts.cash else div(parts.cash::numeric * (e.amount - e.undecided), e.amount)::int8 end as cash,
        case when parts.cash = e.amount then e.counted_usd else div(e.counted_usd::numeric * parts.cash, e.amount)::int8 end as own_usd) counted
    left join lateral (
      select * from bet_rewards r where e.sign < 0 and e.previous is null and r.bet_id = e.bet_id and r.reversed_place is null limit 1) s on true)`;

const OF_BET = sql`window of_bet as (partition by bet_id order by n)`;
/**
 * Returns the value of a settlement. For a reversal, returns the value of the reversed settlement, which may be in this or an earlier
 * slice.
 */
const reversed = (own: string, stored: string) =>
  sql`case when sign > 0 then ${sql.ref(own)} when previous is not null then lag(${sql.ref(own)}) over of_bet else ${sql.ref(stored)} end`;

const MOVED = sql`
  moved as (
    select *, coalesce(${reversed('own_usd', 'stored_usd')}, 0) as moved_usd, coalesce(${reversed('own_paid_usd', 'stored_paid_usd')}, 0) as paid_usd,
      ${reversed('referrer', 'stored_affiliate')} as affiliate_id
    from own ${OF_BET})`;

const BEFORE = sql`order by n rows between unbounded preceding and 1 preceding`;

/** Adds the player's total wagers after each effect, and the total wagers of the affiliate's referrals before the effect. */
const RUNNING = sql`
  running as (
    select m.*, coalesce(m.wagered_usd, 0) + sum(sign * moved_usd) over (partition by m.user_id order by n rows unbounded preceding) as wagered_after,
      coalesce(a.wagered_usd, 0) + coalesce(sum(sign * moved_usd) over (partition by affiliate_id ${BEFORE}), 0) as referred_before,
      f.custom_min_affiliate_level as least_level
    from moved m left join affiliates a on a.user_id = affiliate_id left join users f on f.id = affiliate_id)`;

/** Adds the VIP level before each effect. Levels never fall, and only a settlement can raise a level. */
const LEVELED = sql`
  reached as (
    select running.*, case when sign > 0 then greatest(width_bucket(wagered_after, thresholds) - 1, 0) else 0 end as reached
    from running join terms on no = terms_no),
  leveled as (
    select *, greatest(vip_level, max(reached) over (partition by user_id ${BEFORE})) as level from reached)`;

const rakebackAt = (rates: string) => sql`
  div(cash::numeric * edge * ${sql.ref(rates)}[least(level + 1, cardinality(${sql.ref(rates)}))], 10000000000)::int8`;

const EARNED = sql`
  earned as (
    select leveled.*, ${rakebackAt('instant_bp')} as own_instant, ${rakebackAt('daily_bp')} as own_daily, ${rakebackAt('weekly_bp')} as own_weekly,
      ${rakebackAt('monthly_bp')} as own_monthly,
      case when affiliate_id is null or cardinality(commissions) = 0 then 0 else
        least(div(own_usd::numeric * edge * commissions[least(greatest(width_bucket(referred_before, affiliate_thresholds), least_level, 1),
          cardinality(commissions))] * 100, 10000000000 * divisor), 9223372036854775807)::int8 end as own_affiliate,
      (at at time zone 'UTC')::date as own_day, date_trunc('week', at at time zone 'UTC')::date as own_week,
      date_trunc('month', at at time zone 'UTC')::date as own_month
    from leveled join terms on no = terms_no)`;

/** Selects each effect with the amounts that it adds or subtracts. `day` is null for a reversal without a row to subtract. */
const COUNTED = sql`
  counted as materialized (
    select n, sign, position, next_position, bet_id, user_id, currency_id, at, edge, level, reached, terms_no, stored_place, affiliate_id,
      moved_usd, paid_usd, ${reversed('own_instant', 'stored_instant')} as instant, ${reversed('own_daily', 'stored_daily')} as daily,
      ${reversed('own_weekly', 'stored_weekly')} as weekly, ${reversed('own_monthly', 'stored_monthly')} as monthly,
      ${reversed('own_affiliate', 'stored_affiliate_usd')} as affiliate_usd, ${reversed('own_day', 'stored_day')} as day,
      ${reversed('own_week', 'stored_week')} as week, ${reversed('own_month', 'stored_month')} as month
    from earned ${OF_BET})`;

/** Returns the columns of a table as arrays in one JSON object, or null if the table is empty. */
function asColumns(columns: Record<string, string>, from: Sql): Sql {
  const arrays = Object.entries(columns).map(
    ([name, column]) => sql`${sql.lit(name)}, array_agg(${sql.ref(column)})::text`,
  );
  return sql`select case when count(*) > 0 then json_build_object(${sql.join(arrays)}) end from (${from}) changes`;
}

const REVERSALS = asColumns(
  { bets: 'bet_id', places: 'stored_place', positions: 'position' },
  sql`select bet_id, stored_place, position from counted where stored_place is not null order by bet_id`,
);

const WAGERED = asColumns(
  { users: 'user_id', usd: 'usd' },
  sql`select user_id, sum(sign * moved_usd) as usd from counted group by user_id order by user_id`,
);

const CROSSED = sql`
  select coalesce(json_agg(json_build_object('userId', user_id, 'level', crossed, 'thresholdUsd', thresholds[crossed + 1]::text,
    'rewardUsd', rewards[crossed + 1]::text) order by user_id, crossed), '[]'::json)
  from counted join terms on no = terms_no cross join lateral generate_series(level + 1, reached) crossed where sign > 0 and reached > level`;

const RAKEBACK = asColumns(
  {
    users: 'user_id',
    currencies: 'currency_id',
    periods: 'period',
    starts: 'start',
    gains: 'gain',
    losses: 'loss',
    earlyLosses: 'early_loss',
  },
  sql`
    with parts as (
      select n, sign, user_id, currency_id, period, start, amount
      from counted cross join lateral (values ('instant', '-infinity'::date, instant), ('daily', day, daily), ('weekly', week, weekly),
        ('monthly', month, monthly)) v(period, start, amount)
      where day is not null and instant + daily + weekly + monthly > 0),
    sums as materialized (
      select user_id, currency_id, period, start, coalesce(sum(amount) filter (where sign > 0), 0) as gain,
        coalesce(sum(amount) filter (where sign < 0), 0) as loss, min(n) filter (where sign > 0 and amount > 0) as first_gain
      from parts group by user_id, currency_id, period, start),
    early as materialized (
      select user_id, currency_id, period, start, sum(amount) as early_loss
      from (select * from parts where sign < 0) p join sums using (user_id, currency_id, period, start)
      where first_gain is null or n < first_gain group by user_id, currency_id, period, start)
    select user_id, currency_id, period, start, gain, loss, coalesce(early_loss, 0) as early_loss
    from sums left join early using (user_id, currency_id, period, start) order by user_id, currency_id, period, start`,
);

const COMMISSION = asColumns(
  {
    users: 'user_id',
    days: 'day',
    affiliates: 'affiliate_id',
    wagered: 'wagered',
    ggr: 'ggr',
    earned: 'earned',
    lastAts: 'last_at',
    lost: 'lost',
  },
  sql`
    select user_id, day, affiliate_id, sum(sign * moved_usd) as wagered, sum(sign * (moved_usd - paid_usd)) as ggr,
      sum(sign * affiliate_usd) as earned,
      coalesce(max(at) filter (where sign > 0 and next_position is null and moved_usd > 0), '-infinity') as last_at,
      count(*) filter (where stored_place is not null and moved_usd > 0)::int4 as lost
    from counted where affiliate_id is not null and day is not null group by user_id, day, affiliate_id order by user_id, day`,
);
