import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { type BetRow, insertBets } from '../../../../test/kit/games/bet-rows.ts';
import { transaction } from '../../../platform/database/db.ts';
import { EVERYBODY, MARK_EVERY } from '../../../platform/list/marked-list.ts';
import { createMarks } from '../../../platform/list/marks.ts';
import { ONE, units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { NO_SCENERY } from './live.ts';
import { search } from './search.ts';
import { createBets } from './service.ts';
import { BETS } from './sources.ts';

const BETS_MADE = 24_000;
const DAY_MS = 86_400_000;
let players: Player[];
/** Bets as stored in the table, oldest first. */
let all: BetRow[];

/** About one bet in 300 is rolled back, and so are 700 consecutive bets. A few have the status ERROR or CREATED. */
const statusOf = (n: number): string => {
  if (n % 301 === 0 || (n >= 9000 && n < 9700)) return 'ROLLBACK';
  if (n % 907 === 0) return 'ERROR';
  return n % 1501 === 0 ? 'CREATED' : 'SETTLED';
};

const app = fixture(() => startApp({ reconcileOnStop: false }), 120_000);
const clerk = fixture(() => app.as({ permissions: ['bet.read'] }), 120_000);
beforeAll(async () => {
  players = [];
  for (let i = 0; i < 4; i++) players.push(await app.newPlayer({ usdt: 1000 }));
  await sql`alter sequence ledger_ids restart with ${sql.lit(1024 * 1_000_000)}`.execute(app.db);
  const began = Date.now() - 40 * DAY_MS;
  all = await insertBets(
    app,
    Array.from({ length: BETS_MADE }, (_, i) => i + 1).map((n) => ({
      id: 100_000n + BigInt(n * 3 + Math.floor(n / 5000) * 100_000),
      userId: players[n % 10 < 7 ? 0 : 1 + (n % 3)]!.id,
      status: statusOf(n),
      amount: 100_000_000n * BigInt(1 + (n % 50)),
      payout: n % 4 === 0 ? 300_000_000n * BigInt(1 + (n % 50)) : 0n,
      currencyId: n === 701 ? 'EUR' : n % 50 === 0 ? 'BTC' : 'USDT',
      at: new Date(began + n * 25_000),
    })),
  );
  await sql`vacuum analyze bets`.execute(app.db);
  await app.services.bets.setMarks();
}, 240_000);

const find = async (body: object) => {
  const answer = await clerk.call('POST', '/admin/bets', { body: { take: 100, ...body } });
  const ids = (answer.body.data ?? []).map((row: { id: string }) => row.id) as string[];
  return { status: answer.status, ids, ...answer.body };
};
const own = async (query: string, who: Player) => {
  const { body } = await who.call('GET', `/bets?${query}`);
  return { ...body, ids: (body.data ?? []).map((row: { id: string }) => row.id) as string[] };
};
const idsOf = (rows: readonly BetRow[]) => rows.map((row) => String(row.id));
const inOrder = (rows: readonly BetRow[], order: string) => (order === 'desc' ? rows.toReversed() : rows);

/** Places a dice bet and returns its row. */
async function bet(who: Player): Promise<BetRow> {
  const { body, status } = await betOnDice(who);
  expect(status).toBe(201);
  const amounts = { amount: ONE, usdAmount: ONE, payout: units(body.payout) };
  const settled = { status: 'SETTLED', currencyId: 'USDT', at: new Date(body.createdAt) };
  return { ...all[0]!, ...amounts, ...settled, id: BigInt(body.betId), userId: who.id };
}

describe.each(['asc', 'desc'])("a player's history, %s", (sortOrder) => {
  test.each([0, 1])(
    'returns correct pages, even in the middle of the list, among open bets and after each new bet (player %i)',
    async (i) => {
      const player = players[i]!;
      for (let round = 0; round < 2; round++) {
        const due = inOrder(
          all.filter((row) => row.userId === player.id && row.status === 'SETTLED'),
          sortOrder,
        );
        const last = Math.ceil(due.length / 20);
        const middle = Math.ceil(last / 2);
        for (const page of [1, 2, 99, 100, 101, middle, last - 105, last - 1, last].filter((n) => n > 0)) {
          const shown = await own(`sortOrder=${sortOrder}&page=${page}`, player);
          expect(shown, `page ${page}`).toMatchObject({ total: due.length, totalPages: last });
          expect(shown.ids, `page ${page}`).toEqual(idsOf(due.slice((page - 1) * 20, page * 20)));
        }
        expect(await own(`sortOrder=${sortOrder}&page=${last + 1}`, player)).toMatchObject({
          ids: [],
          total: due.length,
        });
        all.push(await bet(player));
      }
    },
  );
});

describe.each(['asc', 'desc'])('all bets, %s', (sortOrder) => {
  test.each([
    ['all states', {}],
    ['settled bets', { where: { status: 'SETTLED' } }],
    ['one user, all states', { where: {} }],
  ])('returns correct pages and exact totals: %s', async (name, body) => {
    const where =
      name === 'one user, all states' ? { userId: players[0]!.id } : (body as { where?: object }).where;
    const isDue = (row: BetRow) =>
      (name !== 'settled bets' || row.status === 'SETTLED') &&
      (name !== 'one user, all states' || row.userId === players[0]!.id);
    const due = inOrder(all.filter(isDue), sortOrder);
    const last = Math.ceil(due.length / 100);
    for (const page of [1, 2, 20, 21, Math.ceil(last / 2), last - 21, last, last + 1]) {
      const shown = await find({ where, sortOrder, page });
      expect(shown.ids, `page ${page}`).toEqual(idsOf(due.slice((page - 1) * 100, page * 100)));
      expect(shown.total).toBe(due.length);
    }
  });
});

test('returns exact pages while bets are placed, settled and rolled back', async () => {
  const player = players[2]!;
  const before = all.filter((row) => row.userId === player.id);
  let isOver = false;
  const stop = () => {
    isOver = true;
  };
  const play = async () => {
    for (let i = 0; i < 40 && !isOver; i++) all.push(await bet(player));
  };
  // Bets change their status one after another. A list must show a consistent state, from before or after each change.
  const turned = before.filter((row) => row.status === 'SETTLED').slice(100, 140);
  const turn = async () => {
    for (const row of turned) {
      await sql`update bets set status = 'ROLLBACK', updated_at = now() where id = ${row.id}`.execute(app.db);
      row.status = 'ROLLBACK';
    }
  };
  const settled = new Set(idsOf(before.filter((row) => row.status === 'SETTLED')));
  const look = async () => {
    const page: { ids: string[]; total: number } = await own('sortOrder=asc&page=30', player);
    expect(page.ids).toHaveLength(20);
    expect(page.ids.every((id) => settled.has(id))).toBe(true);
    const left = before.filter((row) => row.status === 'SETTLED' && !turned.includes(row));
    expect(page.total).toBeGreaterThanOrEqual(left.length);
    expect(page.total).toBeLessThanOrEqual(settled.size + 40);
    const first = left.findIndex((row) => String(row.id) === page.ids[0]);
    // The 40 bets that change all come before this page, so the page shifts by the number of bets changed so far.
    expect(first).toBeGreaterThanOrEqual(540);
    expect(first).toBeLessThanOrEqual(580);
    expect(page.ids).toEqual(idsOf(left.slice(first, first + 20)));
  };
  const lookOn = async () => {
    for (let looked = 0; !isOver || looked < 5; looked++) await look();
  };
  await Promise.all([play().finally(stop), turn(), lookOn()]).finally(stop);
  const due = all.filter((row) => row.userId === player.id && row.status === 'SETTLED');
  const last = Math.ceil(due.length / 20);
  for (const page of [1, 5, 30, last]) {
    const shown = await own(`sortOrder=asc&page=${page}`, player);
    expect([shown.total, shown.ids]).toEqual([due.length, idsOf(due.slice((page - 1) * 20, page * 20))]);
  }
});

describe('page marks of bets', () => {
  const marksOf = (scope: number) =>
    app.db.selectFrom('bet_marks').selectAll().where('user_id', '=', scope).orderBy('rows').execute();

  test('stores a page mark at every 2,000th bet of any state, with the same result in every process', async () => {
    const marks = createMarks(app.services.db, BETS);
    for (const scope of [EVERYBODY, players[0]!.id]) {
      await marks.total(scope);
      const rows = all.filter((row) => scope === EVERYBODY || row.userId === scope);
      const known = await marksOf(scope);
      expect(known.length).toBeGreaterThan(7);
      for (const [i, mark] of known.entries()) {
        expect(Number(mark.rows)).toBe((i + 1) * MARK_EVERY);
        expect(rows.filter((row) => row.id < mark.id)).toHaveLength(Number(mark.rows));
      }
    }
  });

  test('stores no page mark beyond an uncommitted bet', async () => {
    const { promise: isOpen, resolve: close } = Promise.withResolvers<void>();
    const { promise: isWritten, resolve: written } = Promise.withResolvers<bigint>();
    const waiting = transaction(app.services.db, async (tx) => {
      await lockPlayers(tx, [players[3]!.id]);
      const { rows } = await sql<{ id: bigint }>`
        insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id, settled_at)
        values (nextval('ledger_ids'), 1, 0, 1, 0, 1, ${players[3]!.id}, 1, 'SETTLED', 'USDT', now()) returning id`.execute(
        tx,
      );
      written(rows[0]!.id);
      await isOpen;
    });
    const late = await isWritten;
    const before: number = (await marksOf(EVERYBODY)).length;
    const first = (await sql<{ id: bigint }>`select nextval('ledger_ids') as id`.execute(app.db)).rows[0]!.id;
    const others = Array.from({ length: 900 }, (_, i) => ({ id: first + BigInt(i), userId: players[3]!.id }));
    for (let block = 0n; block < 4n; block++)
      all.push(
        ...(await insertBets(
          app,
          others.map((row) => ({ ...row, id: row.id + block * 1024n, at: new Date() })),
        )),
      );
    await sql`select setval('ledger_ids', ${first + 4n * 1024n})`.execute(app.db);
    for (let i = 0; i < 3; i++) await app.services.bets.setMarks();
    expect((await marksOf(EVERYBODY)).every((mark) => mark.id <= late)).toBe(true);
    expect((await find({})).total).toBe(all.length);
    close();
    await waiting;
    all.push({ ...all.at(-1)!, id: late });
    all.sort((a, b) => Number(a.id - b.id));
    const extended = async () => {
      await app.services.bets.setMarks();
      return (await marksOf(EVERYBODY)).length;
    };
    await expect.poll(extended).toBeGreaterThan(before);
    for (const mark of await marksOf(EVERYBODY))
      expect(all.filter((row) => row.id < mark.id)).toHaveLength(Number(mark.rows));
    expect((await find({})).total).toBe(all.length);
  });
});

/** Returns the time `n` × 4 hours after the first bet. Four hours represent a day, because the inserted bets cover only a few days. */
const day = (n: number) => new Date(all[0]!.at.getTime() + n * 14_400_000);
const isWon = (row: BetRow) => row.payout >= 3n * row.amount;
type Long = [name: string, where: () => object, matches: (row: BetRow) => boolean];
const FILTERS: Long[] = [
  ['a frequent amount', () => ({ minUsdAmount: '10' }), (row) => row.usdAmount >= 1_000_000_000n],
  ['a rare amount', () => ({ minUsdAmount: '49.5' }), (row) => row.usdAmount >= 4_950_000_000n],
  ['a multiplier', () => ({ minMultiplier: 3 }), isWon],
  ['a currency', () => ({ currencyId: 'BTC' }), (row) => row.currencyId === 'BTC'],
  ['a state', () => ({ status: 'ROLLBACK' }), (row) => row.status === 'ROLLBACK'],
  ['a rare state', () => ({ status: 'CREATED' }), (row) => row.status === 'CREATED'],
  ['every game', () => ({ category: 'HOUSE_GAME' }), () => true],
  [
    'a user and a state',
    () => ({ userId: players[0]!.id, status: 'ERROR' }),
    (row) => row.userId === players[0]!.id && row.status === 'ERROR',
  ],
  [
    'a user and a currency',
    () => ({ userId: players[0]!.id, currencyId: 'BTC' }),
    (row) => row.userId === players[0]!.id && row.currencyId === 'BTC',
  ],
  [
    'a user, settled, that won',
    () => ({ userId: players[0]!.id, status: 'SETTLED', minMultiplier: 3 }),
    (row) => row.userId === players[0]!.id && row.status === 'SETTLED' && isWon(row),
  ],
  [
    'an hour',
    () => ({ startDate: day(20), endDate: new Date(day(20).getTime() + 3_600_000) }),
    (row) => row.at >= day(20) && row.at.getTime() <= day(20).getTime() + 3_600_000,
  ],
  ['until a day', () => ({ endDate: day(10) }), (row) => row.at <= day(10)],
  [
    'days and a state',
    () => ({ startDate: day(5), endDate: day(25), status: 'SETTLED' }),
    (row) => row.at >= day(5) && row.at <= day(25) && row.status === 'SETTLED',
  ],
];

describe('long filtered lists', () => {
  beforeAll(async () => {
    // Refreshes the planner's statistics after the inserts of the tests above.
    await sql`analyze bets`.execute(app.db);
  });

  test.each(FILTERS)(
    'returns correct pages for %s, with totals that are exact up to 500 and approximate above',
    async (_, whereOf, matches) => {
      for (const sortOrder of ['desc', 'asc']) {
        const due = inOrder(all.filter(matches), sortOrder);
        const where = whereOf();
        const pages = Math.ceil(due.length / 100);
        for (const page of [1, 2, 7, 50, 100].filter((n) => n <= pages)) {
          const shown = await find({ where, sortOrder, page });
          expect(shown.status, JSON.stringify(shown)).toBe(201);
          expect(shown.ids, `page ${page}`).toEqual(idsOf(due.slice((page - 1) * 100, page * 100)));
          if (due.length <= 500) expect(shown.total).toBe(due.length);
          else expect(Math.abs(shown.total / due.length - 1), `of ${due.length}`).toBeLessThan(0.5);
        }
        const deep = await find({ where, sortOrder, page: 101 });
        if (due.length > 20_000) expect([deep.status, deep.code]).toEqual([400, 'PAGE_TOO_DEEP']);
        expect((await find({ where, sortOrder, page: 1_000_000 })).ids).toEqual([]);
      }
    },
  );

  const service = (looked: number) =>
    createBets({
      db: app.services.db,
      beside: () => undefined,
      lastPlayed: async () => new Map<number, Date>(),
      scenery: NO_SCENERY,
      highRollerUsd: 1,
      luckyMultiplier: 1,
      looked,
    });
  const by = { user: { isSuperAdmin: true, permissions: new Set() } } as never;
  const usual = { sortBy: 'createdAt', sortOrder: 'desc', page: 1, take: 20 } as const;

  test('rejects filters with too few matches instead of returning an empty page', async () => {
    const bets = service(10_000);
    const ask = (where: object) =>
      search({ reads: app.db, bets }, by, { ...usual, where: { currencyId: 'EUR', ...where } });
    await expect(ask({})).rejects.toMatchObject({ code: 'FILTER_TOO_WIDE', status: 400 });
    const [due] = all.filter((row) => row.currencyId === 'EUR');
    const endDate = new Date(due!.at.getTime() + 3_600_000).toISOString();
    for (const where of [{ endDate }, { userId: due!.userId, endDate }])
      expect(await ask(where)).toMatchObject({ total: 1, data: [{ id: String(due!.id) }] });
    expect(await find({ where: { currencyId: 'EUR' } })).toMatchObject({ total: 1, ids: [String(due!.id)] });
  });

  test("sorts at most 10,000 bets by amount, even in a player's history", async () => {
    const sortBy = 'usdAmount';
    for (const where of [undefined, { userId: players[0]!.id }, { minUsdAmount: '2' }])
      expect(await find({ sortBy, where })).toMatchObject({ status: 400, code: 'SORT_TOO_LONG' });
    expect(await own(`sortBy=${sortBy}`, players[0]!)).toMatchObject({
      statusCode: 400,
      code: 'SORT_TOO_LONG',
    });
    const few = await find({ sortBy, where: { currencyId: 'BTC' }, page: 3 });
    const due = all
      .filter((row) => row.currencyId === 'BTC')
      .sort((a, b) => Number(b.usdAmount - a.usdAmount) || Number(b.id - a.id));
    expect([few.total, few.ids]).toEqual([due.length, idsOf(due.slice(200, 300))]);
    const ofOne = all.filter((row) => row.userId === players[1]!.id && row.status === 'SETTLED');
    ofOne.sort((a, b) => Number(a.usdAmount - b.usdAmount) || Number(a.id - b.id));
    const shown = await own(`sortBy=${sortBy}&sortOrder=asc&page=40`, players[1]!);
    expect([shown.total, shown.ids]).toEqual([ofOne.length, idsOf(ofOne.slice(780, 800))]);
  });
});

test('reads a list from its start when more than 10,000 unsettled bets are between the settled ones', async () => {
  await sql`update bets set status = 'ROLLBACK' where id in (select id from bets where user_id = ${players[0]!.id} order by id limit 10500)`.execute(
    app.db,
  );
  await sql`analyze bets`.execute(app.db);
  const { rows } = await sql<{ id: bigint }>`
    select id from bets where user_id = ${players[0]!.id} and status = 'SETTLED' order by id desc`.execute(
    app.db,
  );
  const due = rows.map((row) => String(row.id));
  const page = await own('page=7', players[0]!);
  expect(page.ids).toEqual(due.slice(120, 140));
  expect(page.total).toBeGreaterThan(500);
  expect(await own('status=ROLLBACK&page=501', players[0]!)).toMatchObject({ code: 'PAGE_TOO_DEEP' });
}, 240_000);
