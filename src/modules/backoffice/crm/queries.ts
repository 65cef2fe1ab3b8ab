import { type Selectable, sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { CrmCredits } from '../../../platform/database/tables.ts';
import { DAY_SECONDS } from '../../../platform/jobs/purge.ts';
import type { Units } from '../../../platform/money.ts';
import type { Trigger } from './rules.ts';

/** Returns the existing credit for this trigger. The player must be locked. */
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

/** Returns the triggers of these grants, by grant id. Omits grants without a CRM trigger. */
export async function triggersOf(db: DbOrTx, grantIds: readonly string[]): Promise<Map<string, Trigger>> {
  if (grantIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('crm_credits')
    .select(['grant_id', 'refs'])
    .where('grant_id', 'in', grantIds.map(BigInt))
    .execute();
  return new Map(rows.map(({ grant_id, refs }) => [String(grant_id), refs as Trigger]));
}

/** Adds USD to today's total of a player, or of all players (id 0). Returns false if the total would exceed `most`. */
export async function addToDay(
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

/** The limit applies to one day. Older rows are kept for a month, so that complaints can be investigated. */
export const FUNDS_EXPIRY = { table: 'crm_funds_days', after: 'day', keepSeconds: 32 * DAY_SECONDS };
