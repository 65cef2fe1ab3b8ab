import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  book,
  everyMovement,
  LATEST,
  makeHistory,
  pagesOf,
  type Row,
  shown,
} from '../../../../test/kit/money/movements.ts';
import { transaction } from '../../../platform/database/db.ts';
import { formatUnits, units } from '../../../platform/money.ts';
import type { Kind } from '../../money/ledger/kinds.ts';
import { post } from '../../money/ledger/post.ts';
import type { Posting } from '../../money/ledger/rules.ts';

let players: Player[];
// Reconciliation is off, because the ledger entries that the test writes have no deposits or withdrawals.
const app = fixture(() => startApp({ reconcileOnStop: false }));
const backoffice = fixture(() =>
  startApp({ part: 'backoffice', database: app.database, reconcileOnStop: false }),
);
const boss = fixture(() => app.as('superadmin'));
const clerk = fixture(() => app.as({ permissions: ['transaction.read'] }));
beforeAll(async () => {
  players = [];
  for (let i = 0; i < 3; i++) players.push(await app.newPlayer({ usdt: 500 }));
  await makeHistory(app, players, clerk);
});

const PATH = '/admin/accounting/transactions';
const find = (body: object = {}) => clerk.call('POST', PATH, { body: { ...LATEST, ...body } });
const pages = (body: Row, take?: number) => pagesOf(clerk, body, take);
const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
test('returns all fields of a deposit and a withdrawal hold', async () => {
  const player = await app.newPlayer();
  await book(app, { userId: player.id, key: 'deposit:BTC:beef:0' }, [
    ['deposit', 'treasury', 'cash', '0.5', 'BTC'],
  ]);
  const hold = { userId: player.id, key: 'withdrawal:w9:hold:1', memo: 'why', actorId: boss.id };
  await book(app, hold, [['withdraw.hold', 'cash', 'hold', '0.125', 'BTC']]);
  const { body } = await find({ where: { userId: player.id } });
  const usdRate = Number(app.services.currencies.rateOf('BTC').rate) / 1e12;
  const common = {
    userId: player.id,
    user: {
      id: player.id,
      username: player.username,
      email: expect.stringContaining('***'),
      avatar: null,
      vipLevel: 0,
    },
    currencyId: 'BTC',
    createdAt: expect.stringMatching(/^20.*Z$/),
  };
  const held = {
    ...common,
    type: 'WITHDRAW',
    amount: '0.125',
    usdAmount: String(usdRate / 8),
    referenceType: 'withdrawal',
    referenceId: 'w9',
    actorId: boss.id,
    note: 'why',
  };
  const id = (way: string) => expect.stringMatching(new RegExp(`^\\d+-${way}$`));
  expect(body).toEqual({
    total: 3,
    page: 1,
    take: 100,
    totalPages: 1,
    totalIsExact: true,
    data: [
      { ...held, id: id('IN'), direction: 'IN', wallet: 'HOLD', balanceBefore: '0', balanceAfter: '0.125' },
      {
        ...held,
        id: id('OUT'),
        direction: 'OUT',
        wallet: 'CASH',
        balanceBefore: '0.5',
        balanceAfter: '0.375',
      },
      {
        ...common,
        id: id('IN'),
        type: 'DEPOSIT',
        direction: 'IN',
        wallet: 'CASH',
        amount: '0.5',
        usdAmount: String(usdRate / 2),
        balanceBefore: '0',
        balanceAfter: '0.5',
        referenceType: 'deposit',
        referenceId: 'BTC:beef:0',
        actorId: null,
        note: null,
      },
    ],
  });
});

test('returns every movement exactly once across all pages, in both sort orders', async () => {
  const due = shown(await everyMovement(app));
  expect(due.length).toBeGreaterThan(60);
  expect(await pages({}, 23)).toEqual(due);
  expect(await pages({ sortOrder: 'asc' }, 31)).toEqual(due.toReversed());
  const { body } = await find({ page: 1_000_000_000_000, take: 100 });
  expect(body).toMatchObject({ data: [], total: due.length });
  expect((await find({ page: Number.MAX_SAFE_INTEGER })).body.data).toEqual([]);
});

