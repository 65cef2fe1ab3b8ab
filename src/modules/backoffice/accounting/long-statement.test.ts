import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { postingsOf } from '../../../../test/kit/money/postings.ts';
import { transaction } from '../../../platform/database/db.ts';
import { EVERYBODY, MARK_EVERY } from '../../../platform/list/marked-list.ts';
import { createMarks } from '../../../platform/list/marks.ts';
import { ONE } from '../../../platform/money.ts';
import type { Kind } from '../../money/ledger/kinds.ts';
import { MOVEMENTS } from '../../money/ledger/marked-list.ts';
import { post } from '../../money/ledger/post.ts';
import { createStatement } from './service.ts';

const LINES = 24_000;
let players: number[];
/** All movements in the table, oldest first. */
let all: Row[];

type Row = {
  id: string;
  userId: number;
  type: string;
  currencyId: string;
  at: Date;
};

const app = fixture(() => startApp({ reconcileOnStop: false }), 120_000);
const boss = fixture(() => app.as('superadmin'), 120_000);
beforeAll(async () => {
  players = [];
  for (let i = 0; i < 4; i++) players.push((await app.newPlayer()).id);
  await makePostings();
  await app.services.accounting.setMarks();
  all = await everything();
}, 240_000);

/**
 * Creates postings, most of them for one user. Ids have gaps, each posting creates zero to two movements, and one early posting has a
 * unique kind.
 */
async function makePostings(): Promise<void> {
  await sql`alter sequence ledger_ids restart with ${sql.lit(1024 * 1_000_000)}`.execute(app.db);
  await sql`
    insert into ledger_lines (id, entry_id, amount, debit_after, credit_after, created_at, user_id, debit, credit, currency_id, kind)
    select 100000 + n * 3 + n / 5000 * 100000, n, 1e8, case when kind not in ('deposit', 'house.fee') then 1e8 end,
      case when kind in ('bet.payout', 'deposit', 'vault.to') then 2e8 end, now() - interval '40 days' + n * interval '25 seconds',
      case when platform then 0 else (${players}::int[])[case when n % 10 < 7 then 1 else 2 + n % 3 end] end,
      case when platform or kind = 'deposit' then 100 else 1 end,
      case when platform then 101 when kind = 'vault.to' then 2 when kind = 'deposit' then 1 else 100 end,
      case when n % 50 = 0 then 'BTC' when n = 701 then 'EUR' else 'USDT' end, kind
    from (select n, n % 97 = 0 as platform, case when n % 97 = 0 then 'house.fee' when n % 13 = 0 then 'vault.to' when n % 400 = 1 then 'deposit'
      else 'bet.stake' end as kind from generate_series(1, ${LINES}::int) n) posting`.execute(app.db);
  await sql`analyze ledger_lines`.execute(app.db);
}

async function everything(): Promise<Row[]> {
  const { rows } = await sql<Row & { id: bigint; kind: string; debit: number; credit: number }>`
    select id, user_id as "userId", currency_id as "currencyId", created_at as at, kind, debit, credit from ledger_lines order by id`.execute(
    app.db,
  );
  const types: Record<string, string> = { 'bet.stake': 'BET', 'vault.to': 'TO_VAULT', deposit: 'DEPOSIT' };
  return rows.flatMap(({ id, kind, debit, credit, ...row }) => {
    const of = (way: string): Row => ({ ...row, id: `${id}-${way}`, type: types[kind] ?? 'CORRECTION' });
    return [...(debit < 100 ? [of('OUT')] : []), ...(credit < 100 ? [of('IN')] : [])];
  });
}

const find = async (body: object) => {
  const plain = { sortBy: 'createdAt', sortOrder: 'desc', page: 1, take: 100 };
  const { status, body: answer } = await boss.call('POST', '/admin/accounting/transactions', {
    body: { ...plain, ...body },
  });
  return { status, ids: (answer.data ?? []).map((row: Row) => row.id) as string[], ...answer };
};
const idsOf = (rows: readonly Row[]) => rows.map((row) => row.id);

const book = (userId: number) =>
  transaction(app.services.db, (tx) => {
    const postings = [postingsOf('test')(userId, 'house', 'cash', ONE)];
    return post(tx, [{ key: `test:${randomUUID()}`, kind: 'test', postings }]);
  });

const WHOSE: [name: string, where: () => { userId: number } | undefined][] = [
  ['all users', () => undefined],
  ['the user with the most movements', () => ({ userId: players[0]! })],
  ['another user', () => ({ userId: players[1]! })],
];

