import { sql } from 'kysely';
import { accountOf, codeOf, type UserAccount } from '../../src/modules/money/ledger/accounts.ts';
import type { DbOrTx } from '../../src/platform/db.ts';
import type { Units } from '../../src/platform/money.ts';

/** What happened to one of a player's accounts: `change` is negative when money left it. */
type StatementRow = {
  /** Id of the posting: the last row's is the next page's `beforeId`. */
  id: bigint;
  /** Id of the entry; a bet's is the bet's. */
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
  /** Only postings before this one. */
  beforeId?: bigint | undefined;
  /** Postings, not rows: a move between two accounts of the player is one posting and two rows, on the same page. */
  take: number;
};

/**
 * A player's statement, newest first: every change of their accounts with the balance it left. Read through the primary
 * key, so that the last page costs what the first does. Postings that touch none of their accounts (what the platform
 * notes about them) are no part of it.
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
