import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';
import { type Payment, recordPayment, takeBackPayment } from '../../money/payments/stats.ts';
import { purgePaymentStats, readPaymentStats } from './statistics.ts';

const app = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));
const clerk = fixture(() => app.as({ permissions: ['user.read'] }));
beforeEach(async () => {
  await sql`delete from payment_stats`.execute(app.db);
});

const record = (...payments: Payment[]) =>
  transaction(app.db, async (tx) => {
    for (const payment of payments) await recordPayment(tx, payment);
  });
const takeBack = (payment: Payment) => transaction(app.db, (tx) => takeBackPayment(tx, payment));
const deposit = (userId: number, amount: string, at = new Date()): Payment => ({
  userId,
  at,
  kind: 'DEPOSIT',
  usdAmount: units(amount),
});
const PATH = '/admin/user/stats/transactions';
const list = async (query: string, who = clerk, { call } = app) =>
  (await call('GET', `${PATH}?${query}`, { token: who.token })).body;
const stored = async (userId: number) => {
  const { rows } = await sql<{ row: string }>`
    select concat_ws(' ', kind, period, to_char(period_start at time zone 'utc', 'YYYY-MM-DD HH24'), usd_amount, payments) as row
    from payment_stats where user_id = ${userId} order by kind, period, period_start`.execute(app.db);
  return rows.map(({ row }) => row);
};

describe('recordPayment', () => {
  test('counts a payment in its hour, day, week and month, and in the all-time total', async () => {
    const { id } = await app.newPlayer();
    await record(
      deposit(id, '10', new Date('2026-11-22T23:59:59.999Z')),
      deposit(id, '0.00000001', new Date('2026-11-23T00:00:00.000Z')),
      { ...deposit(id, '7', new Date('2026-11-30T23:30:00Z')), kind: 'WITHDRAW' },
    );
    expect(await stored(id)).toEqual([
      'DEPOSIT ALL 1000000001 2',
      'DEPOSIT DAY 2026-11-22 00 1000000000 1',
      'DEPOSIT DAY 2026-11-23 00 1 1',
      'DEPOSIT HOUR 2026-11-22 23 1000000000 1',
      'DEPOSIT HOUR 2026-11-23 00 1 1',
      'DEPOSIT MONTH 2026-11-01 00 1000000001 2',
      'DEPOSIT WEEK 2026-11-16 00 1000000000 1',
      'DEPOSIT WEEK 2026-11-23 00 1 1',
      'WITHDRAW ALL 700000000 1',
      'WITHDRAW DAY 2026-11-30 00 700000000 1',
      'WITHDRAW HOUR 2026-11-30 23 700000000 1',
      'WITHDRAW MONTH 2026-11-01 00 700000000 1',
      'WITHDRAW WEEK 2026-11-30 00 700000000 1',
    ]);
  });

  test('stores nothing when the transaction is rolled back', async () => {
    const { id } = await app.newPlayer();
    const broken = transaction(app.db, async (tx) => {
      await recordPayment(tx, deposit(id, '5'));
      throw new Error('the payment fails after all');
    });
    await expect(broken).rejects.toThrow('after all');
    expect(await stored(id)).toEqual([]);
  });

  test('removes a reversed payment completely, and rejects the reversal of an unknown payment', async () => {
    const { id } = await app.newPlayer();
    const at = new Date('2026-11-22T10:00:00Z');
    await record(deposit(id, '5', at));
    const before = await stored(id);
    await record(deposit(id, '8', new Date('2026-11-23T10:00:00Z')));
    await takeBack(deposit(id, '8', new Date('2026-11-23T10:00:00Z')));
    expect(await stored(id)).toEqual(before);
    await takeBack(deposit(id, '5', at));
    expect(await stored(id)).toEqual([]);
    await expect(takeBack(deposit(id, '5', at))).rejects.toThrow(RangeError);
  });

  test('reverses a payment whose hour was already deleted', async () => {
    const { id } = await app.newPlayer();
    const at = new Date('2020-01-05T10:00:00Z');
    await record(deposit(id, '5', at));
    await purgePaymentStats(app.db);
    expect(await stored(id)).toHaveLength(3);
    await takeBack(deposit(id, '5', at));
    expect(await stored(id)).toEqual([]);
  });

  test('adds up concurrent payments of two players', async () => {
    const [a, b] = [await app.newPlayer(), await app.newPlayer()];
    await Promise.all(Array.from({ length: 20 }, (_, i) => record(deposit(i % 2 ? a.id : b.id, '1.5'))));
    const { data } = await list('transactionType=DEPOSIT');
    expect(data.map((row: any) => [row.userId, row.amount, row.count])).toEqual(
      [a.id, b.id].toSorted((x, y) => y - x).map((id) => [id, '15', 10]),
    );
  });
});

