/** Tests which accounts can become bots, and that bots cannot sign in or participate like players. */

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf, startAccounts } from '../../../../test/kit/accounts/accounts.ts';
import { type Answer, betOnDice, type Player } from '../../../../test/kit/app.ts';
import { type Account, botsOf, fromNow } from '../../../../test/kit/engagement/bots.ts';
import { newPromo } from '../../../../test/kit/engagement/promo.ts';
import { newTipper, tip } from '../../../../test/kit/engagement/tips.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { stepsAt, WAYS } from '../../../../test/kit/games/providers.ts';
import { transaction } from '../../../platform/database/db.ts';
import { issueLink } from '../../accounts/auth/one-time-tokens.ts';
import { erase } from '../../backoffice/user-admin/erase.ts';
import { judge } from '../chat/write.ts';

const accounts = fixture(() => startAccounts());
const world = fixture(async () => {
  const { app } = accounts;
  const { stop: _, ...rest } = botsOf(app, await app.as('superadmin'));
  return rest;
});

/** A second superadmin moves the money, because staff cannot move money of an account that they opened themselves. */
const other = fixture(() => accounts.app.as('superadmin'));

const inUse = ({ status, body }: Answer) => [status, body.code, body.details?.use];

describe('PATCH /admin/bot-activity/bot-toggle', () => {
  test('turns an unused account into a bot and back, with one audit log entry per change', async () => {
    const account = await world.newAccount();
    const rows = () =>
      world.db
        .selectFrom('admin_audit')
        .select(['before', 'after'])
        .where('path', '=', '/admin/bot-activity/bot-toggle')
        .where(sql<boolean>`after ->> 'userId' = ${String(account.id)}`)
        .orderBy('id')
        .execute();
    const flags = async () => {
      const { rows: found } =
        await sql`select u.is_bot, p.is_banned from users u join players p on p.user_id = u.id
        where u.id = ${account.id}`.execute(world.db);
      return found[0];
    };
    for (const isBot of [true, false]) {
      for (let n = 0; n < 2; n++) {
        const { status, text } = await world.toggle(account.id, isBot);
        expect([status, text]).toEqual([200, '']);
      }
      expect(await flags()).toEqual({ is_bot: isBot, is_banned: isBot });
    }
    expect(await rows()).toEqual([
      { before: { userId: account.id, isBot: false }, after: { userId: account.id, isBot: true } },
      { before: { userId: account.id, isBot: true }, after: { userId: account.id, isBot: false } },
    ]);
  });

  /** Accounts that superadmins create are staff accounts, so this function turns an account into a player. */
  const makePlayer = ({ id }: Account) =>
    world.db.updateTable('users').set({ is_staff: false }).where('id', '=', id).execute();

  test('does not count a bot as a registration', async () => {
    const registered = async () => {
      const path = '/admin/dashboard-v2/query/registrations';
      const query =
        'timeRange=TODAY&timeGroup=HOUR&startDate=2026-01-01T00:00:00.000Z&endDate=2026-01-02T00:00:00.000Z';
      const { body } = await world.boss.call('GET', `${path}?${query}`);
      return body.registrationCount;
    };
    const before = await registered();
    const account = await world.newAccount();
    await makePlayer(account);
    expect(await registered()).toBe(before + 1);
    expect((await world.toggle(account.id, true)).status).toBe(200);
    expect(await registered()).toBe(before);
    const { rows } = await sql`select from uncounted_users where user_id = ${account.id}`.execute(world.db);
    expect(rows).toHaveLength(1);
    expect((await world.toggle(account.id, false)).status).toBe(200);
    expect(await registered()).toBe(before + 1);
  });

  test('prevents a bot from writing in the chat', async () => {
    const bot = await world.newBot();
    await sql`update users set email_verified = true where id = ${bot.id}`.execute(world.db);
    const draft = { userId: bot.id, ip: '127.0.0.1', roomId: 'general', text: 'hello', key: null };
    const [verdict] = await transaction(world.db, (tx) => judge(tx, world.services, [draft]));
    expect(verdict!.refusal?.code).toBe('USER_BANNED');
  });

  test('erases the activity and the simulated rows when the account of a bot is erased', async () => {
    const bot = await world.newActiveBot();
    await makePlayer(bot);
    await world.showRows(bot.id, 2);
    expect(await erase(world.services, { userId: bot.id, by: bot.id, reason: 'erasure request' })).toBe(true);
    expect(await world.rowsOf(bot.id)).toEqual([]);
    const activities = await world.db
      .selectFrom('bot_activities')
      .where('user_id', '=', bot.id)
      .selectAll()
      .execute();
    expect(activities).toEqual([]);
    // A worker whose cache is outdated must not store rows.
    await world.showRows(bot.id, 1);
    expect(await world.rowsOf(bot.id)).toEqual([]);
    // The erased account cannot be used even after it is no longer a bot.
    expect((await world.toggle(bot.id, false)).status).toBe(200);
    const { rows } = await sql`select is_banned from players where user_id = ${bot.id}`.execute(world.db);
    expect(rows).toEqual([{ is_banned: true }]);
  });

  test('lists bots in the user list for staff', async () => {
    const bot = await world.newBot();
    const body = { sortBy: 'id', sortOrder: 'desc', page: 1, take: 1, where: { isBot: true } };
    const flags = {
      withPermissions: false,
      withRoles: false,
      withNotes: false,
      withBalance: false,
      withStatsUsd: false,
    };
    const { body: found } = await world.boss.call('POST', '/admin/user/all', { body: { ...body, ...flags } });
    expect(found.data.map(({ id }: { id: number }) => id)).toEqual([bot.id]);
  });

  type Use = (account: Account) => Promise<unknown>;
  const insert =
    (text: (userId: number) => string): Use =>
    ({ id }) =>
      sql.raw(text(id)).execute(world.db);
  test.each<[string, string, Use]>([
    ['SIGN_IN', 'a sign-in', async (account) => expect((await accounts.signIn(account)).status).toBe(201)],
    [
      'SIGN_IN',
      'a linked identity',
      insert((id) => `insert into identities (issuer, subject, user_id) values ('x', 'bot-${id}', ${id})`),
    ],
    [
      'RIGHTS',
      'permissions',
      ({ id }) =>
        world.boss.call('PUT', `/admin/user/${id}/permissions`, { body: { permissions: ['bet.read'] } }),
    ],
    [
      'API_KEY',
      'an API key',
      ({ id }) => world.boss.call('POST', '/admin/api-keys', { body: { userId: id } }),
    ],
    [
      'MONEY',
      'a balance',
      ({ id }) =>
        other.call('PUT', `/admin/user/${id}/balance`, { body: { balance: '1', currencyId: 'USDT' } }),
    ],
    ['DEPOSIT', 'a deposit', ({ id }) => world.call('POST', `/debug/deposit/emulate-success/${id}`)],
    [
      'PROMO',
      'a promotion',
      async ({ id }) => {
        const promo = await newPromo(other, { type: 'MANUAL' });
        const body = { userIds: [id], reason: 'a test' };
        expect((await other.call('POST', `/admin/promo/${promo}/grant`, { body })).body.granted).toBe(1);
      },
    ],
    [
      'AFFILIATE',
      'an affiliate code',
      ({ id }) => other.call('POST', '/admin/affiliate/code', { body: { id: `code-${id}`, userId: id } }),
    ],
  ])(
    'reports the use %s when it rejects turning an account into a bot that has %s',
    async (use, _, happens) => {
      const account = await world.newAccount();
      await happens(account);
      expect(inUse(await world.toggle(account.id, true))).toEqual([409, 'BOT_ACCOUNT_IN_USE', use]);
      // The account is unchanged.
      const { rows } = await sql`select is_bot from users where id = ${account.id}`.execute(world.db);
      expect(rows).toEqual([{ is_bot: false }]);
    },
  );

  test('rejects a player who has placed bets', async () => {
    const player = await world.newPlayer({ usdt: 5 });
    await betOnDice(player);
    await sql`delete from sessions where user_id = ${player.id}`.execute(world.db);
    await sql`update users set last_login_at = null where id = ${player.id}`.execute(world.db);
    expect(inUse(await world.toggle(player.id, true))).toEqual([409, 'BOT_ACCOUNT_IN_USE', 'BET']);
  });

  test("rejects unknown users, the caller's own account, and superadmins unless the caller is a superadmin", async () => {
    expect(codeOf(await world.toggle(2_000_000_000, true))).toBe('404 USER_NOT_FOUND');
    expect(codeOf(await world.toggle(world.boss.id, true))).toBe('403 OWN_ACCOUNT');
    const writer = await world.as({ permissions: ['bot.write'] });
    expect(codeOf(await world.toggle(world.boss.id, true, writer))).toBe('403 FORBIDDEN');
  });

  test.each([
    {},
    { isBot: true },
    { userId: 1 },
    { isBot: 'true', userId: 1 },
    { isBot: true, userId: 1, more: 1 },
  ])('rejects the body %j', async (body) => {
    const response = await world.boss.call('PATCH', '/admin/bot-activity/bot-toggle', { body });
    expect(codeOf(response)).toBe('400 VALIDATION_FAILED');
  });

  test('leaves no session of a bot when the sign-in and the change to a bot run concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const account = await world.newAccount();
      const [signIn, toggled] = await Promise.all([accounts.signIn(account), world.toggle(account.id, true)]);
      expect([
        [201, 409],
        [401, 200],
      ]).toContainEqual([signIn.status, toggled.status]);
    }
    const { rows } =
      await sql`select from sessions s join users u on u.id = s.user_id where u.is_bot`.execute(world.db);
    expect(rows).toEqual([]);
  });
});

