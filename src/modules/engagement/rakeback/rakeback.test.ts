import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { betOnDice, cashOf, PATIENCE, type Player, startApp } from '../../../../test/kit/app.ts';
import { countRewards, letDaysPass, liftLimits } from '../../../../test/kit/engagement/rewards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(() => startApp({ env: PATIENCE }));
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));
const staff = fixture(() => app.as({ permissions: ['rakeback.read', 'bet.rollback'] }));
beforeAll(() => liftLimits(app));

const bet = async (player: Player, betAmount: string) => {
  const { status, body } = await betOnDice(player, { betAmount });
  expect([status, body.code]).toEqual([201, undefined]);
  await countRewards(app);
  return body.betId as string;
};
const claim = (player: Player, period: string, more: object = {}, headers: Record<string, string> = {}) =>
  player.call('POST', '/rakeback/claim', { body: { period, ...more }, headers });
const rowOf = async ({ id }: Player) => {
  const { status, body } = await staff.call('POST', '/admin/rakeback/find-many', {
    body: { where: { userId: id } },
  });
  expect(status).toBe(201);
  return body[0];
};
const rollBack = async (betId: string) => {
  const { status } = await staff.call('POST', `/admin/bets/${betId}/rollback`, {
    body: { reason: 'a test' },
  });
  expect(status).toBe(201);
  await countRewards(app);
};

test.each([
  [
    0,
    ['0.00617283', '0.00246913', '0.00246913', '0.00123456'],
    '0.006172',
    { instant: 5, daily: 2, weekly: 2, monthly: 1 },
  ],
  // The bets that reached the level have accrued 50, 50 and 25 in the running periods.
  [
    4,
    ['0.00925925', '50.0037037', '50.0037037', '25.00185185'],
    '0.009259',
    { instant: 7.5, daily: 3, weekly: 3, monthly: 1.5 },
  ],
])(
  'accrues rakeback for a stake of 12.345678 USDT on dice at VIP level %i: %j',
  async (level, amounts, claimed, rates) => {
    const player = await app.newPlayer({ usdt: 300_000 });
    if (level > 0) {
      await bet(player, '250000');
      expect((await claim(player, 'instant')).body.totalUsd).toBe('125');
    }
    expect((await player.call('GET', '/user/me')).body.vipLevel).toBe(level);
    const { totalClaimed } = (await player.call('GET', '/rakeback')).body.totalsUsd;
    await bet(player, '12.345678');
    const [, daily, weekly, monthly] = amounts;
    expect(await rowOf(player)).toMatchObject({
      instantClaimable: claimed,
      dailyAccumulated: daily,
      weeklyAccumulated: weekly,
      monthlyAccumulated: monthly,
      dailyClaimable: '0',
      userId: player.id,
      currencyId: 'USDT',
    });
    const { status, body: state } = await player.call('GET', '/rakeback');
    expect(status).toBe(200);
    expect(state).toMatchObject({
      currencies: [
        {
          currencyId: 'USDT',
          instant: { claimable: claimed },
          daily: { claimable: '0', accumulated: daily, expiresAt: null },
          weekly: { accumulated: weekly },
          monthly: { accumulated: monthly },
        },
      ],
      totalsUsd: { instant: claimed, daily: '0', totalClaimed },
      rates,
    });
    expect(new Date(state.currencies[0].daily.unlocksAt).getTime()).toBeGreaterThan(Date.now());
  },
);

