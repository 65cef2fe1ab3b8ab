/** npm run bench statement: compares the statement (the list of postings that staff see) for a short ledger and a long one. */
import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/db.ts';
import {
  DAYS,
  type Events,
  fillTable,
  HEAVY,
  idOf,
  inRanges,
  insertPlainUsers,
  selectEvents,
  skipIds,
} from '../fill.ts';
import { type Case, compareSizes, type House } from '../lists.ts';
import { seconds, timed } from '../report.ts';
import { type Context, defineSuite } from '../suite.ts';
import { query } from '../world.ts';

const SMALL = 10_000;
const PATH = '/admin/accounting/transactions';

export const statement = defineSuite({
  about: 'the staff list of ledger postings',
  options: {
    lines: [10_000_000, 'ledger postings of the long ledger'],
    rounds: [60, 'how often each read is measured'],
  },
  run: (context, { lines, rounds }) =>
    compareSizes(context, {
      sizes: { short_ledger: SMALL, long_ledger: lines },
      fill: fillLedger,
      cases: (house, count) => casesOf(context, house, count),
      rounds,
    }),
});

const LATEST = { sortBy: 'createdAt', sortOrder: 'desc', page: 1, take: 20 };
const OF_ONE_USER = { where: { userId: HEAVY } };

async function casesOf({ say }: Context, { db, services, staff }: House, lines: number): Promise<Case[]> {
  const [sizes] = await query(db)<{ size: string; brin: string }>`
    select (select pg_size_pretty(sum(pg_total_relation_size(relid))) from pg_partition_tree('ledger_lines')) as size,
      (select pg_size_pretty(sum(pg_relation_size(relid))) from pg_partition_tree('ledger_lines_id_brin')) as brin`;
  say(`${sizes!.size}, of which the BRIN index takes ${sizes!.brin}`);
  const ask = (body: object) => staff(PATH, { ...LATEST, ...body });
  // Stores the positions from which deep pages are read. Otherwise the first requests would do it.
  const [all, ofOne] = [
    await timed(() => services.accounting.setMarks()),
    await timed(() => ask(OF_ONE_USER)),
  ];
  say(`setting the page marks of all users: ${seconds(all)}`);
  say(`setting the page marks of the user who owns a tenth of the postings: ${seconds(ofOne)}`);
  /** Returns the page at this relative position, because the lists have different lengths. */
  const pageAt = async (share: number, body: object = {}) => {
    const { total } = await ask(body);
    return { ...body, page: Math.max(1, Math.floor((total / LATEST.take) * share)) };
  };
  const known = knownIn(lines);
  const bodies = {
    'first page': {},
    'first page, oldest first': { sortOrder: 'asc' },
    'page in the middle': await pageAt(0.5),
    'one of the last pages': await pageAt(0.99),
    'page 50 of 100 rows each': { take: 100, page: 50 },
    'one user, first page': OF_ONE_USER,
    'one user, page in the middle': await pageAt(0.5, OF_ONE_USER),
    'one user, last page': await pageAt(0.999, OF_ONE_USER),
    'another user by amount': { where: { userId: 17 }, sortBy: 'usdAmount' },
    'half of all time, oldest first': { where: { startDate: known.middle.toISOString() }, sortOrder: 'asc' },
    'type, frequent, page 200': { where: { type: 'BET' }, page: 200 },
    ...Object.fromEntries(Object.entries(filtersOf(known)).map(([name, where]) => [name, { where }])),
  };
  return Object.entries(bodies).map(([name, body]) => [name, () => ask(body)]);
}

