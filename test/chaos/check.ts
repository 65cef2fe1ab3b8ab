import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/db.ts';
import { formatUnits, units } from '../../src/platform/money.ts';

/** The sandbox's books: coins received and payouts sent. */
export type Books = {
  deposits: { txHash: string; outputIndex: number; currencyId: string; amount: string; status: string }[];
  payouts: { reference: string; currencyId: string; amount: string; status: string }[];
};

const isPaid = (status: string) => status === 'SENT' || status === 'COMPLETED';

/** Returns all differences between the provider's books and ours. */
export async function compareBooks(db: Db, books: Books): Promise<string[]> {
  return [...(await payouts(db, books)), ...(await deposits(db, books)), ...(await treasury(db, books))];
}

async function payouts(db: Db, books: Books): Promise<string[]> {
  const { rows } = await sql<{ id: string; status: string; net: bigint }>`
    select id::text, status, amount - fee as net from withdrawals`.execute(db);
  const ours = new Map(rows.map((row) => [row.id, row]));
  const paid = Map.groupBy(
    books.payouts.filter(({ status }) => isPaid(status)),
    ({ reference }) => reference.split('.')[0]!,
  );
  const problems: string[] = [];
  for (const [id, all] of paid) {
    const row = ours.get(id);
    if (all.length > 1) problems.push(`withdrawal ${id} was paid ${all.length} times`);
    if (!row || !isPaid(row.status)) problems.push(`${id} was paid and is ${row?.status ?? 'not there'}`);
    else if (row.net !== units(all[0]!.amount))
      problems.push(`${id}: paid ${all[0]!.amount}, ours ${formatUnits(row.net)}`);
  }
  for (const { id, status } of rows)
    if (isPaid(status) && !paid.has(id)) problems.push(`withdrawal ${id} is ${status} and was not paid`);
  return problems;
}

async function deposits(db: Db, books: Books): Promise<string[]> {
  const { rows } = await sql<{ name: string; status: string; amount: bigint }>`
    select lower(tx_hash) || ':' || output_index as name, status, amount from deposits where tx_hash is not null`.execute(
    db,
  );
  const ours = Map.groupBy(rows, ({ name }) => name);
  return books.deposits.flatMap(({ txHash, outputIndex, amount, status }) => {
    const name = `${txHash.toLowerCase()}:${outputIndex}`;
    const found = ours.get(name) ?? [];
    const credited = found.filter((row) => row.status === 'COMPLETED');
    if (credited.length > 1) return [`deposit ${name} was credited ${credited.length} times`];
    if (status === 'COMPLETED' && credited.length === 0)
      return [
        `deposit ${name} is final and ours is ${found.map((row) => row.status).join(' ') || 'not there'}`,
      ];
    if (status !== 'COMPLETED' && credited.length > 0)
      return [`deposit ${name} is ${status} and was credited`];
    if (credited[0] && credited[0].amount !== units(amount)) return [`deposit ${name}: another amount`];
    return [];
  });
}

/** Expects the coins received minus the coins sent to equal the treasury's liability exactly. */
async function treasury(db: Db, books: Books): Promise<string[]> {
  const { rows } = await sql<{ currency: string; net: bigint }>`
    select currency_id as currency, sum(case when a.name = 'treasury' then amount else -amount end)::int8 as net
    from (
      select currency_id, debit as account, amount from ledger_lines where debit = 108
      union all select currency_id, 0, amount from ledger_lines where credit = 108
    ) l left join ledger_accounts a on a.code = l.account
    group by 1`.execute(db);
  const net = new Map<string, bigint>();
  for (const { currencyId, amount, status } of books.deposits)
    if (status === 'COMPLETED') net.set(currencyId, (net.get(currencyId) ?? 0n) + units(amount));
  for (const { currencyId, amount, status } of books.payouts)
    if (isPaid(status)) net.set(currencyId, (net.get(currencyId) ?? 0n) - units(amount));
  const ours = new Map(rows.map((row) => [row.currency, row.net]));
  const all = new Set([...net.keys(), ...ours.keys()]);
  return [...all].flatMap((currency) => {
    const [theirs, own] = [net.get(currency) ?? 0n, ours.get(currency) ?? 0n];
    return theirs === own
      ? []
      : [`${currency}: the provider holds ${formatUnits(theirs)}, the ledger says ${formatUnits(own)}`];
  });
}