test('returns running balances that end at the current balance of every wallet, and keeps old pages unchanged', async () => {
  const ACCOUNTS = ['cash', 'vault', 'bonus', 'hold'] as const;
  const KINDS = [
    'deposit',
    'vault.to',
    'withdraw.hold',
    'promo.grant',
    'bet.stake',
    'bet.payout',
    'test',
  ] as Kind[];
  const move = fc
    .record({
      kind: fc.constantFrom(...KINDS),
      debit: fc.oneof(fc.constantFrom<Posting['debit']>('house', 'treasury'), fc.constantFrom(...ACCOUNTS)),
      credit: fc.oneof(fc.constantFrom(...ACCOUNTS), fc.constantFrom<Posting['credit']>('house', 'fees')),
      currencyId: fc.constantFrom('USDT', 'BTC'),
      amount: fc.bigInt(1n, 10n ** 9n),
    })
    .filter(({ debit, credit }) => debit !== credit);
  const run = async (
    steps: {
      kind: Kind;
      debit: Posting['debit'];
      credit: Posting['credit'];
      currencyId: string;
      amount: bigint;
    }[],
  ) => {
    const player = await app.newPlayer();
    const rows: Row[] = [];
    let page = 1;
    const read = async () => {
      const body = { where: { userId: player.id }, sortOrder: 'asc', take: 4 };
      for (;;) {
        const { data } = (await find({ ...body, page })).body as { data: Row[] };
        rows.splice((page - 1) * 4, 4, ...data);
        if (data.length < 4) return;
        page++;
      }
    };
    for (const [i, step] of steps.entries()) {
      const postings = [{ ...step, userId: player.id }];
      const entry = { key: `test:${randomUUID()}`, kind: step.kind, postings };
      // A posting that would make the balance negative must be rejected.
      await transaction(app.services.db, (tx) => post(tx, [entry])).catch(() => undefined);
      if (i % 6 === 0) await read();
    }
    await read();
    const balances: Record<string, string> = {};
    for (const row of rows) {
      const name = `${row.wallet} ${row.currencyId}`;
      expect(row.balanceBefore).toBe(balances[name] ?? '0');
      const change = row.direction === 'IN' ? units(row.amount) : -units(row.amount);
      expect(row.balanceAfter).toBe(formatUnits(units(row.balanceBefore) + change));
      balances[name] = row.balanceAfter;
    }
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
    const wallets = await app.db.selectFrom('wallets').selectAll().where('user_id', '=', player.id).execute();
    for (const wallet of wallets)
      for (const account of ACCOUNTS)
        expect(balances[`${account.toUpperCase()} ${wallet.currency_id}`] ?? '0').toBe(
          formatUnits(wallet[account]),
        );
    const newest = await pages({ where: { userId: player.id } }, 9);
    expect(rows.toReversed()).toMatchObject(newest);
  };
  await fc.assert(fc.asyncProperty(fc.array(move, { minLength: 20, maxLength: 30 }), run), {
    seed: 31,
    numRuns: 5,
    endOnFailure: true,
  });
});

describe('balances of a user for staff', () => {
  const balancesOf = (who: Player, id: unknown) =>
    Promise.all([
      who.call('GET', `/admin/accounting/balances?userId=${id}`),
      who.call('GET', `/admin/accounting/vault-balances?userId=${id}`),
      who.call('GET', `/admin/accounting/usd-balance/${id}`),
    ]);

  test('returns the balances that the player sees, and the USD total', async () => {
    const player = players[0]!;
    const [cash, vault, usd] = await balancesOf(clerk, player.id);
    const own = await player.call('GET', '/accounting/balances');
    expect(cash.body).toEqual(own.body.map(({ version: _, ...balance }: Row) => balance));
    expect(vault.body).toEqual((await player.call('GET', '/accounting/vault-balances')).body);
    expect(cash.body.length).toBeGreaterThan(2);
    const worth = cash.body.reduce((sum: bigint, b: Row) => sum + units(b.usdAmount), 0n);
    expect(usd.body).toEqual({ usdAmount: formatUnits(worth) });
    const newcomer = await app.newPlayer();
    expect((await balancesOf(clerk, newcomer.id)).map((a) => a.body)).toEqual([[], [], { usdAmount: '0' }]);
  });

  test('rejects an unknown user with 404, and a malformed id with 400 in a query and 404 in a path', async () => {
    const missing = await balancesOf(clerk, 2_000_000_000);
    expect(missing.map(codeOf)).toEqual(Array(3).fill('404 USER_NOT_FOUND'));
    const [query, , path] = await balancesOf(clerk, 'x');
    expect([codeOf(query!), path!.status]).toEqual(['400 VALIDATION_FAILED', 404]);
    expect(codeOf(await clerk.call('GET', '/admin/accounting/balances'))).toBe('400 VALIDATION_FAILED');
  });
});

