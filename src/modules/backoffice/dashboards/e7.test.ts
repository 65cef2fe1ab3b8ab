/** Reproduces the example in the definitions of the figures, exact to the last digit, with bets, bonus money, claims and staff actions. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Player } from '../../../../test/kit/app.ts';
import { type Person, startAffiliates } from '../../../../test/kit/engagement/affiliates.ts';
import { countRewards } from '../../../../test/kit/engagement/rewards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { consumeAll } from '../../../../test/kit/games/bets.ts';
import { bet, GENERIC, openLab, win } from '../../../../test/kit/games/provider-wallet.ts';
import { grantBonus } from '../../../../test/kit/money/bonus.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';
import { countGiven } from '../../money/rewards/pay.ts';

const DAY_MS = 86_400_000;
const world = fixture(() => startAffiliates({ SPORTSBOOK_FEE_PERCENT: '0' }));
let staff: Player;
let affiliate: Person;

const REWARD = units('5');

/** The days from the given number of days ago until today. */
const days = (before = 0) => {
  const end = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS;
  return `startDate=${new Date(end - (before + 1) * DAY_MS).toISOString()}&endDate=${new Date(end).toISOString()}`;
};
const figures = async (path: string) => {
  const { status, body, text } = await staff.call('GET', path);
  expect(status, text).toBe(200);
  return body;
};
const GAME = () => `timeRange=TODAY&timeGroup=HOUR&${days()}`;

beforeAll(async () => {
  const { app } = world;
  staff = await app.as({ permissions: ['dashboard.read'] });
  // A stake of 1,000 dollars with a house edge of 40 dollars earns 0.75 dollars of commission and 1.50 dollars of rakeback.
  await world.set({
    divisor: 1.6,
    levels: [
      { id: 1, name: 'One', commissionPercent: '3', minWageredUsdAmount: '0', minReferralCountForClaim: 1 },
    ],
  });
  const config = await world.boss.call('PATCH', '/admin/config/COMMON', {
    body: { rakeback: { instantBp: 375 } },
  });
  expect(config.status, config.text).toBe(200);

  const lab = await openLab(app, GENERIC);
  const seats = await Promise.all([lab.seat(1000), lab.seat(0), lab.seat(6)]);
  await app.db
    .updateTable('users')
    .set({ is_test: false })
    .where(
      'id',
      'in',
      seats.map(({ player }) => player.id),
    )
    .execute();
  const [cash, bonus, mixed] = seats.map(({ player }) => player) as [Player, Player, Player];
  affiliate = await world.affiliate();
  await sql`insert into referrals (user_id, affiliate_user_id, code_key, is_held) select ${cash.id}, user_id, key, false from affiliate_codes
    where user_id = ${affiliate.id}`.execute(app.db);
  await sql`update affiliate_codes set users_count = 1 where user_id = ${affiliate.id}`.execute(app.db);
  await sql`update affiliates set referral_count = 1 where user_id = ${affiliate.id}`.execute(app.db);
  await grantBonus(app, bonus, { amount: '160', required: '160', maxWithdrawalMultiplierE2: 25 });
  await grantBonus(app, mixed, { amount: '4', required: '400' });

  const rounds = [
    [1000, 940],
    [160, 100],
    [10, 25],
  ] as const;
  for (const [i, [stake, payout]] of rounds.entries()) {
    const { call } = seats[i]!;
    expect((await call([bet(`s${i}`, stake)])).status).toBe('OK');
    expect((await call([win(`w${i}`, payout)], { closes: true })).status).toBe('OK');
  }
  await app.services.grants.settleDue();
  await countRewards(app);
  await consumeAll(app);

  const keyed = () => ({ headers: { 'Idempotency-Key': randomUUID() } });
  const claimed = await cash.call('POST', '/rakeback/claim', { body: { period: 'instant' }, ...keyed() });
  expect(claimed.status, claimed.text).toBe(201);
  const commission = await affiliate.call('POST', '/affiliate/claim', keyed());
  expect(commission.status, commission.text).toBe(201);
  const deducted = await world.boss.call('POST', '/admin/admin-tips/deduct-balance', {
    body: { recipientUserId: cash.id, currencyId: 'USDT', amount: '2', notes: 'a mistake' },
    ...keyed(),
  });
  expect(deducted.status, deducted.text).toBe(200);
  // None of these bets wins a challenge, so the test inserts the challenge reward directly.
  await transaction(app.db, (tx) =>
    countGiven(tx, 'challenge.reward', {
      userId: cash.id,
      currencyId: 'USDT',
      amount: REWARD,
      usdAmount: REWARD,
    }),
  );
});
// Removes the reward again, because the ledger is reconciled after the test.
afterAll(() => sql`delete from money_hours where kind = 'challenge.reward'`.execute(world.app.db));

