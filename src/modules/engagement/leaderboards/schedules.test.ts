import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { callByTwo, startApp } from '../../../../test/kit/app.ts';
import { startLeaderboards } from '../../../../test/kit/engagement/leaderboards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { placeBet } from '../../../../test/kit/games/bets.ts';
import { newGames, newProvider } from '../../../../test/kit/games/catalogue.ts';

// Reconciliation is off, because the tests move the dates of runs but not those of their bets.
const world = fixture(() => startLeaderboards({ reconcileOnStop: false }));
const two = fixture(() => startApp({ database: world.database, reconcileOnStop: false }));

const CHANGE = { enabled: true, name: 'Race', description: 'Run', prizes: [{ place: 1, usdAmount: '10' }] };
const set = (id: string, fields: object = {}) =>
  callByTwo(world.boss, 'POST', `/admin/leaderboards/schedule/${id}`, { body: { ...CHANGE, ...fields } });
const runsOf = async (id: string) =>
  (await world.boss.call('GET', `/admin/leaderboards/schedule/${id}`)).body.leaderboards as any[];
const idOfGame = async (slug: string) =>
  (await world.db.selectFrom('games').select('id').where('slug', '=', slug).executeTakeFirstOrThrow()).id;
/** Moves a schedule and its latest run into the past. */
async function letPass(id: string, leaderboardId: string, interval: string) {
  await sql`update leaderboards set start_date = start_date - ${interval}::interval, end_date = end_date - ${interval}::interval
    where id = ${Number(leaderboardId)}`.execute(world.db);
  await sql`update leaderboard_schedules set next_start = next_start - ${interval}::interval where id = ${id}`.execute(
    world.db,
  );
}

