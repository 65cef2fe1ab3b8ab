import { type Selectable, sql, type Updateable } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { SkinDeposits } from '../../../platform/database/tables.ts';

export type SkinDepositRow = Selectable<SkinDeposits>;
export type Change = Omit<Updateable<SkinDeposits>, 'id' | 'user_id' | 'currency_id' | 'created_at'>;

export const findDeposit = (db: DbOrTx, id: string): Promise<SkinDepositRow | undefined> =>
  db.selectFrom('skin_deposits').selectAll().where('id', '=', id).executeTakeFirst();

/** Locks a skin deposit. The player must already be locked. */
export const lockDeposit = (tx: Tx, id: string): Promise<SkinDepositRow> =>
  tx.selectFrom('skin_deposits').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow();

export const findOwner = (db: DbOrTx, transactionId: string) =>
  db
    .selectFrom('skin_deposits')
    .select(['id', 'user_id'])
    .where('transaction_id', '=', transactionId)
    .executeTakeFirst();

export const updateDeposit = (tx: Tx, id: string, change: Change): Promise<SkinDepositRow> =>
  tx
    .updateTable('skin_deposits')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Locks a marketplace's transaction id, so that storing it with a session and applying webhooks about it never run concurrently. */
export async function lockTransaction(tx: Tx, transactionId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`skins:${transactionId}`}, 0))`.execute(tx);
}
