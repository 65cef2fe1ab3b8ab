import { sql } from 'kysely';
import { accountOf, codeOf, type UserAccount } from '../../../src/modules/money/ledger/rules.ts';
import type { DbOrTx } from '../../../src/platform/database/db.ts';
import type { Units } from '../../../src/platform/money.ts';

/** A change to the balance of one of a player's accounts. `change` is negative if money left the account. */
type StatementRow = {
  /** Posting id. The last row's id is the next page's `beforeId`. */
  id: bigint;
  /** Entry id; for a bet, the bet id. */
  entryId: bigint;
  kind: string;
  currencyId: string;
  account: UserAccount;
  change: Units;
  balanceAfter: Units;
  at: Date;
};

export type StatementQuery = {
  userId: number;
  currencyId?: string | undefined;
  account?: UserAccount | undefined;
  /** Returns only postings with lower ids than this one. */
  beforeId?: bigint | undefined;
  /** The number of postings, not rows. A move between two of the player's accounts is one posting with two rows on the same page. */
  take: number;
};

/**
 * Returns a player's statement, newest first: every change of their accounts with the new balance. It reads by primary key, so the last
 * page costs as much as the first. Excludes postings that touch none of the player's accounts.
 */
export async function listPostings(db: DbOrTx, query: StatementQuery): Promise<StatementRow[]> {
  const { userId, currencyId, account, beforeId, take } = query;
  const code = account === undefined ? undefined : codeOf(account);
  const inCurrency = currencyId === undefined ? sql`true` : sql`currency_id = ${currencyId}`;
  const touching = code === undefined ? sql`least(debit, credit) < 100` : sql`${code} in (debit, credit)`;
  const shown = code === undefined ? sql`side.account < 100` : sql`side.account = ${code}`;
  const before = beforeId === undefined ? sql`true` : sql`id < ${beforeId}`;
  const { rows } = await sql<Omit<StatementRow, 'account'> & { account: number }>`
    select l.id, l.entry_id as "entryId", l.kind, l.currency_id as "currencyId", side.account, side.change,
      side.after as "balanceAfter", l.created_at as at
    from (
      select * from ledger_lines
      where user_id = ${userId} and ${inCurrency} and ${touching} and ${before} order by id desc limit ${take}
    ) l
    cross join lateral (values (l.debit, -l.amount, l.debit_after), (l.credit, l.amount, l.credit_after))
      side(account, change, after)
    where ${shown}
    order by l.id desc, side.change desc`.execute(db);
  return rows.map((row) => ({ ...row, account: accountOf(row.account) as UserAccount }));
}
