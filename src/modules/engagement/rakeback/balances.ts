import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, DbOrTx } from '../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { claimableOf, type Period } from './rules.ts';

export type RakebackDeps = {
  db: Db;
  /** Database for staff operations. It may be a replica that lags behind. */
  reads: Db;
  databaseClock: Clock;
  gate: Gate;
  currencies: Currencies;
  siteConfig: Pick<SiteConfig, 'get'>;
};

/** Returns the number of days after which unclaimed rakeback of a finished period expires, or null if it never expires. */
export const expiryDaysOf = ({ siteConfig }: Pick<RakebackDeps, 'siteConfig'>): number | null =>
  siteConfig.get('COMMON').rakeback.expiryDays;

type Sql = RawBuilder<unknown>;

/** A player's rakeback for one kind of period in one currency. */
export type Balance = {
  userId: number;
  currencyId: string;
  period: Period;
  /** The amount accrued in finished periods, minus the claimed and expired amounts. If it is negative, the player owes it. */
  rest: Units;
  accumulated: Units;
  claimed: Units;
  /** Start of the oldest period with an unclaimed amount. Null if there is no such period or if a claim has merged that period. */
  oldest: Date | null;
  updatedAt: Date;
};

const TODAY = sql`(now() at time zone 'UTC')::date`;
const runningSince = sql`case period when 'daily' then ${TODAY} when 'weekly' then date_trunc('week', ${TODAY})::date
  when 'monthly' then date_trunc('month', ${TODAY})::date else 'infinity' end`;
const endsOn = sql`(start + case period when 'daily' then interval '1 day' when 'weekly' then interval '7 days' else interval '1 month' end)::date`;

/** SQL: rows with their remaining amount. Expiry is computed when rows are read, and the next claim stores it. */
export const rests = (where: Sql, expiryDays: number | null): Sql => sql`
  select *, accrued - claimed - expired as rest, start < ${runningSince} as is_over,
    coalesce(start > '-infinity' and accrued > claimed + expired and ${endsOn} + ${expiryDays}::int4 <= ${TODAY}, false) as is_lost
  from rakeback_periods where ${where}`;

/** Returns balances by player, currency and period. `where`: a condition on rakeback_periods. */
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

/** A player's balances in one currency. */
export type CurrencyBalances = {
  userId: number;
  currencyId: string;
  byPeriod: Partial<Record<Period, Balance>>;
};

export const groupByCurrency = (balances: readonly Balance[]): CurrencyBalances[] =>
  [...Map.groupBy(balances, ({ userId, currencyId }) => `${userId} ${currencyId}`).values()].map((group) => ({
    userId: group[0]!.userId,
    currencyId: group[0]!.currencyId,
    byPeriod: Object.fromEntries(group.map((balance) => [balance.period, balance])),
  }));

/** Returns the amount that a player can claim. Returns 0 for a disabled currency. */
export function claimable(currencies: Currencies, balance: Balance | undefined): Units {
  const currency = balance && currencies.find(balance.currencyId);
  return currency ? claimableOf(balance.rest, currency.decimals) : 0n;
}

/** Returns the total that a player can claim in all currencies, in US dollars, by period. */
export function totalsUsd(currencies: Currencies, balances: readonly Balance[]): Record<Period, string> {
  const usdOf = (period: Period) =>
    formatUnits(
      balances
        .filter((balance) => balance.period === period)
        .reduce((sum, each) => sum + currencies.toUsd(each.currencyId, claimable(currencies, each)), 0n),
    );
  return {
    instant: usdOf('instant'),
    daily: usdOf('daily'),
    weekly: usdOf('weekly'),
    monthly: usdOf('monthly'),
  };
}

/** The maximum number of user ids that one statement covers. */
const BATCH = 20_000;

/** Returns the claimable rakeback of all players, by currency. Reads every unclaimed period. */
export async function claimableRakeback(
  db: DbOrTx,
  siteConfig: RakebackDeps['siteConfig'],
): Promise<Map<string, Units>> {
  const expiryDays = expiryDaysOf({ siteConfig });
  const { last } = await db
    .selectFrom('rakeback_periods')
    .select((eb) => eb.fn.coalesce(eb.fn.max('user_id'), eb.val(0)).as('last'))
    .executeTakeFirstOrThrow();
  const owed = new Map<string, Units>();
  for (let after = 0; after < last; after += BATCH)
    for (const { currencyId, amount } of await readOwed(db, { after, upTo: after + BATCH }, expiryDays))
      owed.set(currencyId, (owed.get(currencyId) ?? 0n) + amount);
  return owed;
}

/** Returns the amounts that are owed to users with ids above `after` and up to `upTo`. Includes disabled currencies. */
async function readOwed(
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
