import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import type { Withdrawals } from '../../../../platform/database/tables.ts';
import type { Units } from '../../../../platform/money.ts';
import { GONE, HELD, type WithdrawalStatus } from './rules.ts';

/** `reason`: why a withdrawal was put on hold, rejected or failed. */
export type HistoryStep = { status: WithdrawalStatus; at: string; reason: string | null };
export type WithdrawalRow = Omit<Selectable<Withdrawals>, 'status' | 'status_history'> & {
  status: WithdrawalStatus;
  status_history: HistoryStep[];
};
export type Changes = Omit<Updateable<Withdrawals>, 'id' | 'status' | 'status_history' | 'user_id'>;

const asRow = (row: Selectable<Withdrawals> | undefined) => row as WithdrawalRow | undefined;

export const findWithdrawal = async (db: DbOrTx, id: string): Promise<WithdrawalRow | undefined> =>
  asRow(await db.selectFrom('withdrawals').selectAll().where('id', '=', id).executeTakeFirst());

/** Locks a withdrawal. Its player must already be locked. */
export const lockRow = async (tx: Tx, id: string): Promise<WithdrawalRow | undefined> =>
  asRow(await tx.selectFrom('withdrawals').selectAll().where('id', '=', id).forUpdate().executeTakeFirst());

export async function insertWithdrawal(tx: Tx, row: Insertable<Withdrawals>): Promise<WithdrawalRow> {
  return asRow(
    await tx.insertInto('withdrawals').values(row).returningAll().executeTakeFirst(),
  ) as WithdrawalRow;
}

/** Facts that determine whether a player may withdraw. */
export type Applicant = {
  isTest: boolean;
  kycLevel: number;
  country: string | null;
  since: Date;
  hasSecondFactor: boolean;
  factorResetAt: Date | null;
  worstNote: string | null;
  depositsUsd: Units;
  openWithdrawals: number;
  /** US dollars requested since the start of the UTC day. Withdrawals whose money was returned do not count. */
  todayUsd: Units;
  hasBeenPaid: boolean;
};

export async function readApplicant(db: DbOrTx, userId: number): Promise<Applicant> {
  const { rows } = await sql<Applicant & { depositsUsd: string; todayUsd: string }>`
    select u.is_test as "isTest", u.kyc_level as "kycLevel", u.country_code as country, u.created_at as since,
      u.is_mfa_enabled as "hasSecondFactor", m.reset_at as "factorResetAt",
      (select risk_level from user_notes where user_id = u.id
        order by array_position(array['NONE', 'LOW', 'MEDIUM', 'HIGH'], risk_level) desc limit 1) as "worstNote",
      coalesce(p.usd_amount, 0)::text as "depositsUsd",
      (select count(*)::int from withdrawals where user_id = u.id and status = any(${HELD}::text[])) as "openWithdrawals",
      (select coalesce(sum(usd_amount), 0)::text from withdrawals
        where user_id = u.id and created_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'
          and status not in ('REJECTED', 'CANCELLED', 'FAILED')) as "todayUsd",
      exists (select 1 from withdrawals where user_id = u.id and status in ('SENT', 'COMPLETED')) as "hasBeenPaid"
    from users u
    left join mfa_secrets m on m.user_id = u.id
    left join payment_stats p on p.kind = 'DEPOSIT' and p.period = 'ALL' and p.period_start = '-infinity' and p.user_id = u.id
    where u.id = ${userId}`.execute(db);
  const row = rows[0]!;
  return { ...row, depositsUsd: BigInt(row.depositsUsd), todayUsd: BigInt(row.todayUsd) };
}

/**
 * Returns when a player first requested a withdrawal to this recipient. Ignores cancelled and rejected requests. The same address with a
 * different memo is a different recipient.
 */
