import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { startApp } from '../../../../test/kit/app.ts';
import { type Account, botsOf, EVERY_DAY, fromNow, startBots } from '../../../../test/kit/engagement/bots.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newGame, newProvider } from '../../../../test/kit/games/catalogue.ts';

const world = fixture(startBots);
const slot = fixture(async () => {
  const { app } = world;
  const { id } = await newProvider(app);
  return newGame(app, { provider_id: id });
});

const audits = (path: string) =>
  world.db
    .selectFrom('admin_audit')
    .select(['before', 'after'])
    .where('path', '=', path)
    .where('status_code', '<', 300)
    .orderBy('id', 'desc')
    .limit(2)
    .execute();

describe('POST /admin/bot-activity/manage', () => {
  test('sets the activity of a bot and replaces an existing one', async () => {
    const bot = await world.newBot();
    const first = await world.manage({
      userId: bot.id,
      type: 'HOUSE_GAME',
      behavior: 'CALM',
      playDays: ['SATURDAY', 'FRIDAY'],
      isActive: true,
      games: ['dice', 'plinko'],
      startTime: '20:05',
    });
    const expected = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userId: bot.id,
      user: { id: bot.id, username: bot.username, email: bot.email, avatar: null, vipLevel: 0 },
      type: 'HOUSE_GAME',
      behavior: 'CALM',
      playDays: ['SATURDAY', 'FRIDAY'],
      isActive: true,
      games: ['dice', 'plinko'],
      startTime: '20:05',
      lastRunAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: first.body.createdAt,
    };
    expect([first.status, first.body]).toEqual([201, expected]);
    const next = await world.manage({ userId: bot.id, ...fromNow({ isActive: false, games: ['limbo'] }) });
    expect(next.body).toMatchObject({
      id: first.body.id,
      isActive: false,
      games: ['limbo'],
      createdAt: first.body.createdAt,
    });
    expect(next.body.updatedAt > first.body.updatedAt).toBe(true);
    const one = await world.boss.call('GET', `/admin/bot-activity/one/${first.body.id}`);
    expect([one.status, one.body]).toEqual([200, next.body]);
    expect(await audits('/admin/bot-activity/manage')).toMatchObject([
      {
        before: { userId: bot.id, startTime: '20:05', isActive: true },
        after: { games: ['limbo'], isActive: false },
      },
      {
        before: null,
        after: { userId: bot.id, playDays: ['SATURDAY', 'FRIDAY'], games: ['dice', 'plinko'] },
      },
    ]);
  });

  test('stores only one activity when twenty requests arrive concurrently', async () => {
    const bot = await world.newBot();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => world.manage({ userId: bot.id, ...fromNow() })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
  });

  test("rejects players who are not bots, unknown users and the caller's own account", async () => {
    const account = await world.newAccount();
    expect(codeOf(await world.manage({ userId: account.id, ...fromNow() }))).toBe('409 BOT_ACCOUNT_NEEDED');
    expect(codeOf(await world.manage({ userId: 2_000_000_000, ...fromNow() }))).toBe('404 USER_NOT_FOUND');
    expect(codeOf(await world.manage({ userId: world.boss.id, ...fromNow() }))).toBe('403 OWN_ACCOUNT');
  });

  test('rejects unknown games and games of another type', async () => {
    const bot = await world.newBot();
    const put = (fields: object) => world.manage({ userId: bot.id, ...fromNow(fields) });
    for (const [fields, path] of [
      [{ games: ['dice', 'nothing'] }, 'games.1'],
      [{ games: [slot.slug] }, 'games.0'],
      [{ type: 'SLOTS', games: [slot.slug, 'dice'] }, 'games.1'],
      [{ type: 'MIXED', games: ['sportsbook'] }, 'games.0'],
    ] as const) {
      const response = await put(fields);
      expect([codeOf(response), response.body.details.fields[0].path], path).toEqual([
        '400 VALIDATION_FAILED',
        path,
      ]);
    }
    for (const fields of [
      { type: 'SLOTS', games: [slot.slug] },
      { type: 'MIXED', games: [slot.slug, 'dice'] },
    ])
      expect((await put(fields)).status).toBe(201);
  });

  test.each([
    ['an unknown day', { playDays: ['Monday'] }],
    ['a day twice', { playDays: ['MONDAY', 'MONDAY'] }],
    ['no day', { playDays: [] }],
    ['no game', { games: [] }],
    ['a game twice', { games: ['dice', 'dice'] }],
    ['too many games', { games: Array.from({ length: 51 }, (_, i) => `g${i}`) }],
    ['an impossible time', { startTime: '24:00' }],
    ['a time without a leading zero', { startTime: '9:00' }],
    ['an unknown type', { type: 'POKER' }],
    ['an unknown behavior', { behavior: 'WILD' }],
    ['an unknown field', { stake: '5' }],
    ['no isActive', { isActive: undefined }],
  ])('rejects %s', async (_, fields) => {
    const bot = await world.newBot();
    expect(codeOf(await world.manage({ userId: bot.id, ...fromNow(fields) }))).toBe('400 VALIDATION_FAILED');
  });
});