describe('signing in with a bot account', () => {
  let bot: Account;
  let stranger: Account;
  beforeAll(async () => {
    bot = await world.newBot();
    stranger = await world.newAccount();
  });
  const sessions = async () =>
    (await world.db.selectFrom('sessions').select('id').where('user_id', '=', bot.id).execute()).length;

  test("rejects a bot's correct password in the same way as a wrong one", async () => {
    const right = await accounts.signIn(bot);
    const wrong = await accounts.signIn({ ...stranger, password: 'something else' });
    expect([codeOf(right), right.body.message]).toEqual(['401 AUTH_INVALID_CREDENTIALS', wrong.body.message]);
    expect(await sessions()).toBe(0);
  });

  test.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
    'rejects the sign-in of a bot account through the identity provider %s',
    async (segment) => {
      const { member, signIn } = stepsAt(accounts.app);
      const who = await member(segment);
      await sql`update identities set user_id = ${bot.id} where user_id = ${who.user.id}`.execute(world.db);
      expect(codeOf(await signIn(segment, who))).toBe('401 AUTH_INVALID_CREDENTIALS');
      expect(await sessions()).toBe(0);
    },
  );

  test("rejects a bot's sign-in after a password reset, which sends no email and ignores earlier links", async () => {
    for (const { email } of [stranger, bot]) {
      const response = await accounts.app.call('POST', '/user/forgot-password', { body: { email } });
      expect(response.body).toEqual({ result: true });
    }
    const mailsOfReset = async (email: string) =>
      (await accounts.mailsTo(email)).filter(({ subject }) => /password/i.test(subject));
    expect(await mailsOfReset(stranger.email)).toHaveLength(1);
    expect(await mailsOfReset(bot.email)).toEqual([]);
    const link = await transaction(world.services.db, (tx) =>
      issueLink(tx, {
        purpose: 'RESET_PASSWORD',
        userId: bot.id,
        email: bot.email,
        lifeSeconds: 60,
        page: 'https://site.example/reset-password',
      }),
    );
    const token = /#token=([\w-]+)/.exec(link)![1];
    const reset = await accounts.app.call('PATCH', '/user/confirm-password-reset', {
      body: { token, newPassword: 'another long password' },
    });
    expect(reset.body).toEqual({ result: false });
    expect(codeOf(await accounts.signIn({ ...bot, password: 'another long password' }))).toBe(
      '401 AUTH_INVALID_CREDENTIALS',
    );
  });

  test('rejects the development sign-in of a bot account', async () => {
    expect(codeOf(await world.call('POST', `/debug/auth/login/${bot.username}`))).toBe('401 UNAUTHORIZED');
    expect(await sessions()).toBe(0);
  });

  test("rejects a bot's API key", async () => {
    expect(codeOf(await world.boss.call('POST', '/admin/api-keys', { body: { userId: bot.id } }))).toBe(
      '409 BOT_ACCOUNT',
    );
    // An API key that was created before the account became a bot is rejected too.
    const made = await world.boss.call('POST', '/admin/api-keys', { body: { userId: stranger.id } });
    const call = () =>
      world.call(
        'GET',
        '/external/affiliates?startDate=2026-01-01T00:00:00.000Z&endDate=2026-01-02T00:00:00.000Z',
        {
          headers: { 'x-api-key': made.body.key },
        },
      );
    expect(codeOf(await call())).not.toBe('401 API_KEY_INVALID');
    await sql`update users set is_bot = true where id = ${stranger.id}`.execute(world.db);
    expect(codeOf(await call())).toBe('401 API_KEY_INVALID');
    await sql`update users set is_bot = false where id = ${stranger.id}`.execute(world.db);
  });

  test("sends no email to the bot's address when another person signs up with it", async () => {
    const taken = await accounts.signUp({
      username: `n_${bot.id}`,
      email: bot.email,
      password: 'nine lives of a cat',
    });
    expect(codeOf(taken)).toBe('409 AUTH_USER_EXISTS');
    expect((await accounts.mailsTo(bot.email)).filter(({ subject }) => /already/i.test(subject))).toEqual([]);
  });

  test('lets a former bot sign in, play and receive money again', async () => {
    const account = await world.newBot();
    await world.manage({ userId: account.id, ...fromNow() });
    expect(codeOf(await accounts.signIn(account))).toBe('401 AUTH_INVALID_CREDENTIALS');
    expect((await world.toggle(account.id, false)).status).toBe(200);
    const { status, body } = await accounts.signIn(account);
    expect(status).toBe(201);
    const path = `/admin/user/${account.id}/balance`;
    expect((await other.call('PUT', path, { body: { balance: '5', currencyId: 'USDT' } })).status).toBe(200);
    const call: Player['call'] = (method, at, o = {}) =>
      world.call(method, at, { token: body.accessToken.token, ...o });
    expect((await betOnDice({ call })).status).toBe(201);
    const { data } = (
      await world.boss.call('GET', `/admin/bot-activity/all?isActive=false&username=${account.username}`)
    ).body;
    expect(data).toMatchObject([{ userId: account.id, isActive: false }]);
  });
});