test('rejects malformed requests with a specific error code', async () => {
  const bad: Row[] = [
    { sortBy: 'id' },
    { sortOrder: 'up' },
    { page: 0 },
    { take: 101 },
    { page: undefined },
    { take: undefined },
    { more: 1 },
    { where: { more: 1 } },
    { where: { type: 'GIFT' } },
    { where: { wallet: 'cash' } },
    { where: { userId: '1' } },
    { where: { startDate: '2024-01-01' } },
    { where: { note: 'x' } },
    { where: { username: 'a\0b' } },
  ];
  for (const body of bad)
    expect(codeOf(await find(body)), JSON.stringify(body)).toBe('400 VALIDATION_FAILED');
  for (const minUsdAmount of ['0.000000001', '999999999999'])
    expect(codeOf(await find({ where: { minUsdAmount } }))).toBe('400 AMOUNT_OUT_OF_RANGE');
  const extremes = {
    startDate: '0001-01-01T00:00:00Z',
    endDate: '9999-12-31T23:59:59Z',
    maxUsdAmount: '92233720368',
  };
  expect((await find({ where: extremes })).body.total).toBe((await everyMovement(app)).length);
});

test('requires transaction.read in the main API and a superadmin in the backoffice', async () => {
  const other = await app.as({ permissions: ['user.read'] });
  const paths = [
    ['GET', `/admin/accounting/balances?userId=${players[0]!.id}`],
    ['GET', `/admin/accounting/vault-balances?userId=${players[0]!.id}`],
    ['GET', `/admin/accounting/usd-balance/${players[0]!.id}`],
    ['POST', PATH],
  ] as const;
  for (const [method, path] of paths) {
    const body = method === 'POST' ? { body: LATEST } : {};
    expect(codeOf(await app.call(method, path, body))).toBe('401 UNAUTHORIZED');
    for (const who of [players[0]!, other])
      expect(codeOf(await who.call(method, path, body))).toBe('403 FORBIDDEN');
    for (const who of [clerk, boss]) expect((await who.call(method, path, body)).status).toBe(200);
  }
  const door = (token?: string) =>
    backoffice.call('POST', '/accounting/transactions', { token, body: LATEST });
  expect(codeOf(await door())).toBe('401 UNAUTHORIZED');
  for (const who of [players[0]!, other, clerk]) expect(codeOf(await door(who.token))).toBe('403 FORBIDDEN');
  expect((await door(boss.token)).status).toBe(200);
});

test('returns the same statement and the same errors in both services', async () => {
  const bodies: Row[] = [
    LATEST,
    { ...LATEST, where: { userId: players[0]!.id, type: 'BET' }, page: 2, take: 2 },
    { ...LATEST, where: { referenceType: 'withdrawal', referenceId: 'w1' }, sortOrder: 'asc' },
    { ...LATEST, where: { userId: players[0]!.id }, sortBy: 'usdAmount' },
    { ...LATEST, sortBy: 'amount' },
    { ...LATEST, where: { minUsdAmount: '0.000000001' } },
    { ...LATEST, take: 0 },
  ];
  for (const body of bodies) {
    const { token } = boss;
    const [a, b] = [
      await app.call('POST', PATH, { token, body }),
      await backoffice.call('POST', '/accounting/transactions', { token, body }),
    ];
    const { requestId: _, ...here } = a.body;
    const { requestId: __, ...there } = b.body;
    expect([b.status, there]).toEqual([a.status, here]);
  }
});