const SEVEN = { ggr: 51, turnover: 1006, ngr: 5.75 };
const DEDUCTIONS = {
  convertedBonusUsd: '40',
  rakebackUsd: '1.5',
  affiliateUsd: '0.75',
  prizesUsd: '5',
  adminTipsUsd: '0',
  adminDeductionsUsd: '2',
  providerFeesUsd: '0',
};
const sumOf = (series: { value: number }[]) => series.reduce((sum, { value }) => sum + value, 0);

test('returns reward totals that match the claims', async () => {
  const { rows } =
    await sql`select kind, sum(usd_amount)::text as usd from money_hours group by 1 order by 1`.execute(
      world.app.db,
    );
  expect(rows).toEqual([
    { kind: 'admin.deduction', usd: '200000000' },
    { kind: 'affiliate.claim', usd: '75000000' },
    { kind: 'challenge.reward', usd: '500000000' },
    { kind: 'promo.conversion', usd: '4000000000' },
    { kind: 'rakeback.claim', usd: '150000000' },
  ]);
});

test('returns all figures of the overview for a period', async () => {
  const { current, previous } = await figures(`/admin/dashboard/overview?${days()}`);
  expect(current).toMatchObject({
    turnoverUsd: '1006',
    ggrUsd: '51',
    ngrUsd: '5.75',
    activeUsers: 3,
    betCount: 3,
    averageBetUsd: '335.33333333',
  });
  expect(previous).toMatchObject({ turnoverUsd: '0', ggrUsd: '0', ngrUsd: '0', activeUsers: 0, betCount: 0 });
});

test('returns NGR and its deductions for each time step and in total', async () => {
  const { current, previous } = await figures(`/admin/dashboard/revenue?${days(1)}`);
  const revenue = { turnoverUsd: '1006', ggrUsd: '51', ngrUsd: '5.75' };
  expect(current).toMatchObject({ ...revenue, ngrVersion: '1', deductions: DEDUCTIONS });
  expect(current.series).toHaveLength(2);
  expect(current.series[1]).toMatchObject(revenue);
  expect(current.series[0]).toMatchObject({ turnoverUsd: '0', ggrUsd: '0', ngrUsd: '0' });
  expect(previous).toMatchObject({ turnoverUsd: '0', ggrUsd: '0', ngrUsd: '0' });
});

test('returns the figures and the series of all games', async () => {
  const stats = await figures(`/admin/dashboard-v2/game/stats?${GAME()}`);
  expect(stats).toMatchObject({
    turnover: 1006,
    ggr: 51,
    activePlayers: 3,
    betCount: 3,
    arpu: 17,
    atpu: 335.33,
    abcpu: 1,
    margin: 5.06,
    averageBetSum: 335.33,
  });
  expect(sumOf(stats.turnoverTimeSeries)).toBe(1006);
  expect(sumOf(stats.ggrTimeSeries)).toBe(51);
  expect(sumOf(stats.ngrTimeSeries)).toBe(5.75);
  expect(stats.gameTypeMarginPie).toEqual([{ key: 'SLOTS', value: 5.06, percent: 100 }]);
  expect(stats.gameTypeTurnoverPie).toEqual([{ key: 'SLOTS', value: 1006, percent: 100 }]);
  expect(stats.gameSlugAnalytics).toEqual([
    expect.objectContaining({ activePlayers: 3, betCount: 3, turnover: 1006, ggr: 51, margin: 5.06 }),
  ]);
});