describe('schedules', () => {
  test('creates schedules disabled, and starts a run with a copy of the settings as soon as a schedule is enabled', async () => {
    const { body } = await world.boss.call('GET', '/admin/leaderboards/schedule');
    expect(body.map(({ id, enabled }: any) => [id, enabled])).toEqual([
      ['daily', false],
      ['monthly', false],
      ['weekly', false],
    ]);
    const before = Date.now();
    const made = await set('daily');
    expect(made.status).toBe(201);
    const [run] = made.body.leaderboards;
    expect(run).toMatchObject({
      type: 'DAILY',
      status: 'ACTIVE',
      scheduleId: 'daily',
      config: { name: 'Race' },
    });
    expect(Math.abs(Date.parse(run.startDate) - before)).toBeLessThan(60_000);
    expect(run.endDate).toMatch(/T00:00:00.000Z$/);
    await set('daily', { name: 'Another' });
    const runs = await runsOf('daily');
    expect(runs.map(({ config }: any) => config.name)).toEqual(['Race']);
    await set('daily', { enabled: false });
    expect((await runsOf('daily')).map(({ status }: any) => status)).toEqual(['ACTIVE']);
    const { before: was, after: is } = await world.audited('/admin/leaderboards/schedule/daily');
    expect(was).toMatchObject({ id: 'daily', enabled: true, config: { name: 'Another', type: 'DAILY' } });
    expect(is).toMatchObject({
      id: 'daily',
      enabled: false,
      config: { name: 'Race', prizes: CHANGE.prizes },
    });
  });

  test('creates the run for a bet that is consumed before the task runs, and counts the bet', async () => {
    const [yesterday] = await runsOf('daily');
    await set('daily', { name: 'Tomorrow' });
    await letPass('daily', yesterday.id, '1 day');
    const player = await world.player();
    await world.bet(player, '6');
    await world.count();
    const [today, ...others] = await runsOf('daily');
    expect(others.map(({ id }: any) => id)).toEqual([yesterday.id]);
    expect(today).toMatchObject({
      status: 'ACTIVE',
      config: { name: 'Tomorrow' },
      startDate: others[0].endDate,
    });
    expect(await world.standings(today.id)).toEqual([[1, player.id, '6']]);
    expect((await world.standings(yesterday.id)).map(([, id]: any) => id)).not.toContain(player.id);
    await set('daily', { enabled: false });
  });

  test('creates the next run only once when a run ends, with the current settings, even concurrently', async () => {
    await set('weekly', { name: 'First' });
    await set('weekly', { name: 'Second' });
    const [first] = await runsOf('weekly');
    const player = await world.player();
    await world.bet(player, '3');
    await world.count();
    await letPass('weekly', first.id, '8 days');
    const advance = { leaderboardId: Number(first.id) };
    const bets = world.bet(player, '5').then(() => world.count());
    await Promise.all([
      bets,
      ...Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? two : world).services.leaderboards.tasks.leaderboard!(advance),
      ),
    ]);
    const runs = await runsOf('weekly');
    expect(runs.length).toBeGreaterThan(1);
    expect(runs.map(({ config }: any) => config.name)).toEqual([
      ...Array(runs.length - 1).fill('Second'),
      'First',
    ]);
    const ends = runs.map(({ endDate }: any) => endDate);
    expect(new Set(ends).size).toBe(runs.length);
    for (const [i, run] of runs.slice(0, -1).entries()) expect(run.startDate).toBe(runs[i + 1].endDate);
    expect((await world.standings(runs[0].id)).map(([, userId]: any) => userId)).toContain(player.id);
    await set('weekly', { enabled: false });
  });

  test('continues after a cancelled run, and skips no run when the settings change', async () => {
    await set('monthly', { name: 'First' });
    const [first] = await runsOf('monthly');
    await world.boss.call('POST', `/admin/leaderboards/${first.id}/cancel`, { body: { reason: 'a test' } });
    const letEnd = async (id: string) => {
      await sql`update leaderboards set start_date = start_date - interval '32 days', end_date = now() - interval '2 hours' where id = ${Number(id)}`.execute(
        world.db,
      );
      await sql`
        update leaderboard_schedules set next_start = (select end_date from leaderboards where id = ${Number(id)}) where id = 'monthly'`.execute(
        world.db,
      );
    };
    await letEnd(first.id);
    await world.advance(first.id);
    const [second] = await runsOf('monthly');
    expect([second.config.name, second.status]).toEqual(['First', 'ACTIVE']);
    expect(Date.parse(second.startDate)).toBeLessThan(Date.now() - 7_000_000);
    await letEnd(second.id);
    await set('monthly', { name: 'Second' });
    const runs = await runsOf('monthly');
    expect(runs.map(({ config }: any) => config.name)).toEqual(['First', 'First', 'First']);
    expect(runs[0].startDate).toBe(runs[1].endDate);
    await set('monthly', { enabled: false });
  });

  test('rejects unknown periods, duplicate ranks, and invalid amounts and names', async () => {
    const codes = async (id: string, fields: object) => (await set(id, fields)).body.code;
    expect(await codes('yearly', {})).toBe('LEADERBOARD_SCHEDULE_NOT_FOUND');
    expect((await world.boss.call('GET', '/admin/leaderboards/schedule/yearly')).body.code).toBe(
      'LEADERBOARD_SCHEDULE_NOT_FOUND',
    );
    expect(await codes('daily', { prizes: [{ place: 1, usdAmount: '0' }] })).toBe('AMOUNT_OUT_OF_RANGE');
    const twice = { place: 1, usdAmount: '1' };
    for (const wrong of [
      { prizes: [] },
      { prizes: [twice, twice] },
      { enabled: 'yes' },
      { name: '' },
      { more: 1 },
    ])
      expect(await codes('daily', wrong)).toBe('VALIDATION_FAILED');
    const special = async (fields: object) =>
      (
        await world.boss.call('POST', '/admin/leaderboards', {
          body: {
            name: 'x',
            description: '',
            endDate: new Date(Date.now() + 60_000).toISOString(),
            currencyId: 'USDT',
            prizes: CHANGE.prizes,
            ...fields,
          },
        })
      ).body.code;
    expect(await special({ currencyId: 'NONE' })).toBe('CURRENCY_NOT_FOUND');
    expect(await special({ endDate: new Date(Date.now() - 1000).toISOString() })).toBe('VALIDATION_FAILED');
    expect(await special({ startDate: new Date(Date.now() - 60_000).toISOString() })).toBe(
      'VALIDATION_FAILED',
    );
    expect(await special({ endDate: new Date(Date.now() + 400 * 86_400_000).toISOString() })).toBe(
      'VALIDATION_FAILED',
    );
    expect(await special({ minBetUsd: '1.000000001' })).toBe('AMOUNT_OUT_OF_RANGE');
  });

  test('rejects changes by staff who only have leaderboard.read', async () => {
    const reader = await world.as({ permissions: ['leaderboard.read'] });
    const writes = [
      ['/admin/leaderboards/schedule/daily', CHANGE],
      ['/admin/leaderboards', {}],
      ['/admin/leaderboards/1/cancel', { reason: 'x' }],
    ] as const;
    for (const [path, body] of writes) expect((await reader.call('POST', path, { body })).status).toBe(403);
    expect((await reader.call('GET', '/admin/leaderboards')).status).toBe(200);
    expect((await (await world.player()).call('GET', '/admin/leaderboards')).status).toBe(403);
  });
});

