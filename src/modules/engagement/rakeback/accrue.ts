import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { Amount, CurrencyId } from '../../../http/schemas.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { event, events } from '../../base/events/schemas.ts';
import { emitEvent, MOST_EVENTS } from '../../base/events/service.ts';
import { readRestrictions, transactionTime } from '../../compliance/gate/service.ts';

export const rakebackEvents = events({
  'rakeback.accrued': event(
    'user',
    'Rakeback has accrued. The amounts are the current totals.',
    z.strictObject({
      currencyId: CurrencyId,
      instant: Amount,
      daily: Amount,
      weekly: Amount,
      monthly: Amount,
    }),
  ),
});

/**
 * Changes in the order of their key (player, currency, period, start). Each column is a PostgreSQL array as a string. `earlyLosses` is the
 * part of `losses` that precedes the first gain. It applies only to rows that already existed.
 */
type Accruals = Record<
  'users' | 'currencies' | 'periods' | 'starts' | 'gains' | 'losses' | 'earlyLosses',
  string
>;

/**
 * Adds rakeback to periods and reverses it. A reversal reduces the row of its period, or the row that starts at -infinity if a claim has
 * merged the period into that row. A reversal uses expired amounts first. A player receives at most one event per minute.
 */
export async function addAccruals(tx: Tx, accruals: Accruals, hasLosses: boolean): Promise<void> {
  if (hasLosses) await lockHeads(tx, accruals);
  if (hasLosses) await subtract(tx, accruals, sql`early_loss`);
  const grown = await add(tx, accruals);
  if (hasLosses) await subtract(tx, accruals, sql`loss - early_loss`);
  await announce(tx, grown);
}

const changesIn = ({ users, currencies, periods, starts, gains, losses, earlyLosses }: Accruals) => sql`
  unnest(${users}::int4[], ${currencies}::text[], ${periods}::text[], ${starts}::date[], ${gains}::numeric[], ${losses}::numeric[],
    ${earlyLosses}::numeric[]) v(user_id, currency_id, period, start, gain, loss, early_loss)`;

/** Locks the rows that start at -infinity before all others, in the same order as a claim. */
const lockHeads = (tx: Tx, accruals: Accruals) =>
  sql`
  insert into rakeback_periods as r (user_id, currency_id, period, start)
  select distinct user_id, currency_id, period, '-infinity'::date from ${changesIn(accruals)}
  where user_id in (select user_id from ${changesIn(accruals)} where loss > 0)
  order by user_id, currency_id, period
  on conflict (user_id, currency_id, period, start) do update set accrued = r.accrued`.execute(tx);

type Grown = { userId: number; currencyId: string };

/** Returns the players whose rakeback has increased and who received no event in the last minute. */
async function add(tx: Tx, accruals: Accruals): Promise<Grown[]> {
  const { rows } = await sql<Grown>`
    with grown as (
      insert into rakeback_periods as r (user_id, currency_id, period, start, accrued)
      select user_id, currency_id, period, start, gain from ${changesIn(accruals)}
      where gain > 0 or period = 'instant'
      order by user_id, currency_id, period, start
      on conflict (user_id, currency_id, period, start) do update set accrued = r.accrued + excluded.accrued,
        updated_at = case when r.updated_at < now() - interval '1 minute' then now() else r.updated_at end
      returning user_id, currency_id, period, updated_at)
    select user_id as "userId", currency_id as "currencyId" from grown
    where period = 'instant' and updated_at = now() order by user_id, currency_id`.execute(tx);
  return rows;
}

/** Subtracts reversed rakeback. Claims by these players wait for the locked rows, so no period is merged in the meantime. */
const subtract = (tx: Tx, accruals: Accruals, part: RawBuilder<unknown>) =>
  sql`
  update rakeback_periods r set accrued = r.accrued - l.loss, expired = r.expired - least(r.expired, l.loss), updated_at = now()
  from (
    select user_id, currency_id, period, coalesce(p.start, '-infinity') as start, sum(${part}) as loss
    from ${changesIn(accruals)} left join rakeback_periods p using (user_id, currency_id, period, start)
    where ${part} > 0 group by user_id, currency_id, period, coalesce(p.start, '-infinity')) l
  where r.user_id = l.user_id and r.currency_id = l.currency_id and r.period = l.period and r.start = l.start`.execute(
    tx,
  );

type Sums = Grown & Record<'instant' | 'daily' | 'weekly' | 'monthly', string>;

/** Sends the new totals (claimable and accumulated) to players who are not self-excluded. */
async function announce(tx: Tx, grown: readonly Grown[]): Promise<void> {
  if (grown.length === 0) return;
  const ids = grown.map(({ userId }) => userId);
  const at = await transactionTime(tx);
  const restrictions = await readRestrictions(tx, ids);
  const isExcluded = ({ userId }: Grown) => (restrictions.get(userId)?.excludedUntil ?? at) > at;
  const recipients = grown.filter((one) => !isExcluded(one));
  const { rows } = await sql<Sums>`
    select user_id as "userId", currency_id as "currencyId", ${restOf('instant')}, ${restOf('daily')}, ${restOf('weekly')}, ${restOf('monthly')}
    from rakeback_periods where (user_id, currency_id) in (
      select * from unnest(${recipients.map(({ userId }) => userId)}::int4[], ${recipients.map(({ currencyId }) => currencyId)}::text[]))
    group by user_id, currency_id order by user_id, currency_id`.execute(tx);
  for (let i = 0; i < rows.length; i += MOST_EVENTS)
    await emitEvent(tx, ...rows.slice(i, i + MOST_EVENTS).map(eventOf));
}

const restOf = (period: keyof Omit<Sums, keyof Grown>) =>
  sql`greatest(coalesce(sum(accrued - claimed - expired) filter (where period = ${period}), 0), 0) as ${sql.ref(period)}`;

const eventOf = ({ userId, currencyId, instant, daily, weekly, monthly }: Sums) => ({
  event: rakebackEvents['rakeback.accrued'],
  userId,
  data: {
    currencyId,
    instant: amountOf(instant),
    daily: amountOf(daily),
    weekly: amountOf(weekly),
    monthly: amountOf(monthly),
  },
});

const amountOf = (sum: string): string => formatUnits(BigInt(sum) as Units);
