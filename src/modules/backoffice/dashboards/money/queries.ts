import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import type { GivenKind, GivenSum } from '../../../money/rewards/rules.ts';
import { isCounted, readingOf } from '../periods/queries.ts';
import type { Steps } from '../periods/rules.ts';

type Sql = RawBuilder<unknown>;

/** Undefined means all currencies. */
type Currency = string | undefined;
const isIn = (currencyId: Currency) =>
  currencyId === undefined ? sql`true` : sql`currency_id = ${currencyId}`;

/**
 * Rows of whole days, and of hours on days in which a step begins or ends, for all users. Rows of users who do not count follow with a
 * negative sign.
 */
const countedIn = (
  steps: Steps,
  { days, hours, columns, which }: Record<'days' | 'hours' | 'columns' | 'which', Sql>,
) => {
  const { day, hour, isUncounted } = readingOf(steps);
  return sql`(
    select ${day.step} as step, 1 as sign, ${columns} from ${days} where ${day.is} and ${which}
    union all
    select ${hour.step}, 1, ${columns} from ${hours} join ${hour.ofCutDays} where ${which}
    union all
    select ${hour.step}, -1, ${columns} from ${hours} where ${isUncounted(sql`user_id`)} and ${hour.is} and ${which}) counted`;
};

/** Returns what real players received, and reversals, by step and kind. */
export async function readGiven(db: DbOrTx, steps: Steps, currencyId?: Currency): Promise<GivenSum[][]> {
  const money = countedIn(steps, {
    days: sql`money_days`,
    hours: sql`money_hours`,
    columns: sql`kind, usd_amount`,
    which: isIn(currencyId),
  });
  const { rows } = await sql<{ step: number; kind: GivenKind; usd: string }>`
    select step - 1 as step, kind, sum(sign * usd_amount)::text as usd from ${money} group by 1, 2`.execute(
    db,
  );
  const given: GivenSum[][] = steps.starts.map(() => []);
  for (const { step, kind, usd } of rows) given[step]!.push({ kind, usdAmount: BigInt(usd) });
  return given;
}

export type Direction = 'DEPOSIT' | 'WITHDRAW';
export type PaymentSum = {
  step: number;
  direction: Direction;
  currencyId: string;
  networkId: string;
  count: bigint;
  failed: bigint;
  amount: Units;
  usdAmount: Units;
};

/** Returns payments of real players by step, direction, currency and network (empty if there is no network). */
export async function readPayments(db: DbOrTx, steps: Steps, currencyId?: Currency): Promise<PaymentSum[]> {
  const payments = countedIn(steps, {
    days: sql`payment_days`,
    hours: sql`payment_hours`,
    columns: sql`direction, currency_id, network_id, count, failed, amount, usd_amount`,
    which: isIn(currencyId),
  });
  type Row = Omit<PaymentSum, 'count' | 'failed' | 'amount' | 'usdAmount'> &
    Record<'count' | 'failed' | 'amount' | 'usdAmount', string>;
  const { rows } = await sql<Row>`
    select step - 1 as step, direction, currency_id as "currencyId", network_id as "networkId", sum(sign * count)::text as count,
      sum(sign * failed)::text as failed, sum(sign * amount)::text as amount, sum(sign * usd_amount)::text as "usdAmount"
    from ${payments} group by 1, 2, 3, 4 order by 2, 3, 4`.execute(db);
  return rows.map((row) => ({
    ...row,
    count: BigInt(row.count),
    failed: BigInt(row.failed),
    amount: BigInt(row.amount),
    usdAmount: BigInt(row.usdAmount),
  }));
}

/** Returns the dollar value of real players' withdrawals whose money is currently held. */
export async function readPending(
  db: DbOrTx,
  statuses: readonly string[],
  currencyId?: Currency,
): Promise<Units> {
  const { rows } = await sql<{ usd: string }>`
    select coalesce(sum(usd_amount), 0)::text as usd from withdrawals
    where status = any(${statuses}::text[]) and ${isCounted(sql`user_id`)} and ${isIn(currencyId)}`.execute(
    db,
  );
  return BigInt(rows[0]!.usd);
}

export type Approval = { step: number; currencyId: string; networkId: string; seconds: number };

/** Returns the median time from request to approval in whole seconds, for real players' withdrawals approved in each step. */
export async function readApprovals(db: DbOrTx, steps: Steps, currencyId?: Currency): Promise<Approval[]> {
  const { stepAt, isAt } = readingOf(steps);
  const at = sql`confirmed_at`;
  const { rows } = await sql<Approval>`
    select ${stepAt(at)} - 1 as step, currency_id as "currencyId", network_id as "networkId",
      (percentile_disc(0.5) within group (order by floor(extract(epoch from confirmed_at - created_at))))::int as seconds
    from withdrawals
    where confirmed_at is not null and ${isAt(at)} and status <> 'REJECTED' and ${isCounted(sql`user_id`)} and ${isIn(currencyId)}
    group by 1, 2, 3`.execute(db);
  return rows;
}