describe('special leaderboards', () => {
  test('counts bets of at least the minimum, except those of staff and test users', async () => {
    const id = await world.special({ minBetUsd: '5' });
    const [player, tester, clerk] = [
      await world.player(),
      await world.newPlayer({ usdt: 100 }),
      await world.player(),
    ];
    await sql`update users set is_staff = true where id = ${clerk.id}`.execute(world.db);
    await world.bet(player, '5');
    await world.bet(player, '4.99');
    for (const outside of [tester, clerk]) await world.bet(outside, '9');
    await world.count();
    expect(await world.standings(id)).toEqual([[1, player.id, '5']]);
  });

  test('counts games by category, provider or slug', async () => {
    const { id: providerId } = await newProvider(world.app);
    const [ofProvider, ofCategory, other] = await newGames(world.app, [
      { provider_id: providerId, categories: ['LIVE'] },
      { provider_id: (await newProvider(world.app)).id, categories: ['CRASH', 'SLOTS'] },
      { provider_id: (await newProvider(world.app)).id, categories: ['LIVE'] },
    ]);
    const some = await world.special({
      eligible: { categories: ['CRASH'], providerIds: [providerId], gameSlugs: ['limbo'] },
    });
    const every = await world.special();
    const player = await world.player();
    const gameIds = [
      ofProvider!.id,
      ofCategory!.id,
      other!.id,
      await idOfGame('limbo'),
      await idOfGame('dice'),
    ];
    for (const [i, gameId] of gameIds.entries())
      await placeBet(world.app, {
        userId: player.id,
        gameId,
        amount: 100_000_000n * 10n ** BigInt(i),
        usd: 1n,
      });
    await world.count();
    expect(await world.standings(some)).toEqual([[1, player.id, '1011']]);
    expect(await world.standings(every)).toEqual([[1, player.id, '11111']]);
  });

  test('sets a leaderboard to ACTIVE at its start, and counts no bets once it is cancelled', async () => {
    const startDate = new Date(Date.now() + 3_600_000).toISOString();
    const id = await world.special({ startDate });
    expect(await world.statusOf(id)).toBe('SCHEDULED');
    expect((await world.audited('/admin/leaderboards')).after).toMatchObject({
      id,
      type: 'SPECIAL',
      status: 'SCHEDULED',
      startDate,
      config: { name: 'A race', currencyId: 'USDT' },
    });
    await world.advance(id);
    expect((await world.boss.call('GET', `/admin/leaderboards/${id}`)).body.status).toBe('SCHEDULED');
    await sql`update leaderboards set start_date = now() where id = ${Number(id)}`.execute(world.db);
    await world.advance(id);
    expect((await world.boss.call('GET', `/admin/leaderboards/${id}`)).body.status).toBe('ACTIVE');
    const player = await world.player();
    await world.bet(player, '1');
    await world.count();
    const cancel = () =>
      world.boss.call('POST', `/admin/leaderboards/${id}/cancel`, { body: { reason: 'wrong prizes' } });
    const cancelled = await cancel();
    expect([cancelled.status, cancelled.body.status]).toEqual([201, 'CANCELLED']);
    expect(await world.audited(`/admin/leaderboards/${id}/cancel`)).toMatchObject({
      before: { id, status: 'ACTIVE' },
      after: { id, status: 'CANCELLED' },
      reason: 'wrong prizes',
    });
    expect((await cancel()).body).toMatchObject({
      code: 'LEADERBOARD_STATUS_CONFLICT',
      details: { status: 'CANCELLED' },
    });
    await world.bet(player, '1');
    await world.count();
    await world.advance(id);
    expect((await world.boss.call('GET', `/admin/leaderboards/${id}/users`)).body.data[0]).toMatchObject({
      score: '1',
      place: null,
    });
    expect(
      (await world.boss.call('POST', '/admin/leaderboards/9999/cancel', { body: { reason: 'x' } })).body.code,
    ).toBe('LEADERBOARD_NOT_FOUND');
    const silent = await world.boss.call('POST', `/admin/leaderboards/${id}/cancel`, {
      body: { reason: ' ' },
    });
    expect(silent.body.code).toBe('VALIDATION_FAILED');
  });
});