describe('PATCH /admin/bot-activity/manage', () => {
  test('changes only the given fields', async () => {
    const bot = await world.newBot();
    const { body: before } = await world.manage({ userId: bot.id, ...fromNow() });
    for (const fields of [
      { behavior: 'NORMAL' },
      { isActive: false },
      { playDays: ['SUNDAY'] },
      { startTime: '00:00' },
      { type: 'MIXED', games: [slot.slug, 'keno'] },
      {},
    ]) {
      const { status, body } = await world.change({ userId: bot.id, ...fields });
      expect(status).toBe(200);
      Object.assign(before, fields, { updatedAt: body.updatedAt });
      expect(body).toEqual(before);
    }
  });

  test('rejects a missing activity, an unknown user, and games of another type', async () => {
    const bot = await world.newBot();
    expect(codeOf(await world.change({ userId: bot.id, isActive: false }))).toBe(
      '404 BOT_ACTIVITY_NOT_FOUND',
    );
    expect(codeOf(await world.change({ userId: 2_000_000_000 }))).toBe('404 USER_NOT_FOUND');
    await world.manage({ userId: bot.id, ...fromNow() });
    for (const fields of [{ type: 'SLOTS' }, { games: [slot.slug] }])
      expect(codeOf(await world.change({ userId: bot.id, ...fields }))).toBe('400 VALIDATION_FAILED');
  });

  test('lets staff edit the activity of a former bot but not activate it', async () => {
    const bot = await world.newActiveBot();
    await world.toggle(bot.id, false);
    expect((await world.change({ userId: bot.id, behavior: 'CALM' })).body).toMatchObject({
      behavior: 'CALM',
      isActive: false,
    });
    expect(codeOf(await world.change({ userId: bot.id, isActive: true }))).toBe('409 BOT_ACCOUNT_NEEDED');
  });
});

