/**
 * npm run bench statement: compares the staff list of ledger postings (the statement) with 10,000 and with 10,000,000 postings, in
 * alternating requests over HTTP. Each request also writes its audit row.
 */
import { type Kysely, sql } from 'kysely';
import type { Db } from '../../src/platform/database/db.ts';
import type { DB } from '../../src/platform/database/tables.ts';
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
import { type Case, caseOf, compareSizes, type House } from '../lists.ts';
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
      open: (house, count) => setMarks(context, house, knownIn(count)),
      cases: CASES,
      rounds,
    }),
});

type Callers = { house: House; known: Known };

/** Stores the positions from which deep pages are read. Otherwise the first requests would do it. */
async function setMarks({ say }: Context, house: House, known: Known): Promise<Callers> {
  const [sizes] = await query(house.db)<{ size: string; brin: string }>`
    select (select pg_size_pretty(sum(pg_total_relation_size(relid))) from pg_partition_tree('ledger_lines')) as size,
      (select pg_size_pretty(sum(pg_relation_size(relid))) from pg_partition_tree('ledger_lines_id_brin')) as brin`;
  say(`${sizes!.size}, of which the BRIN index takes ${sizes!.brin}`);
  say(
    `setting the page marks of all users: ${seconds(await timed(() => house.services.accounting.setMarks()))}`,
  );
  const took = await timed(() => house.post(PATH, { ...LATEST, where: { userId: HEAVY } }));
  say(`setting the page marks of the user who owns a tenth of the postings: ${seconds(took)}`);
  return { house, known };
}

const LATEST = { sortBy: 'createdAt', sortOrder: 'desc', page: 1, take: 20 };

const ask = ({ house }: Callers, body: object) => house.post(PATH, { ...LATEST, ...body });
const listed = (name: string, body: object) => caseOf<Callers>(name, (callers) => ask(callers, body));
const filtered = (name: string, whereOf: (known: Known) => object, more: object = {}) =>
  caseOf<Callers>(name, (callers) => ask(callers, { ...more, where: whereOf(callers.known) }));
/** Requests a page at the same relative position in lists of different lengths. */
const deep = (name: string, share: number, fields: object = {}): Case<Callers> => ({
  name,
  prepare: async (callers) => {
    const { total } = await ask(callers, fields);
    const page = Math.max(1, Math.floor((total / LATEST.take) * share));
    return () => ask(callers, { page, ...fields });
  },
});
const ago = (known: Known, ms: number) => new Date(known.middle.getTime() - ms).toISOString();
const range = (k: Known) => ({ startDate: ago(k, 400 * k.span), endDate: ago(k, 0) });

const CASES: readonly Case<Callers>[] = [
  listed('first page', {}),
  listed('first page, oldest first', { sortOrder: 'asc' }),
  deep('page in the middle', 0.5),
  deep('one of the last pages', 0.99),
  listed('page 50 of 100 rows each', { take: 100, page: 50 }),
  listed('one user, first page', { where: { userId: HEAVY } }),
  deep('one user, page in the middle', 0.5, { where: { userId: HEAVY } }),
  deep('one user, last page', 0.999, { where: { userId: HEAVY } }),
  filtered('one user by name, one type', ({ username }) => ({ username, type: 'DEPOSIT' })),
  listed('one user, frequent type', { where: { userId: HEAVY, type: 'BET' } }),
  listed('another user', { where: { userId: 17 } }),
  listed('another user by amount', { where: { userId: 17 }, sortBy: 'usdAmount' }),
  listed('type, rare', { where: { type: 'DEPOSIT' } }),
  listed('type, rarer', { where: { type: 'ADMIN_ADJUSTMENT' } }),
  listed('type without any', { where: { type: 'CRM_FUNDS' } }),
  listed('unknown type', { where: { type: 'CORRECTION' } }),
  listed('type, frequent', { where: { type: 'BET' } }),
  listed('type, frequent, page 200', { where: { type: 'BET' }, page: 200 }),
  listed('wallet, rare', { where: { wallet: 'VAULT' } }),
  listed('wallet, frequent', { where: { wallet: 'CASH' } }),
  listed('direction', { where: { direction: 'IN' } }),
  listed('currency', { where: { currencyId: 'EUR' } }),
  listed('amounts', { where: { minUsdAmount: '20', maxUsdAmount: '30' } }),
  listed('namespace', { where: { referenceType: 'withdrawal' } }),
  listed('staff', { where: { actorId: 3 } }),
  filtered('range of 400 events', range),
  filtered('half of all time', (k) => ({ endDate: ago(k, 0) })),
  filtered('half of all time, oldest first', (k) => ({ startDate: ago(k, 0) }), { sortOrder: 'asc' }),
  filtered('range and type', (known) => ({ ...range(known), type: 'DEPOSIT' })),
  filtered('one user, range', (k) => ({ userId: HEAVY, endDate: ago(k, 0) })),
  filtered('reference: a deposit', ({ depositId }) => ({ referenceType: 'deposit', referenceId: depositId })),
  filtered('reference: a bet', ({ betId }) => ({ referenceType: 'bet', referenceId: betId })),
  filtered('reference: its id alone', ({ depositId }) => ({ referenceId: depositId })),
  listed('reference to nothing', { where: { referenceType: 'withdrawal', referenceId: 'none' } }),
  filtered('one movement', ({ betId }) => ({ id: `${BigInt(betId) + 1n}-OUT` })),
];

const LINES_AN_EVENT = 1.97;

/** Known values in the inserted postings, for which the benchmark searches. */
type Known = { betId: string; depositId: string; username: string; middle: Date; span: number };

/**
 * Inserts the ledger postings of a casino, spread over a year. In every hundred events 97 are bets with a payout, one is a deposit, one a
 * vault transfer and one a withdrawal request. Every thousandth event is an adjustment by staff. One user owns a tenth of the postings. The
 * database generates the rows itself. Indexes are built afterwards. Balances are arbitrary numbers.
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

async function insertEvents(db: Kysely<DB>, events: Events): Promise<void> {
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