describe('a claim', () => {
  test('pays whole units of the currency and does not show the remainder as claimable', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    await bet(player, '12.345678');
    const before = Number(await cashOf(player));
    const paid = { currencyId: 'USDT', amount: '0.006172', usdAmount: '0.006172' };
    expect(await claim(player, 'instant')).toMatchObject({
      status: 201,
      body: { claimed: [paid], totalUsd: '0.006172' },
    });
    expect(Number(await cashOf(player)) - before).toBeCloseTo(0.006172, 8);
    expect(await claim(player, 'instant')).toMatchObject({
      status: 409,
      body: { code: 'RAKEBACK_NOTHING_TO_CLAIM' },
    });
    expect(await rowOf(player)).toMatchObject({
      instantClaimable: '0',
      instantTotalClaimed: '0.006172',
    });
    expect((await player.call('GET', '/rakeback')).body.totalsUsd.totalClaimed).toBe('0.006172');
    const { body: one } = await staff.call(
      'GET',
      `/admin/rakeback/find-one-claimable-usd?userId=${player.id}`,
    );
    expect(one).toEqual({ instant: '0', daily: '0', weekly: '0', monthly: '0', userId: player.id });
  });

  test('pays nothing before the period has ended, and later also pays amounts that were counted after its end', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    await bet(player, '10');
    for (const period of ['daily', 'weekly', 'monthly'])
      expect((await claim(player, period)).body.code).toBe('RAKEBACK_NOTHING_TO_CLAIM');
    await letDaysPass(app, player, 40);
    for (const [period, amount] of [
      ['daily', '0.002'],
      ['weekly', '0.002'],
      ['monthly', '0.001'],
    ]) {
      expect((await claim(player, period!)).body).toMatchObject({ claimed: [{ amount }] });
      expect((await claim(player, period!)).body.code).toBe('RAKEBACK_NOTHING_TO_CLAIM');
    }
    await bet(player, '10');
    await letDaysPass(app, player, 1);
    expect((await claim(player, 'daily')).body).toMatchObject({ claimed: [{ amount: '0.002' }] });
  });

  test('returns the same response for a repeated idempotency key, and rejects the key with another period', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    await bet(player, '10');
    const headers = { 'idempotency-key': randomUUID() };
    const first = await claim(player, 'instant', {}, headers);
    expect(first.status).toBe(201);
    expect(await claim(player, 'instant', {}, headers)).toMatchObject({ status: 201, body: first.body });
    expect((await claim(player, 'daily', {}, headers)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('rejects an unknown currency with 404 and a currency without rakeback with 409', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    await bet(player, '10');
    expect(await claim(player, 'instant', { currencyId: 'XXX' })).toMatchObject({
      status: 404,
      body: { code: 'CURRENCY_NOT_FOUND' },
    });
    expect((await claim(player, 'instant', { currencyId: 'BTC' })).body.code).toBe(
      'RAKEBACK_NOTHING_TO_CLAIM',
    );
    expect((await claim(player, 'instant', { currencyId: 'USDT' })).status).toBe(201);
  });

  test('pays once when 200 identical claims are sent concurrently', async () => {
    const player = await app.newPlayer({ usdt: 1000 });
    await bet(player, '100');
    await letDaysPass(app, player, 40);
    const responses = await Promise.all(Array.from({ length: 200 }, () => claim(player, 'daily')));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ body }) => body.code === 'RAKEBACK_NOTHING_TO_CLAIM')).toHaveLength(199);
    expect(await rowOf(player)).toMatchObject({ dailyTotalClaimed: '0.02', dailyClaimable: '0' });
  });

  test('rejects self-excluded players, who keep their rakeback', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    await bet(player, '10');
    const excludeUntil = new Date(Date.now() + 400 * 86_400_000).toISOString();
    await player.call('POST', '/user-limits/self-exclusion', { body: { excludeUntil } });
    expect(await claim(player, 'instant')).toMatchObject({ status: 403, body: { code: 'SELF_EXCLUDED' } });
    expect(await rowOf(player)).toMatchObject({ instantClaimable: '0.005' });
  });
});

test('turns claimed rakeback of a rolled-back bet into a debt that later rakeback repays, without changing cash', async () => {
  const player = await app.newPlayer({ usdt: 1000 });
  const first = await bet(player, '10');
  await letDaysPass(app, player, 40);
  expect((await claim(player, 'daily')).status).toBe(201);
  expect((await claim(player, 'instant')).status).toBe(201);
  await rollBack(first);
  // The rollback reverses the stake and the payout, but not the claims.
  expect(await cashOf(player)).toBe('1000.007');
  expect(await rowOf(player)).toMatchObject({
    instantClaimable: '-0.005',
    dailyClaimable: '-0.002',
    weeklyClaimable: '0',
    monthlyClaimable: '0',
  });
  expect((await player.call('GET', '/rakeback')).body).toMatchObject({
    currencies: [{ instant: { claimable: '0' }, daily: { claimable: '0' } }],
  });
  await bet(player, '30');
  expect(await claim(player, 'instant')).toMatchObject({
    status: 201,
    body: { claimed: [{ amount: '0.01' }] },
  });
});

