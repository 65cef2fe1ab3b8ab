import { type Selectable, sql, type Updateable } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import type { DepositReturns, DepositReviews } from '../../../../platform/database/tables.ts';
import type { Action, ReturnStatus } from './rules.ts';

export type ReviewRow = Omit<Selectable<DepositReviews>, 'action' | 'state'> & {
  action: Action;
  state: 'PROPOSED' | 'DONE' | 'REJECTED' | 'LAPSED';
};
export type ReturnRow = Omit<Selectable<DepositReturns>, 'status'> & { status: ReturnStatus };

export const updateReview = async (
  tx: Tx,
  id: string,
  change: Updateable<DepositReviews>,
): Promise<ReviewRow> =>
  (await tx
    .updateTable('deposit_reviews')
    .set({ ...change, decided_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()) as ReviewRow;

/** Returns the open proposal about a deposit. The deposit must be locked. */
export const findOpen = async (tx: Tx, depositId: string): Promise<ReviewRow | undefined> =>
  (await tx
    .selectFrom('deposit_reviews')
    .selectAll()
    .where('deposit_id', '=', depositId)
    .where('state', '=', 'PROPOSED')
    .executeTakeFirst()) as ReviewRow | undefined;

/** Ends proposals that were not approved in time. */
export async function lapseExpired(db: DbOrTx, depositId?: string): Promise<void> {
  await db
    .updateTable('deposit_reviews')
    .set({ state: 'LAPSED', decided_at: sql<Date>`now()` })
    .where('state', '=', 'PROPOSED')
    .where('expires_at', '<=', sql<Date>`now()`)
    .$if(depositId !== undefined, (q) => q.where('deposit_id', '=', depositId!))
    .execute();
}

export const reviewsOf = async (db: DbOrTx, depositIds: readonly string[]): Promise<ReviewRow[]> =>
  (await db
    .selectFrom('deposit_reviews')
    .selectAll()
    .where('deposit_id', '=', sql<string>`any(${[...depositIds]}::uuid[])`)
    .orderBy('created_at', 'desc')
    .execute()) as ReviewRow[];

export const updateReturn = async (
  tx: Tx,
  reference: string,
  change: Updateable<DepositReturns>,
): Promise<ReturnRow> =>
  (await tx
    .updateTable('deposit_returns')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('reference', '=', reference)
    .returningAll()
    .executeTakeFirstOrThrow()) as ReturnRow;
