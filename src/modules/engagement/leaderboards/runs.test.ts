import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import { correctBet, cursorPosition, placeBet, reverseBet } from '../../../../test/kit/bets.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { startLeaderboards } from '../../../../test/kit/leaderboards.ts';
import { rebuild, replay } from '../../games/bets/consumers.ts';
import { LEADERBOARD_CHECKS } from '../../operations/reconcile/leaderboards.ts';
import { declares } from './declares.ts';

// Some bets have no money: the books do not balance with them.
const world = fixture(() => startLeaderboards({ reconcileOnStop: false }));
const two = fixture(() => startApp({ database: world.database, reconcileOnStop: false }));

const CHANGE = { enabled: true, name: 'Race', description: 'Run', prizes: [{ place: 1, usdAmount: '10' }] };
const set = (id: string, fields: object = {}) =>
  world.boss.call('POST', `/admin/leaderboards/schedule/${id}`, { body: { ...CHANGE, ...fields } });
const runsOf = async (id: string) =>
  (await world.boss.call('GET', `/admin/leaderboards/schedule/${id}`)).body.leaderboards as any[];
const broken = async () => {
  const found: string[] = [];
  for (const [problem, query] of Object.entries({ ...declares.checks, ...LEADERBOARD_CHECKS }))
    if ((await sql.raw(query).execute(world.db)).rows.length > 0) found.push(problem);
  return found;
};
const diceId = async () =>
  (await world.db.selectFrom('games').select('id').where('slug', '=', 'dice').executeTakeFirstOrThrow()).id;