test('lets unclaimed rakeback expire, except instant rakeback, and reverses expired amounts first in a rollback', async () => {
  const player = await app.newPlayer({ usdt: 1000 });
  const admin = await app.as('superadmin');
  const setExpiry = (expiryDays: number | null) =>
    admin.call('PATCH', '/admin/config/COMMON', { body: { rakeback: { expiryDays } } });
  expect((await setExpiry(7)).status).toBe(200);
  try {
    const first = await bet(player, '10');
    await letDaysPass(app, player, 8);
    await bet(player, '20');
    await letDaysPass(app, player, 1);
    const { daily } = (await player.call('GET', '/rakeback')).body.currencies[0];
    expect(daily).toMatchObject({ claimable: '0.004', accumulated: '0' });
    const midnight = new Date(new Date().toISOString().slice(0, 10)).getTime();
    expect(daily.expiresAt).toBe(new Date(midnight + 7 * 86_400_000).toISOString());
    expect((await claim(player, 'daily')).body).toMatchObject({ claimed: [{ amount: '0.004' }] });
    const head = () =>
      sql`select accrued, claimed, expired from rakeback_periods where user_id = ${player.id} and period = 'daily' and start = '-infinity'`
        .execute(app.db)
        .then(({ rows }) => rows[0]);
    expect(await head()).toEqual({ accrued: '600000', claimed: '400000', expired: '200000' });
    await rollBack(first);
    expect(await head()).toEqual({ accrued: '400000', claimed: '400000', expired: '0' });
    expect((await claim(player, 'instant')).body).toMatchObject({ claimed: [{ amount: '0.01' }] });
  } finally {
    await setExpiry(null);
  }
});

test('sends the player at most one event per minute with the current totals', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  await bet(player, '10');
  await bet(player, '10');
  const readEvents = () =>
    app.db
      .selectFrom('events')
      .select('data')
      .where('user_id', '=', player.id)
      .where('name', '=', 'rakeback.accrued')
      .orderBy('id')
      .execute();
  const first = { currencyId: 'USDT', instant: '0.005', daily: '0.002', weekly: '0.002', monthly: '0.001' };
  expect(await readEvents()).toEqual([{ data: first }]);
  await app.db
    .updateTable('rakeback_periods')
    .set({ updated_at: new Date(Date.now() - 61_000) })
    .where('user_id', '=', player.id)
    .execute();
  await bet(player, '10');
  expect((await readEvents()).at(-1)!.data).toMatchObject({ instant: '0.015', monthly: '0.003' });
  expect(await readEvents()).toHaveLength(2);
});

test('shows rakeback to staff who have the permission, including in the backoffice', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  await bet(player, '10');
  const where = { userIds: [player.id, 1_000_000], currencyId: 'USDT' };
  const { body: rows } = await staff.call('POST', '/admin/rakeback/find-many', { body: { where } });
  const user = { id: player.id, username: player.username, email: expect.stringContaining('***@') };
  expect(rows).toMatchObject([{ userId: player.id, user, instantClaimable: '0.005' }]);
  const inBackoffice = await backoffice.call('POST', '/rakeback/find-many', {
    body: { where },
    token: staff.token,
  });
  expect([inBackoffice.status, inBackoffice.body]).toEqual([201, rows]);
  const all = await staff.call('POST', '/admin/rakeback/find-many', { body: { where: {} } });
  expect(all.body[0]).toMatchObject({ userId: player.id });
  const none = { body: { where: { userId: player.id, userIds: [1_000_000] } } };
  expect((await staff.call('POST', '/admin/rakeback/find-many', none)).body).toEqual([]);
  for (const [caller, status] of [
    [player, 403],
    [{ call: app.call }, 401],
  ] as const) {
    expect((await caller.call('POST', '/admin/rakeback/find-many', { body: { where } })).status).toBe(status);
    expect((await caller.call('GET', '/admin/rakeback/find-one-claimable-usd?userId=1')).status).toBe(status);
  }
  const unknown = await staff.call('GET', '/admin/rakeback/find-one-claimable-usd?userId=1000000');
  expect([unknown.status, unknown.body.code]).toEqual([404, 'USER_NOT_FOUND']);
});
