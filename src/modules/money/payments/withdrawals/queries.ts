import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { WithdrawalBlocks, Withdrawals } from '../../../../platform/database.ts';
import type { DbOrTx, Tx } from '../../../../platform/db.ts';
import type { Units } from '../../../../platform/money.ts';
import { GONE, HELD, type WithdrawalStatus } from './rules.ts';

/** `reason`: of a hold, a refusal or a failure. */
export type HistoryStep = { status: WithdrawalStatus; at: string; reason: string | null };
export type WithdrawalRow = Omit<Selectable<Withdrawals>, 'status' | 'status_history'> & {
  status: WithdrawalStatus;
  status_history: HistoryStep[];
};
export type Changes = Omit<Updateable<Withdrawals>, 'id' | 'status' | 'status_history' | 'user_id'>;
export type BlockRow = Selectable<WithdrawalBlocks>;

const asRow = (row: Selectable<Withdrawals> | undefined) => row as WithdrawalRow | undefined;

export const findWithdrawal = async (db: DbOrTx, id: string): Promise<WithdrawalRow | undefined> =>
  asRow(await db.selectFrom('withdrawals').selectAll().where('id', '=', id).executeTakeFirst());

/** Its player must be locked. */
export const lockRow = async (tx: Tx, id: string): Promise<WithdrawalRow | undefined> =>
  asRow(await tx.selectFrom('withdrawals').selectAll().where('id', '=', id).forUpdate().executeTakeFirst());

export async function insertWithdrawal(tx: Tx, row: Insertable<Withdrawals>): Promise<WithdrawalRow> {
  return asRow(
    await tx.insertInto('withdrawals').values(row).returningAll().executeTakeFirst(),
  ) as WithdrawalRow;
}

/** What a withdrawal is judged by that hangs on the player alone. */
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
  /** Asked for since the UTC day began and not given back. */
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
 * When a player first asked for something to this recipient that was not taken back: what its owner or staff has stopped makes an
 * address no older. Where only the memo differs it is another one.
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

/** What the worker has to look at, longest waiting first. */
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

/** Puts the next look off before this one begins, so that what kills a worker does not kill every one. */
export async function postpone(
  db: DbOrTx,
  { id, status, checks }: { id: string; status: WithdrawalStatus; checks: number },
  seconds: number,
): Promise<void> {
  await db
    .updateTable('withdrawals')
    .set({ checks: checks + 1, check_at: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .where('id', '=', id)
    .where('status', '=', status)
    .execute();
}

type Outgoing = {
  userId: number;
  hours: number;
  /** A withdrawal to leave out of the sum. */
  besides?: string;
};

const anyOf = (statuses: readonly WithdrawalStatus[]): RawBuilder<unknown> =>
  // Literals, because parameters would keep the partial indexes from being used.
  sql`status in (${sql.join(statuses.map((status) => sql.lit(status)))})`;

/**
 * The sum of a player's withdrawals in dollars: those that have left within the last hours, and all that may still leave, whenever they
 * were requested. What was given back (rejected, cancelled, failed) does not count. Null: one of them has no price. The player must be
 * locked where the sum decides something.
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

export type ListOrder = {
  sortBy: 'createdAt' | 'usdAmount';
  sortOrder: 'asc' | 'desc';
  take: number;
  offset: number;
};
type Filter = { userId?: number | undefined; statuses?: readonly WithdrawalStatus[] | undefined };
const COLUMNS = { createdAt: 'created_at', usdAmount: 'usd_amount' } as const;

export async function listWithdrawals(
  db: DbOrTx,
  { userId, statuses }: Filter,
  { sortBy, sortOrder, take, offset }: ListOrder,
): Promise<WithdrawalRow[]> {
  const rows = await db
    .selectFrom('withdrawals')
    .selectAll()
    .$if(userId !== undefined, (q) => q.where('user_id', '=', userId!))
    .$if(statuses !== undefined, (q) => q.where('status', 'in', [...statuses!]))
    .orderBy(COLUMNS[sortBy], sortOrder)
    .orderBy('id', sortOrder)
    .limit(take)
    .offset(offset)
    .execute();
  return rows as WithdrawalRow[];
}

/** How many there are in each status: counted for one user, from the stored counters for all. */
export async function countByStatus(db: DbOrTx, userId?: number): Promise<Map<WithdrawalStatus, number>> {
  const { rows } = await (userId === undefined
    ? sql<Counted>`select status, sum(withdrawals)::int as count from withdrawal_counts group by status`
    : sql<Counted>`select status, count(*)::int as count from withdrawals where user_id = ${userId} group by status`
  ).execute(db);
  return new Map(rows.map(({ status, count }) => [status, count]));
}
type Counted = { status: WithdrawalStatus; count: number };

// ---------------------------------------------------------------- blocks

/** The block in force. */
export const findBlock = (db: DbOrTx, userId: number): Promise<BlockRow | undefined> =>
  db
    .selectFrom('withdrawal_blocks')
    .selectAll()
    .where('user_id', '=', userId)
    .where('lifted_at', 'is', null)
    .where((eb) => eb.or([eb('block_until', 'is', null), eb('block_until', '>', sql<Date>`now()`)]))
    .executeTakeFirst();

/** Ends whatever block there is, in force or over. */
export const endBlock = (tx: Tx, userId: number, by: number): Promise<BlockRow | undefined> =>
  tx
    .updateTable('withdrawal_blocks')
    .set({ lifted_at: sql<Date>`now()`, lifted_by: by, updated_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('lifted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

export const insertBlock = (tx: Tx, row: Insertable<WithdrawalBlocks>): Promise<BlockRow> =>
  tx.insertInto('withdrawal_blocks').values(row).returningAll().executeTakeFirstOrThrow();
