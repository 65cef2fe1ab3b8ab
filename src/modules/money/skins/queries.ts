import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { SkinDeposits } from '../../../platform/database.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';

export type SkinDepositRow = Selectable<SkinDeposits>;
export type Change = Omit<Updateable<SkinDeposits>, 'id' | 'user_id' | 'currency_id' | 'created_at'>;

export const insertDeposit = (tx: Tx, deposit: Insertable<SkinDeposits>): Promise<SkinDepositRow> =>
  tx.insertInto('skin_deposits').values(deposit).returningAll().executeTakeFirstOrThrow();

/** Not locked. */
export const findDeposit = (db: DbOrTx, id: string): Promise<SkinDepositRow | undefined> =>
  db.selectFrom('skin_deposits').selectAll().where('id', '=', id).executeTakeFirst();

/** Its player must be locked. */
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

/** Dollars that a player was credited in advance, whose items are still on hold. The player must be locked. */
export async function outstandingAdvances(tx: Tx, userId: number): Promise<Units> {
  const { sum } = await tx
    .selectFrom('skin_deposits')
    .select(sql<string>`coalesce(sum(credited_usd_amount), 0)`.as('sum'))
    .where('user_id', '=', userId)
    .where('status', '=', 'HOLD_APPROVED')
    .where('credited_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return BigInt(sum);
}

/** Decimals of a currency, also of a disabled one: what was sold has to be paid. */
export async function decimalsOf(db: DbOrTx, currencyId: string): Promise<number> {
  const { decimals } = await db
    .selectFrom('currencies')
    .select('decimals')
    .where('id', '=', currencyId)
    .executeTakeFirstOrThrow();
  return decimals;
}

/** One at a time decides whether a transaction is known: the session that stores it, or a webhook that names it. */
export async function lockTransaction(tx: Tx, transactionId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`skins:${transactionId}`}, 0))`.execute(tx);
}

export async function storeWebhook(tx: Tx, transactionId: string, body: Buffer): Promise<void> {
  await tx.insertInto('skin_notices').values({ transaction_id: transactionId, body }).execute();
}

/** Deletes the stored webhooks about a transaction and answers them in their order. */
export async function deleteStoredWebhooks(tx: Tx, transactionId: string): Promise<Buffer[]> {
  const rows = await tx
    .deleteFrom('skin_notices')
    .where('transaction_id', '=', transactionId)
    .returning(['id', 'body'])
    .execute();
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ body }) => body);
}