export async function recipientSince(
  tx: Tx,
  who: { userId: number; networkId: string; address: string; memo: string | null },
): Promise<Date | null> {
  const row = await tx
    .selectFrom('withdrawals')
    .select(({ fn }) => fn.min('created_at').as('since'))
    .where('user_id', '=', who.userId)
    .where('network_id', '=', who.networkId)
    .where(sql`lower(recipient_address)`, '=', who.address.toLowerCase())
    .where(sql`coalesce(recipient_memo, '')`, '=', who.memo ?? '')
    .where('status', 'not in', ['REJECTED', 'CANCELLED'])
    .executeTakeFirst();
  return (row?.since as Date | null | undefined) ?? null;
}

/** Returns the withdrawals that the worker must check, ordered by how long they have waited, longest first. */
export async function dueWithdrawals(db: DbOrTx, most: number) {
  const rows = await db
    .selectFrom('withdrawals')
    .select(['id', 'status', 'checks'])
    .where('check_at', '<=', sql<Date>`now()`)
    .orderBy('check_at')
    .limit(most)
    .execute();
  return rows as { id: string; status: WithdrawalStatus; checks: number }[];
}

/**
 * The int2 maximum, which is reached after years of hourly checks. The intervals between checks stop increasing after about a dozen checks.
 */
const MOST_CHECKS = 32_767;

/** Postpones the next check before the current one begins, so that a withdrawal that crashes one worker does not crash all workers. */
export async function postpone(
  db: DbOrTx,
  { id, status, checks }: { id: string; status: WithdrawalStatus; checks: number },
  seconds: number,
): Promise<void> {
  await db
    .updateTable('withdrawals')
    .set({
      checks: Math.min(checks + 1, MOST_CHECKS),
      check_at: sql<Date>`now() + make_interval(secs => ${seconds})`,
    })
    .where('id', '=', id)
    .where('status', '=', status)
    .execute();
}

type Outgoing = {
  userId: number;
  hours: number;
  /** The id of a withdrawal to exclude from the sum. */
  besides?: string;
};

const anyOf = (statuses: readonly WithdrawalStatus[]): RawBuilder<unknown> =>
  // Literals are used because the planner cannot use the partial indexes with parameters.
  sql`status in (${sql.join(statuses.map((status) => sql.lit(status)))})`;

/**
 * Returns the sum in US dollars of a player's withdrawals that are pending or were sent within the last `hours`. Rejected, cancelled and
 * failed withdrawals do not count. Returns null if one of the counted withdrawals has no price. Lock the player first if a decision depends
 * on the sum.
 */
export async function outgoingUsd(db: DbOrTx, { userId, hours, besides }: Outgoing): Promise<Units | null> {
  const { rows } = await sql<{ usd: string; isPriced: boolean }>`
    select coalesce(sum(usd_amount), 0)::text as usd, coalesce(bool_and(is_priced), true) as "isPriced" from (
      select id, usd_amount, is_priced from withdrawals where user_id = ${userId} and ${anyOf(HELD)}
      union all
      select id, usd_amount, is_priced from withdrawals
        where user_id = ${userId} and ${anyOf(GONE)} and asked_at > now() - make_interval(hours => ${hours})
    ) outgoing where id is distinct from ${besides ?? null}::uuid`.execute(db);
  const { usd, isPriced } = rows[0]!;
  return isPriced ? BigInt(usd) : null;
}

/** Returns the number of withdrawals by status. Counts the rows of one user, or reads the stored counters for all users. */
export async function countByStatus(db: DbOrTx, userId?: number): Promise<Map<WithdrawalStatus, number>> {
  const { rows } = await (userId === undefined
    ? sql<Counted>`select status, sum(withdrawals)::int as count from withdrawal_counts group by status`
    : sql<Counted>`select status, count(*)::int as count from withdrawals where user_id = ${userId} group by status`
  ).execute(db);
  return new Map(rows.map(({ status, count }) => [status, count]));
}
type Counted = { status: WithdrawalStatus; count: number };