describe.each(WHOSE)('the statement of %s', (_, whereOf) => {
  test.each(['asc', 'desc'] as const)(
    '%s: returns exact pages at the start, middle and end, before and after new postings',
    async (sortOrder) => {
      const where = whereOf();
      for (let round = 0; round < 2; round++) {
        const due = all.filter((row) => !where || row.userId === where.userId);
        if (sortOrder === 'desc') due.reverse();
        const last = Math.ceil(due.length / 100);
        for (const page of [1, 2, 20, 21, Math.ceil(last / 2), last - 21, last, last + 1]) {
          const shown = await find({ where, sortOrder, page });
          expect(shown.ids, `page ${page}`).toEqual(idsOf(due.slice((page - 1) * 100, page * 100)));
          expect(shown.total).toBe(due.length);
        }
        const userId = players[round]!;
        const [posted] = await book(userId);
        const id = `${posted!.entryId + 1n}-IN`;
        all.push({ id, userId, type: 'CORRECTION', currencyId: 'USDT', at: posted!.at });
      }
    },
  );
});

describe('marks', () => {
  const marksOf = (scope: number) =>
    app.db.selectFrom('ledger_marks').selectAll().where('user_id', '=', scope).orderBy('rows').execute();
  const rowsBelow = async (scope: number, id: bigint) => {
    const rows = all.filter((row) => scope === EVERYBODY || row.userId === scope);
    return rows.filter((row) => BigInt(row.id.split('-')[0]!) < id).length;
  };

  test('stores a page mark at every 2,000th movement, with the number of preceding movements', async () => {
    for (const scope of [EVERYBODY, players[0]!]) {
      const marks = await marksOf(scope);
      expect(marks.length).toBeGreaterThan(7);
      for (const [i, mark] of marks.entries()) {
        expect(Math.floor(Number(mark.rows) / MARK_EVERY)).toBe(i + 1);
        expect(await rowsBelow(scope, mark.id)).toBe(Number(mark.rows));
      }
    }
  });

  test('stores the same page marks when several processes create them concurrently', async () => {
    const before = await marksOf(EVERYBODY);
    await sql`delete from ledger_marks where rows > 9000`.execute(app.db);
    const two = [createMarks(app.services.db, MOVEMENTS), createMarks(app.services.db, MOVEMENTS)];
    // Other test files use the same server, and their transactions delay the safe watermark.
    const extended = async () => {
      await Promise.all(two.flatMap((marks) => [marks.extend(EVERYBODY), marks.extend(EVERYBODY)]));
      return (await marksOf(EVERYBODY)).length;
    };
    await expect.poll(extended).toBe(before.length);
    const plain = ({ rows, id, latest }: (typeof before)[number]) => ({ rows, id, latest });
    expect((await marksOf(EVERYBODY)).map(plain)).toEqual(before.map(plain));
  });

  test('stores no page mark beyond a posting that has not been committed yet', async () => {
    let commit = () => {};
    const open = new Promise<void>((done) => {
      commit = done;
    });
    const { promise: isPosted, resolve: posted } = Promise.withResolvers<void>();
    const waiting = transaction(app.services.db, async (tx) => {
      const postings = [postingsOf('test')(players[3]!, 'house', 'cash', ONE)];
      await post(tx, [{ key: `test:${randomUUID()}`, kind: 'test', postings }]);
      posted();
      await open;
    });
    await isPosted;
    const before = await marksOf(EVERYBODY);
    const postings = Array.from({ length: 1000 }, () => ({
      userId: players[2]!,
      currencyId: 'USDT',
      kind: 'test' as Kind,
      amount: ONE,
      ...({ debit: 'house', credit: 'cash' } as const),
    }));
    for (let i = 0; i < 5; i++)
      await transaction(app.services.db, (tx) =>
        post(tx, [{ key: `test:${randomUUID()}`, kind: 'test', postings }]),
      );
    for (let i = 0; i < 3; i++) await app.services.accounting.setMarks();
    const meanwhile = await marksOf(EVERYBODY);
    const { total } = await find({});
    commit();
    await waiting;
    expect(meanwhile.length).toBeLessThanOrEqual(before.length + 1);
    all = await everything();
    expect(total).toBe(all.length - 1);
    const extended = async () => {
      await app.services.accounting.setMarks();
      return (await marksOf(EVERYBODY)).length;
    };
    await expect.poll(extended).toBeGreaterThan(before.length + 1);
    const after = await marksOf(EVERYBODY);
    for (const mark of after.slice(before.length))
      expect(await rowsBelow(EVERYBODY, mark.id)).toBe(Number(mark.rows));
    expect((await find({})).total).toBe(all.length);
  });
});