test('deletes hours after two days and days after forty days, but no weeks, months or totals', async () => {
  const { id } = await app.newPlayer();
  const now = Date.now();
  const textOf = (hoursAgo: number) =>
    new Date(now - hoursAgo * 3_600_000).toISOString().slice(0, 13).replace('T', ' ');
  const hours = (n: number) => deposit(id, '1', new Date(now - n * 3_600_000));
  await record(hours(0), hours(47), hours(49), hours(39 * 24), hours(41 * 24), hours(400 * 24));
  const before = await stored(id);
  await purgePaymentStats(app.db);
  const gone = before.filter((row) => row.startsWith('DEPOSIT HOUR') && row < `DEPOSIT HOUR ${textOf(48)}`);
  const days = before.filter(
    (row) => row.startsWith('DEPOSIT DAY') && row < `DEPOSIT DAY ${textOf(40 * 24)}`,
  );
  expect([gone.length, days.length]).toEqual([4, 2]);
  expect(await stored(id)).toEqual(before.filter((row) => !gone.includes(row) && !days.includes(row)));
});

describe(`GET ${PATH}`, () => {
  test('lists one row per user, sorted by amount, with personal data only if permitted', async () => {
    const players = [await app.newPlayer(), await app.newPlayer(), await app.newPlayer()];
    const at = new Date(Date.now() - 60_000);
    const email = `someone.${players[1]!.id}@stats.example`;
    await app.db.updateTable('users').set({ email }).where('id', '=', players[1]!.id).execute();
    await record(
      deposit(players[0]!.id, '2', at),
      deposit(players[1]!.id, '30', at),
      deposit(players[2]!.id, '2', at),
    );
    await record(deposit(players[0]!.id, '1', new Date(at.getTime() - 5000)));
    const page = await list('transactionType=DEPOSIT');
    expect(page).toMatchObject({ take: 20, page: 1, total: 3, totalPages: 1 });
    const [first, second, third] = [players[1]!, players[0]!, players[2]!];
    expect(page.data[0]).toEqual({
      userId: first.id,
      user: {
        id: first.id,
        username: first.username,
        email: 'so***@stats.example',
        avatar: null,
        vipLevel: 0,
      },
      amount: '30',
      count: 1,
      lastTransactionAt: at.toISOString(),
    });
    const seen = (body: any) => body.data.map((row: any) => [row.userId, row.amount, row.count]);
    expect(seen(page).slice(1)).toEqual([
      [second.id, '3', 2],
      [third.id, '2', 1],
    ]);
    expect(page.data[1].lastTransactionAt).toBe(at.toISOString());
    expect(seen(await list('transactionType=DEPOSIT&sortBy=amount&sortOrder=asc'))).toEqual(
      seen(page).toReversed(),
    );
    const full = await app.as({ permissions: ['user.read', 'user.pii'] });
    expect((await list('transactionType=DEPOSIT', full)).data[0].user.email).toBe(email);
    expect(await list('transactionType=WITHDRAW')).toMatchObject({ data: [], total: 0, totalPages: 0 });
  });

  test('returns every user exactly once across pages, and an empty page after the last page', async () => {
    const payments = [];
    for (let i = 0; i < 7; i++) payments.push(deposit((await app.newPlayer()).id, String(1 + (i % 3))));
    await record(...payments);
    for (const order of ['asc', 'desc']) {
      const query = `transactionType=DEPOSIT&sortOrder=${order}`;
      const whole = (await list(query)).data.map((row: any) => row.userId);
      expect(new Set(whole)).toEqual(new Set(payments.map((p) => p.userId)));
      const pages = [];
      for (const page of [1, 2, 3, 4]) pages.push(...(await list(`${query}&take=2&page=${page}`)).data);
      expect(pages.map((row) => row.userId)).toEqual(whole);
      const beyond = await list(`${query}&take=2&page=5`);
      expect(beyond).toEqual({ data: [], take: 2, page: 5, total: 7, totalPages: 4 });
    }
  });

  test('covers the current hour, day, week and month up to their last millisecond', async () => {
    const { id } = await app.newPlayer();
    let now = 0;
    const deps = { db: app.db, databaseClock: { now: () => now } };
    const sums = async (at: string) => {
      now = Date.parse(at);
      const shown = [];
      for (const dataRange of ['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', undefined] as const) {
        const query = {
          transactionType: 'WITHDRAW',
          sortOrder: 'desc',
          page: 1,
          take: 20,
          dataRange,
        } as const;
        const { data } = await readPaymentStats(deps, query, { showsPii: true });
        shown.push(data.find((row) => row.userId === id)?.amount);
      }
      return shown;
    };
    const paid = (amount: string, at: string): Payment => ({
      ...deposit(id, amount, new Date(at)),
      kind: 'WITHDRAW',
    });
    await record(
      paid('1', '2026-11-22T23:15:00Z'),
      paid('10', '2026-11-16T00:00:00Z'),
      paid('100', '2026-11-01T00:00:00Z'),
    );
    expect(await sums('2026-11-22T23:59:59.999Z')).toEqual(['1', '1', '11', '111', '111']);
    expect(await sums('2026-11-23T00:00:00.000Z')).toEqual([undefined, undefined, undefined, '111', '111']);
    expect(await sums('2026-11-30T23:59:59.999Z')).toEqual([undefined, undefined, undefined, '111', '111']);
    expect(await sums('2026-12-01T00:00:00.000Z')).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      '111',
    ]);
    expect(await sums('2026-11-01T00:59:59.999Z')).toEqual(['100', '100', '100', '111', '111']);
  });

  test('lists the same current periods in the main API and the backoffice', async () => {
    const { id } = await app.newPlayer();
    await record(deposit(id, '4'), deposit(id, '9', new Date(Date.now() - 70 * 86_400_000)));
    for (const dataRange of ['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'])
      expect((await list(`transactionType=DEPOSIT&dataRange=${dataRange}`)).data[0]).toMatchObject({
        amount: '4',
      });
    const whole = await list('transactionType=DEPOSIT');
    expect(whole.data[0]).toMatchObject({ userId: id, amount: '13', count: 2 });
    const other = await backoffice.call('GET', '/user/stats/transactions?transactionType=DEPOSIT', {
      token: clerk.token,
    });
    expect([other.status, other.body]).toEqual([200, whole]);
  });

  test.each([
    '',
    'transactionType=deposit',
    'transactionType=DEPOSIT&dataRange=YEARLY',
    'transactionType=DEPOSIT&sortBy=count',
    'transactionType=DEPOSIT&take=31',
    'transactionType=DEPOSIT&take=0',
    'transactionType=DEPOSIT&userId=1',
  ])('rejects the query ?%s with 400', async (query) => {
    expect(await list(query)).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' });
  });

  test('requires user.read in the main API and the backoffice', async () => {
    const query = 'transactionType=DEPOSIT';
    const other = await app.as({ permissions: ['user.write'] });
    for (const [call, path] of [
      [app.call, PATH],
      [backoffice.call, '/user/stats/transactions'],
    ] as const) {
      expect((await call('GET', `${path}?${query}`)).body.code).toBe('UNAUTHORIZED');
      for (const { token } of [await app.newPlayer(), other])
        expect((await call('GET', `${path}?${query}`, { token })).body.code).toBe('FORBIDDEN');
    }
  });
});

test('includes deposits and withdrawals in the full statistics', async () => {
  const { id } = await app.newPlayer();
  await record(deposit(id, '100.5'), { ...deposit(id, '20'), kind: 'WITHDRAW' });
  const { body } = await app.call('GET', `/admin/user/${id}/full/stats`, { token: clerk.token });
  expect(body).toMatchObject({
    totalDeposits: '100.5',
    totalWithdraws: '20',
    netDeposit: '80.5',
    ltv: '80.5',
  });
});
