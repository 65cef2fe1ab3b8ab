import { type Selectable, sql } from 'kysely';
import type { CrmCredits } from '../../../platform/database.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { Trigger } from './rules.ts';

export async function consentsOf(db: DbOrTx, userId: number): Promise<Map<string, boolean>> {
  const rows = await db
    .selectFrom('consents')
    .select(['type', 'opted_in'])
    .where('user_id', '=', userId)
    .execute();
  return new Map(rows.map(({ type, opted_in }) => [type, opted_in]));
}

/** In the order of types, so that two of them never wait for each other. */
export async function storeConsent(
  tx: Tx,
  userId: number,
  { type, isOptedIn }: { type: string; isOptedIn: boolean },
): Promise<void> {
  await sql`insert into consents (user_id, type, opted_in) values (${userId}, ${type}, ${isOptedIn})
    on conflict (user_id, type) do update set opted_in = excluded.opted_in, updated_at = now()`.execute(tx);
}

export async function setEmailConsent(tx: Tx, userId: number, isOptedIn: boolean): Promise<void> {
  await tx
    .updateTable('users')
    .set({ is_email_notifications_enabled: isOptedIn, updated_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .execute();
}

/** What a trigger has credited before. The player must be locked. */
export const findCredit = (tx: Tx, hash: Buffer): Promise<Selectable<CrmCredits> | undefined> =>
  tx.selectFrom('crm_credits').selectAll().where('hash', '=', hash).executeTakeFirst();

type NewCredit = {
  hash: Buffer;
  userId: number;
  content: Buffer;
  trigger: Trigger;
} & ({ grantId: bigint } | { entryId: bigint });

export async function insertCredit(
  tx: Tx,
  { hash, userId, content, trigger, ...of }: NewCredit,
): Promise<void> {
  await tx
    .insertInto('crm_credits')
    .values({
      hash,
      user_id: userId,
      content,
      grant_id: 'grantId' in of ? of.grantId : null,
      entry_id: 'entryId' in of ? of.entryId : null,
      refs: JSON.stringify(trigger),
    })
    .execute();
}

/** How the CRM names what has triggered these grants, by their ids; those of others are missing. */
export async function triggersOf(db: DbOrTx, grantIds: readonly string[]): Promise<Map<string, Trigger>> {
  if (grantIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('crm_credits')
    .select(['grant_id', 'refs'])
    .where('grant_id', 'in', grantIds.map(BigInt))
    .execute();
  return new Map(rows.map(({ grant_id, refs }) => [String(grant_id), refs as Trigger]));
}

/** Counts dollars that are credited today to a player (0: to anybody). False: with them it would be more than `most`. */
export async function takeFunds(
  tx: Tx,
  { userId, usdAmount, most }: { userId: number; usdAmount: Units; most: Units },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into crm_funds_days as d (day, user_id, usd_amount)
    select (now() at time zone 'UTC')::date, ${userId}, ${usdAmount}::int8 where ${usdAmount}::int8 <= ${most}::int8
    on conflict (day, user_id) do update set usd_amount = d.usd_amount + excluded.usd_amount
      where d.usd_amount + excluded.usd_amount <= ${most}::int8`.execute(tx);
  return numAffectedRows === 1n;
}

/** Days that are over say nothing any more. */
export async function purgeFunds(db: DbOrTx): Promise<void> {
  await sql`delete from crm_funds_days where day < (now() at time zone 'UTC')::date - 31`.execute(db);
}