describe('GET /admin/bot-activity', () => {
  test('filters, sorts and pages activities', async () => {
    const activities = [
      { type: 'HOUSE_GAME', behavior: 'CALM', playDays: ['MONDAY'], startTime: '23:10', games: ['dice'] },
      {
        type: 'SLOTS',
        behavior: 'NORMAL',
        playDays: ['MONDAY', 'SUNDAY'],
        startTime: '00:20',
        games: [slot.slug],
      },
      { type: 'MIXED', behavior: 'AGGRESSIVE', playDays: ['FRIDAY'], startTime: '12:00', games: ['dice'] },
      {
        type: 'HOUSE_GAME',
        behavior: 'CALM',
        playDays: EVERY_DAY,
        startTime: '06:00',
        games: ['keno'],
        isActive: true,
      },
    ];
    // Deletes the activities of earlier tests, because this test expects only its own.
    await sql`delete from bot_activities`.execute(world.db);
    const bots: Account[] = [];
    for (const fields of activities) {
      const bot = await world.newBot();
      expect(
        (await world.manage({ userId: bot.id, ...fromNow({ isActive: false, ...fields }) })).status,
      ).toBe(201);
      bots.push(bot);
    }
    await sql`update bot_activities set last_run_at = now() where user_id = ${bots[1]!.id}`.execute(world.db);
    const find = async (query: string) => {
      const { status, body } = await world.boss.call('GET', `/admin/bot-activity/all?${query}`);
      expect(status).toBe(200);
      return body as any;
    };
    const indexesOf = async (query: string) =>
      (await find(query)).data.map(({ userId }: { userId: number }) =>
        bots.findIndex(({ id }) => id === userId),
      );
    for (const [query, expected] of [
      ['isActive=false', [2, 1, 0]],
      ['isActive=true', [3]],
      ['isActive=false&sortOrder=asc', [0, 1, 2]],
      ['isActive=false&sortBy=startTime&sortOrder=asc', [1, 2, 0]],
      ['isActive=false&sortBy=lastRunAt&sortOrder=desc', [1, 2, 0]],
      ['isActive=false&sortBy=lastRunAt&sortOrder=asc', [0, 2, 1]],
      ['isActive=false&sortBy=userId&sortOrder=asc', [0, 1, 2]],
      ['isActive=false&type=SLOTS', [1]],
      ['isActive=false&behavior=CALM', [0]],
      ['isActive=false&playDays=MONDAY&sortOrder=asc', [0, 1]],
      ['isActive=false&playDays=SUNDAY&playDays=FRIDAY&sortOrder=asc', [1, 2]],
      [`isActive=false&username=${bots[2]!.username.toUpperCase()}`, [2]],
      [`isActive=true&username=${bots[2]!.username}`, []],
      ['isActive=false&fromTime=12:00&sortOrder=asc', [0, 2]],
      ['isActive=false&toTime=12:00&sortOrder=asc', [1, 2]],
      ['isActive=false&fromTime=12:01&toTime=23:09', []],
      ['isActive=false&fromTime=23:00&toTime=01:00&sortOrder=asc', [0, 1]],
    ] as const)
      expect(await indexesOf(query), query).toEqual(expected);
    const page = await find('isActive=false&take=2&page=2&sortOrder=asc');
    expect([page.total, page.totalPages, page.data.length]).toEqual([3, 2, 1]);
    expect((await find('isActive=false&page=9007199254740991')).data).toEqual([]);
  });

  test.each([
    '',
    'isActive=perhaps',
    'isActive=true&fromTime=7',
    'isActive=true&sortBy=games',
    'isActive=true&take=101',
  ])('rejects the query "%s"', async (query) => {
    expect(codeOf(await world.boss.call('GET', `/admin/bot-activity/all?${query}`))).toBe(
      '400 VALIDATION_FAILED',
    );
  });

  test('returns 404 for an unknown activity', async () => {
    for (const id of ['01926f3a-7c3e-7d2a-9c1b-3f5e8a7b6c5d', '17'])
      expect(codeOf(await world.boss.call('GET', `/admin/bot-activity/one/${id}`))).toBe(
        '404 BOT_ACTIVITY_NOT_FOUND',
      );
  });

  test('requires separate permissions to read and to write', async () => {
    const bot = await world.newActiveBot();
    const reader = await world.as({ permissions: ['bot.read'] });
    const writer = await world.as({ permissions: ['bot.write'] });
    const all = (by: typeof reader) => by.call('GET', '/admin/bot-activity/all?isActive=true');
    expect([(await all(reader)).status, (await all(writer)).status]).toEqual([200, 403]);
    const body = { userId: bot.id, behavior: 'CALM' };
    expect([(await world.change(body, reader)).status, (await world.change(body, writer)).status]).toEqual([
      403, 200,
    ]);
    expect((await world.toggle(bot.id, false, reader)).status).toBe(403);
    // Staff without the permission for personal data see masked email addresses.
    const { data } = (await all(reader)).body;
    expect(data.find((one: any) => one.userId === bot.id).user.email).toMatch(/^b_\*\*\*@/);
  });
});

describe('with BOT_ACTIVITY off', () => {
  const off = fixture(async () => {
    const app = await startApp({ database: world.database, env: { BOT_ACTIVITY: 'off' } });
    return botsOf(app, world.boss);
  });
  const at = (method: string, path: string, body: object) =>
    off.app.call(method, path, { token: world.boss.token, body });

  test('rejects requests that make an activity active, but allows all other changes', async () => {
    const bot = await world.newBot();
    const put = (fields: object) =>
      at('POST', '/admin/bot-activity/manage', { userId: bot.id, ...fromNow(fields) });
    expect(codeOf(await put({}))).toBe('409 BOT_ACTIVITY_DISABLED');
    expect((await put({ isActive: false })).status).toBe(201);
    const patch = (fields: object) =>
      at('PATCH', '/admin/bot-activity/manage', { userId: bot.id, ...fields });
    expect(codeOf(await patch({ isActive: true }))).toBe('409 BOT_ACTIVITY_DISABLED');
    expect((await patch({ behavior: 'CALM' })).status).toBe(200);
    const account = await world.newAccount();
    expect(
      (await at('PATCH', '/admin/bot-activity/bot-toggle', { userId: account.id, isBot: true })).status,
    ).toBe(200);
  });

  test('creates no rows and reports publicly that activity is not simulated', async () => {
    await world.newActiveBot();
    const config = async (app: { call: typeof world.call }) =>
      (await app.call('GET', '/config/USER')).body.isActivitySimulated;
    expect([await config(world), await config(off)]).toEqual([true, false]);
    await off.app.call('GET', '/live-bets?type=ALL&count=5', { token: world.boss.token });
    expect(off.services.botActivity.isDue()).toBe(false);
    await vi.waitFor(async () => {
      await world.boss.call('GET', '/live-bets?type=ALL&count=5');
      expect(world.services.botActivity.isDue()).toBe(true);
    }, 5000);
    expect(off.services.botActivity.isDue()).toBe(false);
  });
});