type Long = [name: string, where: () => object, matches: (row: Row) => boolean];
/** The start of a test day. A test day has only four hours, because all postings are within one week. */
const day = (n: number) => new Date(all[0]!.at.getTime() + n * 14_400_000);
const FILTERS: Long[] = [
  ['a frequent type', () => ({ type: 'BET' }), (row) => row.type === 'BET'],
  ['a rare type', () => ({ type: 'TO_VAULT' }), (row) => row.type === 'TO_VAULT'],
  ['a rarer type', () => ({ type: 'DEPOSIT' }), (row) => row.type === 'DEPOSIT'],
  ['a currency', () => ({ currencyId: 'BTC' }), (row) => row.currencyId === 'BTC'],
  ['a wallet', () => ({ wallet: 'VAULT' }), (row) => row.type === 'TO_VAULT' && row.id.endsWith('IN')],
  [
    'a user and a type',
    () => ({ userId: players[0]!, type: 'BET' }),
    (row) => row.userId === players[0] && row.type === 'BET',
  ],
  [
    'a user and a currency',
    () => ({ userId: players[0]!, currencyId: 'BTC' }),
    (row) => row.userId === players[0] && row.currencyId === 'BTC',
  ],
  [
    'a user and a rare type',
    () => ({ userId: players[1]!, type: 'TO_VAULT' }),
    (row) => row.userId === players[1] && row.type === 'TO_VAULT',
  ],
  [
    'an hour',
    () => ({ startDate: day(20), endDate: new Date(day(20).getTime() + 3_600_000) }),
    (row) => row.at >= day(20) && row.at.getTime() <= day(20).getTime() + 3_600_000,
  ],
  ['from a day on', () => ({ startDate: day(30) }), (row) => row.at >= day(30)],
  ['until a day', () => ({ endDate: day(10) }), (row) => row.at <= day(10)],
  [
    'a day and a type',
    () => ({ startDate: day(5), endDate: day(6), type: 'BET' }),
    (row) => row.at >= day(5) && row.at <= day(6) && row.type === 'BET',
  ],
  [
    'a user and some days',
    () => ({ userId: players[0]!, startDate: day(5), endDate: day(25) }),
    (row) => row.userId === players[0] && row.at >= day(5) && row.at <= day(25),
  ],
];

describe('long filtered lists', () => {
  test.each(FILTERS)(
    '%s: returns exact pages, exact totals up to 500 and close estimates above 500',
    async (_, whereOf, matches) => {
      for (const sortOrder of ['desc', 'asc'] as const) {
        const due = all.filter(matches);
        if (sortOrder === 'desc') due.reverse();
        const where = whereOf();
        const pages = Math.ceil(due.length / 100);
        for (const page of [1, 2, 7, 50, 100].filter((n) => n <= pages)) {
          const shown = await find({ where, sortOrder, page });
          expect(shown.status, JSON.stringify(shown)).toBe(200);
          expect(shown.ids, `page ${page}`).toEqual(idsOf(due.slice((page - 1) * 100, page * 100)));
          if (due.length <= 500) expect(shown.total).toBe(due.length);
          else
            expect(Math.abs(shown.total / due.length - 1), `${shown.total} of ${due.length}`).toBeLessThan(
              0.5,
            );
        }
        const deep = await find({ where, sortOrder, page: 101 });
        if (due.length > 20_000) expect([deep.status, deep.code]).toEqual([400, 'PAGE_TOO_DEEP']);
        expect((await find({ where, sortOrder, page: 1_000_000 })).ids).toEqual([]);
      }
    },
  );

  test('returns FILTER_TOO_WIDE instead of a page that omits rare matches', async () => {
    const { db, bets, currencies } = app.services;
    const search = createStatement({
      db,
      bets,
      currencies,
      marks: createMarks(db, MOVEMENTS),
      looked: 10_000,
    });
    const ask = (where: object) =>
      search({
        sortBy: 'createdAt',
        sortOrder: 'desc',
        page: 1,
        take: 20,
        where: { currencyId: 'EUR', ...where },
      });
    await expect(ask({})).rejects.toMatchObject({ code: 'FILTER_TOO_WIDE', status: 400 });
    const [due] = all.filter((row) => row.currencyId === 'EUR');
    const day = new Date(due!.at.getTime() + 3_600_000).toISOString();
    for (const where of [{ endDate: day }, { userId: due!.userId, endDate: day }])
      expect(await ask(where)).toMatchObject({ total: 1, data: [{ id: due!.id }] });
    expect(await find({ where: { currencyId: 'EUR' } })).toMatchObject({ total: 1, ids: [due!.id] });
  });

  test('rejects sorting more than 10,000 movements by amount', async () => {
    const where = { userId: players[0]! };
    const long = await find({ where, sortBy: 'amount' });
    expect([long.status, long.code]).toEqual([400, 'SORT_TOO_LONG']);
    const short = await find({ where: { ...where, type: 'DEPOSIT' }, sortBy: 'amount' });
    expect(short.total).toBe(all.filter((row) => row.userId === players[0] && row.type === 'DEPOSIT').length);
  });
});
