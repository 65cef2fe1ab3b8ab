import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { Period } from './rules.ts';

type Sql = RawBuilder<unknown>;

/** What a player has of a period in a currency. */
export type Balance = {
  userId: number;
  currencyId: string;
  period: Period;
  /** Of periods that are over, less what was claimed and has expired; negative: owed back. */
  rest: Units;
  accumulated: Units;
  claimed: Units;
  /** When the oldest period began that anything can be claimed of; null: none, or what was merged. */
  oldest: Date | null;
  updatedAt: Date;
};

const TODAY = sql`(now() at time zone 'UTC')::date`;
const runningSince = sql`case period when 'daily' then ${TODAY} when 'weekly' then date_trunc('week', ${TODAY})::date
  when 'monthly' then date_trunc('month', ${TODAY})::date else 'infinity' end`;
const endsOn = sql`(start + case period when 'daily' then interval '1 day' when 'weekly' then interval '7 days' else interval '1 month' end)::date`;

/** Rows with what is left of them. What expires does so by itself: it is written down when a claim merges it. */
const rests = (where: Sql, expiryDays: number | null) => sql`
  select *, accrued - claimed - expired as rest, start < ${runningSince} as is_over,
    coalesce(start > '-infinity' and accrued > claimed + expired and ${endsOn} + ${expiryDays}::int4 <= ${TODAY}, false) as is_lost
  from rakeback_periods where ${where}`;

/** What players have, by currency and period. */
export async function readBalances(db: DbOrTx, where: Sql, expiryDays: number | null): Promise<Balance[]> {
  type Sums = Omit<Balance, 'rest' | 'accumulated' | 'claimed'> &
    Record<'rest' | 'accumulated' | 'claimed', string>;
  const { rows } = await sql<Sums>`
    select user_id as "userId", currency_id as "currencyId", period,
      coalesce(sum(rest) filter (where is_over and not is_lost), 0) as rest, coalesce(sum(rest) filter (where not is_over), 0) as accumulated,
      sum(claimed) as claimed, max(updated_at) as "updatedAt",
      (min(start) filter (where is_over and not is_lost and start > '-infinity' and rest > 0))::timestamp at time zone 'UTC' as oldest
    from (${rests(where, expiryDays)}) r group by user_id, currency_id, period order by user_id, currency_id, period`.execute(
    db,
  );
  return rows.map((row) => ({
    ...row,
    rest: BigInt(row.rest),
    accumulated: BigInt(row.accumulated),
    claimed: BigInt(row.claimed),
  }));
}

/** What the players with ids after `after`, up to `upTo`, could claim together, by currency; of a currency that is disabled too. */
export async function readOwed(
  db: DbOrTx,
  { after, upTo }: { after: number; upTo: number },
  expiryDays: number | null,
): Promise<{ currencyId: string; amount: Units }[]> {
  const { rows } = await sql<{ currencyId: string; amount: string }>`
    select currency_id as "currencyId", sum(div(rest, unit) * unit)::text as amount from (
      select currency_id, sum(rest) filter (where is_over and not is_lost) as rest
      from (${rests(sql`user_id > ${after} and user_id <= ${upTo}`, expiryDays)}) r group by user_id, currency_id, period) owed
    join (select id as currency_id, power(10::numeric, 8 - decimals) as unit from currencies) c using (currency_id)
    where rest >= unit group by currency_id`.execute(db);
  return rows.map(({ currencyId, amount }) => ({ currencyId, amount: BigInt(amount.split('.')[0]!) }));
}

export const ofPlayer = (userId: number): Sql => sql`user_id = ${userId}`;

/** Of the players and currencies to which anything was added last. */
export const newestOf = (where: Sql, most: number): Sql => sql`(user_id, currency_id) in (
  select user_id, currency_id from rakeback_periods where period = 'instant' and ${where} order by updated_at desc limit ${most})`;

export type Claimed = { userId: number; period: Period; currencyId: string };

/** Locks what a player has of a period: in each currency first the row that others are merged into, which is made where it is missing. */
export async function lockPeriod(
  tx: Tx,
  { userId, period, currencyId }: Omit<Claimed, 'currencyId'> & { currencyId?: string | undefined },
) {
  const chosen = sql`user_id = ${userId} and period = ${period} and currency_id = coalesce(${currencyId ?? null}, currency_id)`;
  await sql`
    insert into rakeback_periods as r (user_id, currency_id, period, start)
    select distinct user_id, currency_id, period, '-infinity'::date from rakeback_periods where ${chosen} order by currency_id
    on conflict (user_id, currency_id, period, start) do update set accrued = r.accrued`.execute(tx);
  await sql`select from rakeback_periods where ${chosen} order by user_id, currency_id, period, start for update`.execute(
    tx,
  );
  return chosen;
}

/** Books a payment, and merges periods that are over into the row of the beginning. Answers how many claims there were now. */
export async function mergePeriods(
  tx: Tx,
  { userId, period, currencyId, amount, expiryDays }: Claimed & { amount: Units; expiryDays: number | null },
): Promise<number> {
  const chosen = sql`user_id = ${userId} and period = ${period} and currency_id = ${currencyId}`;
  const { rows } = await sql<{ claims: number }>`
    with over as materialized (select * from (${rests(chosen, expiryDays)}) r where is_over and start > '-infinity'),
    gone as (
      delete from rakeback_periods r using over o
      where r.user_id = o.user_id and r.currency_id = o.currency_id and r.period = o.period and r.start = o.start)
    update rakeback_periods r set accrued = r.accrued + s.accrued, claimed = r.claimed + s.claimed + ${amount}::numeric,
      expired = r.expired + s.expired, claims = r.claims + 1, updated_at = now()
    from (
      select coalesce(sum(accrued), 0) as accrued, coalesce(sum(claimed), 0) as claimed,
        coalesce(sum(expired + case when is_lost then rest else 0 end), 0) as expired from over) s
    where r.user_id = ${userId} and r.period = ${period} and r.currency_id = ${currencyId} and r.start = '-infinity'
    returning r.claims`.execute(tx);
  return rows[0]!.claims;
}

/** What a player was paid of rakeback, in dollars at the rates of then. */
export async function readClaimedUsd(db: DbOrTx, userId: number): Promise<Units> {
  const { rows } = await sql<{ usd: string }>`
    select coalesce(sum(usd_amount), 0) as usd from money_hours where user_id = ${userId} and kind = 'rakeback.claim'`.execute(
    db,
  );
  return BigInt(rows[0]!.usd);
}
