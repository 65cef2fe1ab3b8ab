import { type Kysely, sql } from 'kysely';
import type { Db } from '../src/platform/database/db.ts';
import type { DB } from '../src/platform/database/tables.ts';
import { fillTable, inRanges, insertPlainUsers } from './fill.ts';

/** The user who owns every tenth posting. */
export const HEAVY = 1;
const LINES_AN_EVENT = 1.97;
const DAYS = 365;

/** Known values in the inserted postings, for which the benchmark searches. */
export type Known = { betId: string; depositId: string; username: string; middle: Date; span: number };

/**
 * Inserts the ledger postings of a casino, spread over a year. In every hundred events 97 are bets with a payout, one is a deposit, one a
 * vault transfer and one a withdrawal request. Every thousandth event is an adjustment by staff. One user owns a tenth of the postings. The
 * database generates the rows itself. Indexes are built afterwards. Balances are arbitrary numbers.
 */
export async function fillLedger(db: Db, lines: number): Promise<Known> {
  const events = Math.round(lines / LINES_AN_EVENT);
  const users = Math.max(20, Math.round(lines / 500));
  await insertPlainUsers(db, users);
  await fillTable(db, 'ledger_lines', () =>
    fillTable(db, 'ledger_entries', (one) =>
      inRanges(1, events, (range) => insertEvents(one, { ...range, events, users })),
    ),
  );
  const last = 1024n * BigInt(2 + Math.floor(events / 8));
  await sql`select setval('ledger_ids', ${last}::int8)`.execute(db);
  await sql`vacuum analyze`.execute(db);
  const middle = Math.floor(events / 200) * 100;
  return {
    betId: String(idOf(middle + 50)),
    depositId: `BTC:tx${middle}:0`,
    username: `user${HEAVY}`,
    middle: new Date(Date.now() - (DAYS / 2) * 86_400_000),
    span: (DAYS * 86_400_000) / events,
  };
}

const idOf = (event: number): bigint => 1024n * BigInt(1 + Math.floor(event / 8)) + BigInt((event % 8) * 3);

async function insertEvents(
  db: Kysely<DB>,
  { from, to, events, users }: { from: number; to: number; events: number; users: number },
): Promise<void> {
  const made = sql`(
    select e, id, at, kind, case when hash % 10 = 0 then ${HEAVY}::int else 2 + hash % (${users}::int - 1) end as user_id, 1e8::int8 * (1 + hash % 50) as amount,
      (array['USDT', 'USDT', 'USDT', 'USDT', 'USDT', 'USDT', 'BTC', 'BTC', 'ETH', 'EUR'])[1 + hash / 16 % 10] as currency_id
    from (
      select e, 1024::int8 * (1 + e / 8) + e % 8 * 3 as id, now() - interval '1 day' * ${DAYS}::int * (1 - e / ${events}::float8) as at,
        (e::int8 * 2654435761 >> 9) & 65535 as hash,
        case when e % 1000 = 3 then 'admin.adjustment' when e % 100 = 0 then 'deposit' when e % 100 = 1 then 'vault.to'
          when e % 100 = 2 then 'withdraw.hold' else 'bet.stake' end as kind
      from generate_series(${from}::int, ${to}::int) e
    ) event)`;
  await sql`
    insert into ledger_lines (id, entry_id, amount, debit_after, credit_after, created_at, user_id, debit, credit, currency_id, kind)
    select id + 1, id, amount, case when kind <> 'deposit' then amount * 3 end,
      case kind when 'deposit' then amount when 'vault.to' then amount when 'withdraw.hold' then amount end, at, user_id,
      case when kind = 'deposit' then 108 else 1 end,
      case kind when 'bet.stake' then 100 when 'deposit' then 1 when 'vault.to' then 2 when 'withdraw.hold' then 4 else 109 end, currency_id, kind
    from ${made} made
    union all
    select id + 2, id, amount, null, amount * 4, at, user_id, 100, 1, currency_id, 'bet.payout' from ${made} made where kind = 'bet.stake'
    order by 1`.execute(db);
  await sql`
    insert into ledger_entries (id, key, input_hash, kind, actor_id, memo, created_at)
    select id, case kind when 'deposit' then 'deposit:BTC:tx' || e || ':0' when 'vault.to' then 'vault:' || md5(e::text)
        when 'withdraw.hold' then 'withdrawal:' || md5(e::text) || ':hold:1' else 'adjustment:' || md5(e::text) end,
      '', kind, case kind when 'admin.adjustment' then 3 when 'vault.to' then user_id end, null, at
    from ${made} made where kind <> 'bet.stake' order by id`.execute(db);
  await sql`
    insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id, settled_at)
    select id, amount, amount, amount, amount, 1e12, user_id, 1, 'SETTLED', currency_id, at from ${made} made
    where kind = 'bet.stake' and e % 50 = 0 or e % 100 = 50 order by id`.execute(db);
}
