import { sql } from 'kysely';
import { type DbOrTx, run, type Tx } from '../../platform/db.ts';
import type { Units } from '../../platform/money.ts';
import { post } from '../ledger/post.ts';

/** A credit in a currency and how much of it there is; `key` names it. */
type Source = { userId: number; currencyId: string; amount: Units; key: string };

/** Notes that a player owes an amount; the ledger's line from `claims` is its caller's. He must be locked. */
export async function addClaim(tx: Tx, { userId, currencyId, amount, key }: Source): Promise<void> {
  await tx
    .insertInto('claims')
    .values({ user_id: userId, currency_id: currencyId, amount, remaining: amount, source_key: key })
    .execute();
}

/** Pays what a player owes in a currency from a credit of this amount, oldest first. Answers how much. He must be locked. */
export async function recoverClaims(tx: Tx, { userId, currencyId, amount, key }: Source): Promise<Units> {
  const open = await tx
    .selectFrom('claims')
    .select(['id', 'remaining'])
    .where('user_id', '=', userId)
    .where('currency_id', '=', currencyId)
    .where('remaining', '>', 0n)
    .orderBy('id')
    .execute();
  let left = amount;
  for (const { id, remaining } of open) {
    const paid = remaining < left ? remaining : left;
    if (paid === 0n) break;
    left -= paid;
    const values = { remaining: remaining - paid, updated_at: sql<Date>`now()` };
    await tx.updateTable('claims').set(values).where('id', '=', id).execute();
  }
  const recovered = amount - left;
  if (recovered === 0n) return 0n;
  const line = { userId, currencyId, kind: 'claim.recovery', debit: 'cash', credit: 'claims' } as const;
  await post(tx, [{ key: `${key}:claims`, kind: line.kind, lines: [{ ...line, amount: recovered }] }]);
  return recovered;
}

/** What a player owes, by currency; nothing for most. */
export async function openClaimsOf(db: DbOrTx, userId: number): Promise<Map<string, Units>> {
  const rows = await run<{ currencyId: string; remaining: bigint }>(db, {
    name: 'claims.open',
    text: `select currency_id as "currencyId", sum(remaining)::int8 as remaining from claims
      where user_id = $1 and remaining > 0 group by 1`,
    values: [userId],
  });
  return new Map(rows.map((row) => [row.currencyId, row.remaining]));
}