function filtersOf({ betId, depositId, username, middle, span }: Known): Readonly<Record<string, object>> {
  const halfTime = middle.toISOString();
  const range = { startDate: new Date(middle.getTime() - 400 * span).toISOString(), endDate: halfTime };
  return {
    'one user by name, one type': { username, type: 'DEPOSIT' },
    'one user, frequent type': { userId: HEAVY, type: 'BET' },
    'one user, range': { userId: HEAVY, endDate: halfTime },
    'another user': { userId: 17 },
    'type, rare': { type: 'DEPOSIT' },
    'type, rarer': { type: 'ADMIN_ADJUSTMENT' },
    'type without any': { type: 'CRM_FUNDS' },
    'unknown type': { type: 'CORRECTION' },
    'type, frequent': { type: 'BET' },
    'wallet, rare': { wallet: 'VAULT' },
    'wallet, frequent': { wallet: 'CASH' },
    direction: { direction: 'IN' },
    currency: { currencyId: 'EUR' },
    amounts: { minUsdAmount: '20', maxUsdAmount: '30' },
    namespace: { referenceType: 'withdrawal' },
    staff: { actorId: 3 },
    'range of 400 events': range,
    'half of all time': { endDate: halfTime },
    'range and type': { ...range, type: 'DEPOSIT' },
    'reference: a deposit': { referenceType: 'deposit', referenceId: depositId },
    'reference: a bet': { referenceType: 'bet', referenceId: betId },
    'reference: its id alone': { referenceId: depositId },
    'reference to nothing': { referenceType: 'withdrawal', referenceId: 'none' },
    'one movement': { id: `${BigInt(betId) + 1n}-OUT` },
  };
}

const LINES_AN_EVENT = 1.97;

/** Known values in the inserted postings, for which the benchmark searches. */
type Known = { betId: string; depositId: string; username: string; middle: Date; span: number };

/**
 * Inserts the ledger postings of a casino. In every hundred events 97 are bets with a payout, one is a deposit, one a vault transfer and one a
 * withdrawal request. Every thousandth event is an adjustment by staff. Balances are arbitrary numbers.
 */
async function fillLedger(db: Db, lines: number): Promise<void> {
  const events = Math.round(lines / LINES_AN_EVENT);
  const users = Math.max(20, Math.round(lines / 500));
  await insertPlainUsers(db, users);
  await fillTable(db, 'ledger_lines', () =>
    fillTable(db, 'ledger_entries', (one) =>
      inRanges(1, events, (range) => insertEvents(one, { ...range, events, users })),
    ),
  );
  await skipIds(db, events);
  await query(db)`vacuum analyze`;
}

function knownIn(lines: number): Known {
  const events = Math.round(lines / LINES_AN_EVENT);
  const middle = Math.floor(events / 200) * 100;
  return {
    betId: String(idOf(middle + 50)),
    depositId: `BTC:tx${middle}:0`,
    username: `user${HEAVY}`,
    middle: new Date(Date.now() - (DAYS / 2) * 86_400_000),
    span: (DAYS * 86_400_000) / events,
  };
}

async function insertEvents(db: Db, events: Events): Promise<void> {
  const made = sql`(
    select *, case when e % 1000 = 3 then 'admin.adjustment' when e % 100 = 0 then 'deposit' when e % 100 = 1 then 'vault.to'
      when e % 100 = 2 then 'withdraw.hold' else 'bet.stake' end as kind
    from ${selectEvents(events)} event)`;
  await query(db)`
    insert into ledger_lines (id, entry_id, amount, debit_after, credit_after, created_at, user_id, debit, credit, currency_id, kind)
    select id + 1, id, amount, case when kind <> 'deposit' then amount * 3 end,
      case kind when 'deposit' then amount when 'vault.to' then amount when 'withdraw.hold' then amount end, at, user_id,
      case when kind = 'deposit' then 108 else 1 end,
      case kind when 'bet.stake' then 100 when 'deposit' then 1 when 'vault.to' then 2 when 'withdraw.hold' then 4 else 109 end, currency_id, kind
    from ${made} made
    union all
    select id + 2, id, amount, null, amount * 4, at, user_id, 100, 1, currency_id, 'bet.payout' from ${made} made where kind = 'bet.stake'
    order by 1`;
  await query(db)`
    insert into ledger_entries (id, key, input_hash, kind, actor_id, memo, created_at)
    select id, case kind when 'deposit' then 'deposit:BTC:tx' || e || ':0' when 'vault.to' then 'vault:' || md5(e::text)
        when 'withdraw.hold' then 'withdrawal:' || md5(e::text) || ':hold:1' else 'adjustment:' || md5(e::text) end,
      '', kind, case kind when 'admin.adjustment' then 3 when 'vault.to' then user_id end, null, at
    from ${made} made where kind <> 'bet.stake' order by id`;
  await query(db)`
    insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id, settled_at)
    select id, amount, amount, amount, amount, 1e12, user_id, 1, 'SETTLED', currency_id, at from ${made} made
    where kind = 'bet.stake' and e % 50 = 0 or e % 100 = 50 order by id`;
}