describe('a bot account', () => {
  let bot: Account;
  beforeAll(async () => {
    bot = await world.newBot();
  });
  const staff = (method: string, path: string, body: object) =>
    other.call(method, path, { body, headers: { 'idempotency-key': randomUUID() } });

  test('gives a bot account no money, permissions, affiliate code or API key', async () => {
    const money = { currencyId: 'USDT', amount: '1' };
    for (const [method, path, body] of [
      ['PUT', `/admin/user/${bot.id}/balance`, { balance: '1', currencyId: 'USDT' }],
      ['POST', '/admin/admin-tips', { ...money, notes: 'x', recipientUserId: bot.id }],
      ['PUT', `/admin/user/${bot.id}/permissions`, { permissions: ['bet.read'] }],
      ['PUT', `/admin/user/${bot.id}/roles`, { roles: ['RISK'] }],
      ['PUT', '/admin/user/add-single-role', { username: bot.username, role: 'RISK' }],
      ['PATCH', `/admin/user/${bot.id}`, { isStaff: true }],
      ['POST', '/admin/affiliate/code', { id: `bot-${bot.id}`, userId: bot.id }],
      ['POST', '/admin/api-keys', { userId: bot.id }],
      [
        'POST',
        '/debug/user/action',
        { userId: bot.id, action: 'SET_BALANCE', params: { currencyId: 'USDT', amount: '1' } },
      ],
      ['POST', `/debug/deposit/emulate-success/${bot.id}`, {}],
    ] as const)
      expect(codeOf(await staff(method, path, body)), `${method} ${path}`).toBe('409 BOT_ACCOUNT');
    expect(
      codeOf(
        await staff('POST', '/admin/admin-tips/deduct-balance', {
          ...money,
          notes: 'x',
          recipientUserId: bot.id,
        }),
      ),
    ).toBe('400 INSUFFICIENT_BALANCE');
  });

  test('rejects tips to a bot account with the same error as tips to other ineligible players', async () => {
    const sender = await newTipper(accounts.app, 50);
    // Makes sure that there is no other difference between the accounts.
    await sql`update users set is_test = true, is_staff = false where id = ${bot.id}`.execute(world.db);
    const { id, username } = bot;
    expect(codeOf(await tip(sender, { id, username } as Player, { amount: '5' }))).toBe(
      '403 TIP_RECIPIENT_NOT_ELIGIBLE',
    );
  });

  test('skips bot accounts when a promotion is granted to several players', async () => {
    const promo = await newPromo(other, { type: 'MANUAL' });
    const player = await world.newPlayer();
    const { status, body } = await staff('POST', `/admin/promo/${promo}/grant`, {
      userIds: [bot.id, player.id],
      reason: 'a test',
    });
    expect([status, body]).toMatchObject([
      201,
      { granted: 1, players: [{ userId: player.id }], skipped: [{ userId: bot.id, rule: 'USER_BANNED' }] },
    ]);
  });

  test('keeps a bot account blocked from play after a ban is lifted', async () => {
    await staff('PATCH', `/admin/user/${bot.id}/ban`, { banReason: 'a test' });
    await staff('PATCH', `/admin/user/${bot.id}/unban`, {});
    const { rows } = await sql`select is_banned from players where user_id = ${bot.id}`.execute(world.db);
    expect(rows).toEqual([{ is_banned: true }]);
    // A banned bot stays banned after it becomes a player again.
    const other = await world.newBot();
    await staff('PATCH', `/admin/user/${other.id}/ban`, { banReason: 'a test' });
    await world.toggle(other.id, false);
    const { rows: banned } = await sql`select is_banned from players where user_id = ${other.id}`.execute(
      world.db,
    );
    expect(banned).toEqual([{ is_banned: true }]);
  });
});
