import { type Selectable, sql, type Updateable } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import type { Deposits as DepositsTable } from '../../../../platform/database/tables.ts';
import type { DepositStatus } from './rules.ts';

export type StatusChange = { status: DepositStatus; at: string; reason: string | null };
export type DepositRow = Omit<Selectable<DepositsTable>, 'status' | 'status_history'> & {
  status: DepositStatus;
  status_history: StatusChange[];
};
export type DepositChanges = Omit<Updateable<DepositsTable>, 'status' | 'status_history'>;

const asRow = (row: Selectable<DepositsTable> | undefined) => row as DepositRow | undefined;

export async function lockDeposit(tx: Tx, id: string): Promise<DepositRow> {
  const row = await tx
    .selectFrom('deposits')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return asRow(row)!;
}

/** Locks the later deposits of a payment whose amount was increased, oldest first. */
export async function lockChildren(tx: Tx, parentId: string): Promise<DepositRow[]> {
  const rows = await tx
    .selectFrom('deposits')
    .selectAll()
    .where('parent_id', '=', parentId)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows as DepositRow[];
}

/**
 * Updates a deposit and adds a new status to the history. The version is incremented with every change to a field that staff decisions
 * depend on: status, owner, amount and reasons.
 */
export async function updateDeposit(
  tx: Tx,
  id: string,
  { change, ...values }: DepositChanges & { change?: StatusChange },
): Promise<DepositRow> {
  const grown = change && {
    status: change.status,
    status_history: sql<string>`status_history || ${JSON.stringify([change])}::jsonb`,
  };
  const row = await tx
    .updateTable('deposits')
    .set({ ...values, ...grown, version: nextVersion(values, change), updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return asRow(row)!;
}

function nextVersion({ user_id, amount, review_reason }: DepositChanges, change: StatusChange | undefined) {
  const isOther = sql<boolean>`${change !== undefined}
    or (${user_id !== undefined} and user_id is distinct from ${(user_id as number | null) ?? null}::int4)
    or (${amount !== undefined} and amount is distinct from ${(amount as bigint | undefined) ?? null}::int8)
    or (${review_reason !== undefined} and review_reason is distinct from ${(review_reason as string | null) ?? null}::text)`;
  return sql<number>`version + (${isOther})::int`;
}

export async function readDeposit(db: DbOrTx, id: string): Promise<DepositRow | undefined> {
  return asRow(await db.selectFrom('deposits').selectAll().where('id', '=', id).executeTakeFirst());
}