describe('schedules', () => {
  test('are off at first; switched on, one has a run from now to the end of its period, whose settings stay', async () => {
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
  });

  test('the end of a run makes the next one with the settings of then, once, whoever comes first', async () => {
    await set('weekly', { name: 'First' });
    await set('weekly', { name: 'Second' });
    const [first] = await runsOf('weekly');
    const player = await world.player();
    await world.bet(player, '3');
    await world.count();
    const ago = '8 days';
    await sql`update leaderboards set start_date = start_date - ${ago}::interval, end_date = end_date - ${ago}::interval where id = ${Number(first.id)}`.execute(
      world.db,
    );
    await sql`update leaderboard_schedules set next_start = next_start - ${ago}::interval where id = 'weekly'`.execute(
      world.db,
    );
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

  test('a run that was cancelled is followed by the next one; a change of settings skips none', async () => {
    await set('monthly', { name: 'First' });
    const [first] = await runsOf('monthly');
    await world.boss.call('POST', `/admin/leaderboards/${first.id}/cancel`, { body: { reason: 'a test' } });
    const letPass = async (id: string) => {
      await sql`update leaderboards set start_date = start_date - interval '32 days', end_date = now() - interval '2 hours' where id = ${Number(id)}`.execute(
        world.db,
      );
      await sql`
        update leaderboard_schedules set next_start = (select end_date from leaderboards where id = ${Number(id)}) where id = 'monthly'`.execute(
        world.db,
      );
    };
    await letPass(first.id);
    await world.advance(first.id);
    const [second] = await runsOf('monthly');
    expect([second.config.name, second.status]).toEqual(['First', 'ACTIVE']);
    expect(Date.parse(second.startDate)).toBeLessThan(Date.now() - 7_000_000);
    await letPass(second.id);
    await set('monthly', { name: 'Second' });
    const runs = await runsOf('monthly');
    expect(runs.map(({ config }: any) => config.name)).toEqual(['First', 'First', 'First']);
    expect(runs[0].startDate).toBe(runs[1].endDate);
    await set('monthly', { enabled: false });
  });

  test('what cannot be is refused', async () => {
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

  test('rights: who reads cannot write', async () => {
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
  test('count games that are eligible and bets of the least amount; staff and test users are left out', async () => {
    const onDice = await world.special({ minBetUsd: '5', eligible: { gameSlugs: ['dice'] } });
    const onLimbo = await world.special({ eligible: { gameSlugs: ['limbo'] } });
    const [player, tester] = [await world.player(), await world.newPlayer({ usdt: 100 })];
    await world.bet(player, '5');
    await world.bet(player, '4.99');
    await world.bet(tester, '9');
    await world.count();
    expect(await world.standings(onDice)).toEqual([[1, player.id, '5']]);
    expect(await world.standings(onLimbo)).toEqual([]);
  });

  test('one that is still to come becomes ACTIVE at its start; a cancelled one counts nothing any more', async () => {
    const startDate = new Date(Date.now() + 3_600_000).toISOString();
    const id = await world.special({ startDate });
    expect(await world.statusOf(id)).toBe('SCHEDULED');
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
    expect((await cancel()).body.code).toBe('LEADERBOARD_STATUS_CONFLICT');
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
  });
});

describe('what players see', () => {
  test('their own place, how far the next prize is, and others who hide as Incognito', async () => {
    await world.cancelAll();
    const id = await world.special();
    const [a, b, c] = [await world.player(), await world.player(), await world.player()];
    for (const [player, amount] of [
      [a, '30'],
      [b, '20'],
      [c, '5'],
    ] as const)
      await world.bet(player, amount);
    await world.count();
    await sql`update users set is_private = true where id = ${b.id}`.execute(world.db);
    const outside = (await world.call('GET', `/leaderboards/${id}?take=2`)).body;
    expect(outside.users.map((row: any) => [row.place, row.user.id, row.user.username])).toEqual([
      [1, a.id, a.username],
      [2, null, 'Incognito'],
    ]);
    expect(outside.me).toBeNull();
    const own = (await b.call('GET', `/leaderboards/${id}`)).body;
    expect(own.users[1].user.id).toBe(b.id);
    expect(own.me).toEqual({ place: 2, score: '20', usdToNextPrize: '10' });
    expect((await a.call('GET', `/leaderboards/${id}`)).body.me).toEqual({
      place: 1,
      score: '30',
      usdToNextPrize: null,
    });
    const signedOut = await world.call('GET', `/leaderboards/${id}`, { token: `${a.token}x` });
    expect([signedOut.status, signedOut.body.me]).toEqual([200, null]);
    const stranger = await world.player();
    expect((await stranger.call('GET', `/leaderboards/${id}`)).body.me).toEqual({
      place: null,
      score: '0',
      usdToNextPrize: '5',
    });
    expect((await world.call('GET', '/leaderboards/0')).body.code).toBe('LEADERBOARD_NOT_FOUND');
    const list = (await world.call('GET', '/leaderboards?type=SPECIAL&status=ACTIVE&take=20')).body;
    expect(list.data.map((row: any) => row.id)).toContain(id);
    expect((await c.call('GET', '/leaderboards/my')).body.data).toMatchObject([
      { leaderboardId: id, place: 3, score: '5' },
    ]);
    const found = (await world.boss.call('GET', `/admin/leaderboards/${id}/users?search=${c.username}`)).body;
    expect(found.data.map((row: any) => [row.place, row.userId])).toEqual([[3, c.id]]);
    const listed = (await world.boss.call('GET', '/admin/leaderboards?withUsers=true&withSchedule=true')).body
      .data;
    expect(listed.find((row: any) => row.id === id)).toMatchObject({
      schedule: null,
      leaderboardUsers: [{ place: 1 }, {}, {}],
    });
  });

  test('are told when the first ten change, at most every five seconds', async () => {
    const id = await world.special();
    const player = await world.player();
    const told = async () => {
      const { rows } = await sql<any>`
        select data from events where name = 'leaderboard.updated' and data ->> 'leaderboardId' = ${id} order by id`.execute(
        world.db,
      );
      return rows.map(({ data }) => data.leaders);
    };
    const before = (await told()).length;
    for (let i = 0; i < 3; i++) {
      await world.bet(player, '2');
      await world.count();
    }
    // It was announced as it was made: the next time is later, by a job.
    expect((await told()).length).toBe(before);
    await sql`update leaderboards set announced_at = announced_at - interval '5 seconds' where id = ${Number(id)}`.execute(
      world.db,
    );
    const news = world.services.leaderboards.tasks['leaderboard-news']!;
    await news({ leaderboardId: Number(id) });
    await news({ leaderboardId: Number(id) });
    expect(await told()).toHaveLength(before + 1);
    expect((await told()).at(-1)).toEqual([{ place: 1, username: player.username, score: '6' }]);
  });
});

describe('corrections', () => {
  test('take out what a bet came to and add what it comes to, in slices of any size', async () => {
    await world.cancelAll();
    const id = await world.special();
    const player = await world.player();
    const bet = { userId: player.id, gameId: await diceId() };
    const first = await placeBet(world.app, { ...bet, amount: 1_000_000_000n, usd: 1n });
    const second = await placeBet(world.app, { ...bet, amount: 500_000_000n, usd: 1n });
    await world.count();
    expect(await world.standings(id)).toEqual([[1, player.id, '15']]);
    await correctBet(world.app, { id: first, userId: player.id }, { amount: 200_000_000n });
    await correctBet(world.app, { id: second, userId: player.id }, null);
    for (let i = 0; i < 5; i++) await world.services.leaderboards.consumer.consume(1);
    await world.count();
    expect(await world.standings(id)).toEqual([[1, player.id, '2']]);
    await correctBet(world.app, { id: second, userId: player.id }, { amount: 300_000_000n, at: new Date() });
    await world.count();
    expect(await world.standings(id)).toEqual([[1, player.id, '5']]);
    expect(await broken()).toEqual([]);
  });
});

test('the end: bets in flight are waited for, and two processes make one set of places', async () => {
  const id = await world.special();
  const player = await world.player();
  const bets = Array.from({ length: 20 }, () => betOnDice(player, { betAmount: '1' }));
  await Promise.all(bets);
  expect(await cursorPosition(world.app, 'leaderboards')).toBeGreaterThan(0n);
  // Nothing is counted yet: the end waits for the cursor.
  await sql`update leaderboards set start_date = start_date - interval '2 days', end_date = now() - interval '61 seconds' where id = ${Number(id)}`.execute(
    world.db,
  );
  await sql`update bets set created_at = now() - interval '1 hour', settled_at = settled_at - interval '1 hour' where user_id = ${player.id}`.execute(
    world.db,
  );
  await world.advance(id);
  expect((await world.boss.call('GET', `/admin/leaderboards/${id}`)).body.status).toBe('FINALIZING');
  const consuming = world.count();
  await vi.waitUntil(
    async () => {
      await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? two : world).services.leaderboards.tasks.leaderboard!({ leaderboardId: Number(id) }),
        ),
      );
      return (await world.boss.call('GET', `/admin/leaderboards/${id}`)).body.status === 'AWAITING_PAYOUT';
    },
    { timeout: 20_000, interval: 50 },
  );
  await consuming;
  expect(await world.standings(id)).toEqual([[1, player.id, '20']]);
  const { rows } = await sql<any>`
    select data ->> 'status' as status from events where name = 'leaderboard.updated' and data ->> 'leaderboardId' = ${id}
      and data ->> 'status' <> 'ACTIVE' order by id`.execute(world.db);
  expect(rows.map(({ status }) => status)).toEqual(['FINALIZING', 'AWAITING_PAYOUT']);
});

test('a rebuild and a replay come to the same, and leave frozen places and paid prizes alone', async () => {
  await world.cancelAll();
  const frozen = await world.special();
  const [a, b] = [await world.player(), await world.player()];
  await world.bet(a, '10');
  const back = await world.bet(b, '20');
  await world.bet(b, '4');
  await world.end(frozen);
  await world.give(world.boss, frozen, b);
  const open = await world.special();
  await world.bet(a, '1');
  const further = await world.bet(b, '3');
  await world.bet(b, '2');
  await world.count();
  await world.rollBack(back);
  await world.rollBack(further);
  await world.count();
  expect(await world.standings(open)).toEqual([
    [1, b.id, '2'],
    [2, a.id, '1'],
  ]);
  const all = async () => [await world.standings(frozen), await world.standings(open)];
  const before = await all();
  const position = await cursorPosition(world.app, 'leaderboards');
  await replay(world.db, 'leaderboards', position - 3000n > 0n ? position - 3000n : 0n);
  await vi.waitUntil(
    async () => {
      await world.services.leaderboards.consumer.consume(2);
      const { rows } = await sql<{ done: boolean }>`
      select replay_from is null as done from cursors where name = 'leaderboards'`.execute(world.db);
      return rows[0]!.done;
    },
    { timeout: 20_000, interval: 5 },
  );
  await world.count();
  expect(await all()).toEqual(before);
  await rebuild(world.db, 'leaderboards');
  await world.count();
  expect(await all()).toEqual(before);
  expect(await broken()).toEqual([]);
});

describe('reconcile', () => {
  test('finds what was changed', async () => {
    await world.cancelAll();
    const [a, b] = [await world.player(), await world.player()];
    const ended = await world.special();
    await world.bet(a, '2');
    await world.bet(b, '1');
    await world.end(ended);
    await world.give(world.boss, ended, a);
    const open = await world.special();
    await world.bet(a, '10');
    await world.bet(a, '11');
    await world.bet(b, '20');
    await world.count();
    expect(await broken()).toEqual([]);
    const [run, over] = [Number(open), Number(ended)];
    const cases: [string, string, string][] = [
      [
        'a score of a leaderboard is not the sum of the bets that count',
        `update leaderboard_scores set score = score + 1 where leaderboard_id = ${run} and user_id = ${a.id}`,
        `update leaderboard_scores set score = score - 1 where leaderboard_id = ${run} and user_id = ${a.id}`,
      ],
      [
        'a leaderboard does not count those who take part',
        `update leaderboards set participants = participants + 1 where id = ${run}`,
        `update leaderboards set participants = participants - 1 where id = ${run}`,
      ],
      [
        'a place of a leaderboard is not that of its score',
        `update leaderboard_scores set place = 9 where leaderboard_id = ${over} and user_id = ${b.id}`,
        `update leaderboard_scores set place = 2 where leaderboard_id = ${over} and user_id = ${b.id}`,
      ],
      [
        'a finished leaderboard owes a prize, or one that is not finished owes none',
        `update leaderboards set status = 'FINISHED' where id = ${over}`,
        `update leaderboards set status = 'AWAITING_PAYOUT' where id = ${over}`,
      ],
      [
        'a prize of a leaderboard is not that of its place',
        `update leaderboard_scores set prize_usd = 1 where leaderboard_id = ${over} and user_id = ${a.id}`,
        `update leaderboard_scores set prize_usd = 10000000000 where leaderboard_id = ${over} and user_id = ${a.id}`,
      ],
      [
        'a prize of a leaderboard has not exactly its entry, or an entry no prize',
        `update leaderboard_prizes set amount = amount + 1 where leaderboard_id = ${over}`,
        `update leaderboard_prizes set amount = amount - 1 where leaderboard_id = ${over}`,
      ],
    ];
    for (const [problem, corrupt, mend] of cases) {
      await sql.raw(corrupt).execute(world.db);
      expect(await broken(), corrupt).toContain(problem);
      await sql.raw(mend).execute(world.db);
      expect(await broken()).toEqual([]);
    }
    const bets = 'a bet in an open leaderboard is not what the bet comes to, or one that counts is missing';
    await sql`update leaderboard_bets set usd = usd + 1 where leaderboard_id = ${run} and user_id = ${b.id}`.execute(
      world.db,
    );
    expect(await broken()).toContain(bets);
    await sql`update leaderboard_bets set usd = usd - 1 where leaderboard_id = ${run} and user_id = ${b.id}`.execute(
      world.db,
    );
    await sql`
      delete from leaderboard_bets where leaderboard_id = ${run} and user_id = ${a.id}
        and place = (select max(place) from leaderboard_bets where leaderboard_id = ${run} and user_id = ${a.id})`.execute(
      world.db,
    );
    expect(await broken()).toContain(bets);
  });
});

test('the counted bets of runs that ended three months ago are forgotten; who took part and won stays', async () => {
  await world.cancelAll();
  const id = await world.special();
  const player = await world.player();
  await world.bet(player, '7');
  await world.end(id);
  await world.give(world.boss, id, player);
  const counted = async () =>
    (
      await world.db
        .selectFrom('leaderboard_bets')
        .select('bet_id')
        .where('leaderboard_id', '=', Number(id))
        .execute()
    ).length;
  await world.services.leaderboards.purge();
  expect(await counted()).toBe(1);
  await sql`
    update leaderboards set start_date = start_date - interval '90 days', end_date = end_date - interval '90 days' where id = ${Number(id)}`.execute(
    world.db,
  );
  await world.services.leaderboards.purge();
  expect(await counted()).toBe(0);
  expect(await world.standings(id)).toEqual([[1, player.id, '7']]);
  expect((await player.call('GET', '/leaderboards/my?sortBy=place')).body.data[0]).toMatchObject({
    prizeUsdAmount: '100',
  });
});

test('staff finds who waits for a prize, and lists by state, type and order', async () => {
  await world.cancelAll();
  const id = await world.special();
  const [a, b] = [await world.player(), await world.player()];
  await world.bet(a, '9');
  await world.bet(b, '8');
  await world.end(id);
  await world.give(world.boss, id, a);
  const found = async (query: string) =>
    (await world.boss.call('GET', `/admin/leaderboards/${id}/users?${query}`)).body.data.map(
      (row: any) => row.userId,
    );
  expect(await found('isWaitingForPrice=true')).toEqual([b.id]);
  expect(await found('isWaitingForPrice=false')).toEqual([a.id]);
  expect(await found('isWinner=true&take=1&page=2')).toEqual([b.id]);
  expect(await found(`search=${a.id}`)).toContain(a.id);
  const list = async (query: string) =>
    (await world.boss.call('GET', `/admin/leaderboards?${query}`)).body.data;
  expect((await list('status=AWAITING_PAYOUT&type=SPECIAL')).map((row: any) => row.id)).toContain(id);
  expect(await list('status=SCHEDULED&type=DAILY')).toEqual([]);
  const ids = (await list('sortBy=createdAt&sortOrder=asc')).map((row: any) => Number(row.id));
  expect(ids).toEqual(ids.toSorted((x: number, y: number) => x - y));
  for (const path of [
    `/admin/leaderboards/9999`,
    `/admin/leaderboards/9999/users`,
    `/admin/leaderboards/x/users/1`,
  ])
    expect((await world.boss.call('GET', path)).body.code).toBe('LEADERBOARD_NOT_FOUND');
  expect((await world.boss.call('GET', `/admin/leaderboards/${id}/users/2000000000`)).body.code).toBe(
    'LEADERBOARD_USER_NOT_FOUND',
  );
});

test('bets that were rolled back while nothing was consumed leave nothing behind', async () => {
  const id = await world.special();
  const player = await world.player();
  const bet = { userId: player.id, gameId: await diceId() };
  const made = await placeBet(world.app, { ...bet, amount: 700_000_000n, usd: 1n });
  await reverseBet(world.app, { id: made, userId: player.id });
  await world.count();
  expect(await world.standings(id)).toEqual([]);
});