test('deducts rewards from the NGR of all games, but only provider fees from the NGR of some games', async () => {
  expect(await figures(`/admin/dashboard-v2/query/games-by-type?${GAME()}`)).toMatchObject(SEVEN);
  const slots = await figures(`/admin/dashboard-v2/query/games-by-type?${GAME()}&gameCategory=SLOTS`);
  expect(slots).toMatchObject({ ...SEVEN, ngr: 51 });
});

test('returns the main figures of a time range', async () => {
  const stats = await figures('/admin/dashboard-v2/main/stats?timeRange=LAST_7_DAYS&timeGroup=DAY');
  const metric = (current: number) => ({ current, previous: 0, changePercent: null });
  expect(stats).toMatchObject({
    activePlayersMetrics: metric(3),
    turnoverMetrics: metric(1006),
    ggrMetrics: metric(51),
    ngrMetrics: metric(5.75),
  });
  expect(stats.ngrMetrics.series.map(({ value }: { value: number }) => value)).toEqual([
    0, 0, 0, 0, 0, 0, 5.75,
  ]);
});

test.each([
  'game/stats',
  'query/bets-by-type',
  'query/games-by-type',
  'query/payments',
  'query/registrations',
])('adds the figures of the previous period to %s if the request compares them', async (path) => {
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS;
  const read = (day: number, more = '') => {
    const [startDate, endDate] = [day, day + DAY_MS].map((at) => new Date(at).toISOString());
    const period = `timeRange=CUSTOM&timeGroup=HOUR&startDate=${startDate}&endDate=${endDate}`;
    return figures(`/admin/dashboard-v2/${path}?${period}${more}`);
  };
  const [today, tomorrow] = [await read(midnight - DAY_MS), await read(midnight, '&compare=true')];
  expect(today).toMatchObject(tomorrow.previous);
  expect(Object.keys(tomorrow.previous).length).toBeGreaterThan(4);
  const { previous: _, ...own } = tomorrow;
  expect(await read(midnight)).toEqual(own);
});

test('adds the series of the previous period to the main figures if the request compares them', async () => {
  const path = '/admin/dashboard-v2/main/stats?timeRange=LAST_7_DAYS&timeGroup=DAY';
  const { ngrMetrics } = await figures(`${path}&compare=true`);
  expect(ngrMetrics.previousSeries).toHaveLength(7);
  expect(ngrMetrics.previousSeries[6].at < ngrMetrics.series[0].at).toBe(true);
  expect((await figures(path)).ngrMetrics.previousSeries).toBeUndefined();
});

test('excludes all play, including earlier play, of users who become staff or test users', async () => {
  const { rows } = await sql<{
    id: number;
  }>`select user_id as id from money_hours where kind = 'promo.conversion'`.execute(world.app.db);
  const mark = (is_test: boolean) =>
    world.app.db.updateTable('users').set({ is_test }).where('id', '=', rows[0]!.id).execute();
  await mark(true);
  const { current } = await figures(`/admin/dashboard/overview?${days()}`);
  expect(current).toMatchObject({
    turnoverUsd: '1006',
    ggrUsd: '51',
    ngrUsd: '45.75',
    activeUsers: 2,
    betCount: 2,
  });
  await mark(false);
  expect((await figures(`/admin/dashboard/overview?${days()}`)).current).toMatchObject({
    ngrUsd: '5.75',
    activeUsers: 3,
  });
});
