/**
 * Tests which requests each dashboard route accepts and rejects, its response when there is no data, and which callers share cached
 * responses.
 */
import { describe, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { consumeAll, placeBet } from '../../../../test/kit/games/bets.ts';

const app = fixture(() => startApp({ reconcileOnStop: false }));
const staff = fixture(() => app.as({ permissions: ['dashboard.read'] }));

/** A period that ends before the first data. */
const EMPTY = { startDate: '2020-03-02T00:00:00.000Z', endDate: '2020-03-04T00:00:00.000Z' };
const COMPARED = ['overview', 'revenue', 'payments', 'users', 'games', 'top-users', 'liabilities'].map(
  (route) => `/admin/dashboard/${route}`,
);
const GAME_ROUTES = ['game/stats', 'query/bets-by-type', 'query/games-by-slug', 'query/games-by-type'];
const CHARTS = [...GAME_ROUTES, 'query/payments', 'query/registrations'].map(
  (route) => `/admin/dashboard-v2/${route}`,
);
const MAIN = '/admin/dashboard-v2/main/stats';
const OPTIONS = '/admin/dashboard-v2/main/options';
const CUSTOM = { timeRange: 'CUSTOM', timeGroup: 'DAY', ...EMPTY };

type Query = Record<string, string>;
const ask = (path: string, query: Query = {}, by: Pick<Player, 'call'> = staff) =>
  by.call('GET', `${path}?${new URLSearchParams(query)}`);
const read = async (path: string, query: Query) => {
  const { status, body, text } = await ask(path, query);
  expect(status, text).toBe(200);
  return body;
};
const refused = async (path: string, query: Query) => {
  const { status, body } = await ask(path, query);
  return [status, body.code];
};
const INVALID = [400, 'VALIDATION_FAILED'];
const without = (query: Query, name: string) =>
  Object.fromEntries(Object.entries(query).filter(([key]) => key !== name));

describe('access to dashboards', () => {
  test.each([
    ...COMPARED.map((path): [string, Query] => [path, EMPTY]),
    ...CHARTS.map((path): [string, Query] => [path, CUSTOM]),
    [MAIN, { timeRange: 'TODAY', timeGroup: 'HOUR' }] as [string, Query],
    [OPTIONS, {}] as [string, Query],
  ])('%s', async (path, query) => {
    const anonymous = { call: app.call } as Player;
    expect((await ask(path, query, anonymous)).status).toBe(401);
    const [player, other] = [await app.newPlayer(), await app.as({ permissions: ['bet.read'] })];
    for (const by of [player, other]) {
      const { status, body } = await ask(path, query, by);
      expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    }
    expect((await ask(path, query)).status).toBe(200);
  });
});

describe('dashboards without data', () => {
  const NOTHING = {
    registrations: 0,
    ftd: 0,
    repeatDepositors: 0,
    activeUsers: 0,
    depositUsd: '0',
    withdrawUsd: '0',
    pendingWithdrawUsd: '0',
    turnoverUsd: '0',
    ggrUsd: '0',
    ngrUsd: '0',
    betCount: 0,
    averageBetUsd: '0',
    regToFtdRate: 0,
  };
  const twice = <T>(one: T) => ({ current: one, previous: one });

  test('returns zero figures for both periods when there is no data', async () => {
    expect(await read('/admin/dashboard/overview', EMPTY)).toEqual(twice(NOTHING));
    expect(await read('/admin/dashboard/payments', EMPTY)).toEqual(twice([]));
    expect(await read('/admin/dashboard/liabilities', EMPTY)).toEqual(twice([]));
    expect(await read('/admin/dashboard/games', EMPTY)).toEqual(twice({ top: [], worst: [] }));
    const rankings = { wagered: [], won: [], lost: [], deposited: [] };
    expect(await read('/admin/dashboard/top-users', EMPTY)).toEqual(twice(rankings));
  });

  test('returns a point for every step of both periods when there is no data', async () => {
    const { current, previous } = await read('/admin/dashboard/revenue', EMPTY);
    const at = (days: string[]) =>
      days.map((day) => ({ at: `${day}T00:00:00.000Z`, turnoverUsd: '0', ggrUsd: '0', ngrUsd: '0' }));
    expect(current.series).toEqual(at(['2020-03-02', '2020-03-03']));
    expect(previous.series).toEqual(at(['2020-02-29', '2020-03-01']));
    expect(current.deductions.providerFeesUsd).toBe('0');
    expect(current.ngrVersion).toBe('1');
    const users = await read('/admin/dashboard/users', EMPTY);
    expect(users.current).toMatchObject({ registrations: 0, ftd: 0, activeUsers: 0 });
    expect(users.current.cohorts).toEqual(
      ['2020-03-02', '2020-03-03'].map((date) => ({
        date,
        registrations: 0,
        ftd: 0,
        retentionD1: 0,
        retentionD7: 0,
        retentionD30: 0,
      })),
    );
  });

  test('returns chart points and empty pie charts when there is no data', async () => {
    const points = ['2020-03-02', '2020-03-03'].map((day) => ({ at: `${day}T00:00:00.000Z`, value: 0 }));
    const stats = await read('/admin/dashboard-v2/game/stats', CUSTOM);
    for (const [name, value] of Object.entries(stats))
      expect(value, name).toEqual(name.endsWith('TimeSeries') ? points : Array.isArray(value) ? [] : 0);
    const payments = await read('/admin/dashboard-v2/query/payments', CUSTOM);
    expect(payments).toEqual({
      depositAmount: 0,
      depositAmountTimeSeries: points,
      ratio: 0,
      ratioTimeSeries: points,
      withdrawalAmount: 0,
    });
    const registrations = await read('/admin/dashboard-v2/query/registrations', CUSTOM);
    expect(registrations).toEqual({
      registrationCount: 0,
      registrationTimeSeries: points,
      firstTimeDepositCount: 0,
      firstTimeDepositTimeSeries: points,
      firstTimeDepositPercent: 0,
      firstTimeDepositPercentTimeSeries: points,
    });
  });
});

describe('invalid dashboard requests', () => {
  test.each(COMPARED)('%s', async (path) => {
    expect(await refused(path, {})).toEqual(INVALID);
    for (const name of ['startDate', 'endDate'])
      expect(await refused(path, without(EMPTY, name))).toEqual(INVALID);
    for (const change of [
      { endDate: EMPTY.startDate },
      { startDate: EMPTY.endDate, endDate: EMPTY.startDate },
      { startDate: 'yesterday' },
      { endDate: '2100-01-01T00:00:00.000Z' },
      { startDate: '1969-12-31T23:00:00.000Z' },
      { timezone: 'Mars/Olympus' },
      { unknown: '1' },
    ])
      expect(await refused(path, { ...EMPTY, ...change }), JSON.stringify(change)).toEqual(INVALID);
    const { status, body } = await ask(path, { ...EMPTY, currencyId: 'NONE' });
    expect([status, body.code, body.details]).toEqual([404, 'CURRENCY_NOT_FOUND', { currencyId: 'NONE' }]);
  });

  test('rejects parameters that belong to another dashboard', async () => {
    expect(await refused('/admin/dashboard/overview', { ...EMPTY, take: '3' })).toEqual(INVALID);
    for (const path of ['games', 'top-users'].map((route) => `/admin/dashboard/${route}`)) {
      for (const take of ['0', '31', 'many'])
        expect(await refused(path, { ...EMPTY, take })).toEqual(INVALID);
      expect((await ask(path, { ...EMPTY, take: '30' })).status).toBe(200);
    }
    expect(await refused('/admin/dashboard/revenue', { ...EMPTY, timeGroup: 'YEAR' })).toEqual(INVALID);
    // In each of the two periods, at most 1,000 hours or 10,000 days are allowed.
    const startDate = '2020-01-01T00:00:00.000Z';
    const many = (count: number, timeGroup: 'HOUR' | 'DAY') => {
      const ms = count * (timeGroup === 'HOUR' ? 3_600_000 : 86_400_000);
      return { startDate, endDate: new Date(Date.parse(startDate) + ms).toISOString(), timeGroup };
    };
    for (const [most, group] of [
      [1000, 'HOUR'],
      [10_000, 'DAY'],
    ] as const) {
      expect(await refused('/admin/dashboard/revenue', many(most + 1, group))).toEqual(INVALID);
      expect((await read('/admin/dashboard/revenue', many(most, group))).current.series).toHaveLength(most);
    }
    const long = { startDate: '1990-01-01T00:00:00.000Z', endDate: '2040-01-01T00:00:00.000Z' };
    expect(await refused('/admin/dashboard/users', long)).toEqual(INVALID);
  });

  test.each(CHARTS)('%s', async (path) => {
    for (const name of Object.keys(CUSTOM))
      expect(await refused(path, without(CUSTOM, name)), name).toEqual(INVALID);
    for (const change of [
      { endDate: EMPTY.startDate },
      { timeRange: 'TODAY', timeGroup: 'DAY' },
      { timeRange: 'LAST_7_DAYS', timeGroup: 'WEEK' },
      { timeRange: 'LAST_30_DAYS', timeGroup: 'HOUR' },
      { timeRange: 'ALWAYS' },
      { timeGroup: 'MINUTE' },
      { orderBy: 'rtp' },
      { orderDirection: 'up' },
      { gameCategory: 'NONE' },
      { take: '10001' },
      { page: '0' },
      { gameSlug: 'x'.repeat(65) },
      { gameName: 'x'.repeat(101) },
      { unknown: '1' },
      // This period has 1,001 hours.
      { timeGroup: 'HOUR', startDate: '2020-01-01T00:00:00.000Z', endDate: '2020-02-11T17:00:00.000Z' },
    ] as Query[])
      expect(await refused(path, { ...CUSTOM, ...change }), JSON.stringify(change)).toEqual(INVALID);
    const most = { startDate: '2020-01-01T00:00:00.000Z', endDate: '2020-02-11T16:00:00.000Z' };
    expect((await ask(path, { ...CUSTOM, ...most, timeGroup: 'HOUR' })).status).toBe(200);
  });

  test('rejects a custom time range in main/stats', async () => {
    const query = { timeRange: 'LAST_7_DAYS', timeGroup: 'DAY' };
    const plain = await read(MAIN, query);
    expect(await read(MAIN, { ...query, debug: 'true' })).toEqual(plain);
    for (const change of [
      { timeRange: 'CUSTOM' },
      { timeGroup: 'MONTH' },
      { debug: 'perhaps' },
      { startDate: EMPTY.startDate },
    ])
      expect(await refused(MAIN, { ...query, ...change } as Query), JSON.stringify(change)).toEqual(INVALID);
    for (const name of Object.keys(query)) expect(await refused(MAIN, without(query, name))).toEqual(INVALID);
  });

  test('accepts every combination of time range and step', async () => {
    const options = await read(OPTIONS, {});
    expect(options).toHaveLength(8);
    for (const { timeRange, timeGroups } of options)
      for (const timeGroup of timeGroups) {
        const query = { ...EMPTY, timeRange, timeGroup };
        expect((await ask('/admin/dashboard-v2/query/registrations', query)).status).toBe(200);
        const { status } = await ask(MAIN, { timeRange, timeGroup });
        expect(status).toBe(timeRange === 'CUSTOM' ? 400 : 200);
      }
  });
});

describe('games of a period', () => {
  const DAY = { startDate: '2021-06-02T00:00:00.000Z', endDate: '2021-06-03T00:00:00.000Z' };
  const BY_SLUG = '/admin/dashboard-v2/query/games-by-slug';
  const slugs = async (query: Query) => {
    const rows = await read(BY_SLUG, { ...CUSTOM, ...DAY, ...query });
    return rows.gameSlugAnalytics.map(({ slug }: { slug: string }) => slug);
  };

  test('pages and sorts games, and compares them with the previous period', async () => {
    const { id: userId } = await newRealPlayer(app);
    const games = await app.db.selectFrom('games').select(['id', 'slug']).orderBy('id').limit(3).execute();
    for (const [i, { id: gameId }] of games.entries())
      for (let n = 0; n <= i; n++)
        await placeBet(app, {
          userId,
          gameId,
          amount: 10_000_000n * BigInt(3 - i),
          payout: i === 1 ? 50_000_000n : 0n,
          usd: 10n,
          settledAt: new Date(Date.parse(DAY.startDate) + 3_600_000 * n - (i === 2 ? 86_400_000 : 0)),
        });
    await consumeAll(app);
    const [first, second] = games.map(({ slug }) => slug);
    // The first game has a turnover of 3 dollars. The second has a turnover of 2 × 2 dollars with payouts of 5. The third was played the
    // day before.
    expect(await slugs({})).toEqual([first, second]);
    expect(await slugs({ orderDirection: 'asc' })).toEqual([second, first]);
    expect(await slugs({ orderBy: 'turnover' })).toEqual([second, first]);
    expect(await slugs({ orderBy: 'betCount', orderDirection: 'asc' })).toEqual([first, second]);
    expect(await slugs({ orderBy: 'activePlayers' })).toEqual([first, second]);
    expect(await slugs({ orderBy: 'margin', orderDirection: 'asc' })).toEqual([second, first]);
    expect(await slugs({ orderBy: 'name' })).toHaveLength(2);
    expect(await slugs({ take: '1' })).toEqual([first]);
    expect(await slugs({ take: '1', page: '2' })).toEqual([second]);
    expect(await slugs({ page: '2' })).toEqual([]);
    expect(await slugs({ gameSlug: second! })).toEqual([second]);
    const { current, previous } = await read('/admin/dashboard/overview', DAY);
    expect(current).toMatchObject({ turnoverUsd: '7', ggrUsd: '-3', betCount: 3, activeUsers: 1 });
    expect(previous).toMatchObject({ turnoverUsd: '3', ggrUsd: '3', betCount: 3, activeUsers: 1 });
    expect((await read('/admin/dashboard/games', { ...DAY, take: '1' })).current).toMatchObject({
      top: [{ game: { slug: first } }],
      worst: [{ game: { slug: second }, turnoverUsd: '4', ggrUsd: '-6', betCount: 2, actualRtp: 250 }],
    });
  });
});

test('shares a response between identical requests for the configured time, but masks names separately for each caller', async () => {
  const sharing = await startApp({
    env: { DASHBOARD_SHARED_SECONDS: '600' },
    database: app.database,
    reconcileOnStop: false,
  });
  try {
    const query = { startDate: '2021-08-01T00:00:00.000Z', endDate: '2021-08-02T00:00:00.000Z' };
    const { token } = await app.as({ permissions: ['dashboard.read'] });
    const boss = await app.as('superadmin');
    const path = (route: string, asked: Query) => `/admin/dashboard/${route}?${new URLSearchParams(asked)}`;
    const turnover = async (asked: Query, by = token) =>
      (await sharing.call('GET', path('overview', asked), { token: by })).body.current.turnoverUsd;
    const wagered = async (by: string) =>
      (await sharing.call('GET', path('top-users', query), { token: by })).body.current.wagered;
    const player = await newRealPlayer(app);
    const settledAt = new Date('2021-08-01T12:00:00.000Z');
    const bet = () =>
      placeBet(app, { userId: player.id, gameId: 1, amount: 100n, usd: 1_000_000n, settledAt });
    await bet();
    await consumeAll(app);
    expect(await turnover(query)).toBe('1');
    expect(await wagered(token)).toMatchObject([{ userId: player.id, usdAmount: '1' }]);
    await bet();
    await consumeAll(app);
    // The response to the first query is cached, and a second user gets the cached response too. The last query has another time zone, so
    // its response is not cached.
    expect(await turnover(query)).toBe('1');
    expect(await turnover(query, boss.token)).toBe('1');
    expect(await turnover({ ...query, timezone: 'Europe/Malta' })).toBe('2');
    const seen = async (by: string) => (await wagered(by))[0];
    expect(await seen(boss.token)).toMatchObject({
      usdAmount: '1',
      user: { username: player.username, email: `${player.username}@test.example` },
    });
    expect((await seen(token)).user.email).not.toContain(player.username);
    // This process does not cache responses.
    expect((await read('/admin/dashboard/overview', query)).current.turnoverUsd).toBe('2');
  } finally {
    await sharing.stop();
  }
});
