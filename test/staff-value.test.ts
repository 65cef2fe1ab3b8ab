/** Tests that no staff operation, in any role, can create or move player funds without a second person. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { StaffCall } from '../src/http/access.ts';
import { assertRoutes, route } from '../src/http/route.ts';
import { lockPeople } from '../src/modules/base/access/connected.ts';
import { freshActor } from '../src/modules/base/access/service.ts';
import { post } from '../src/modules/money/ledger/post.ts';
import { transaction } from '../src/platform/database/db.ts';
import { units } from '../src/platform/money.ts';
import { codeOf } from './kit/accounts/accounts.ts';
import { type CallOptions, callByTwo, cashOf, type Player, type TestApp } from './kit/app.ts';
import { startChallenges } from './kit/engagement/challenges.ts';
import { fixture } from './kit/fixture.ts';
import { newGames, newProvider } from './kit/games/catalogue.ts';

const world = fixture(() => startChallenges({ keepsThresholds: true }));
let app: TestApp;
beforeAll(() => {
  app = world.app;
});

/** Creates a staff member with one role and only its permissions. */
async function withRole(role: string): Promise<Player> {
  const username = `r_${Math.random().toString(36).slice(2, 12)}`;
  const headers = { 'x-debug-token': app.config.DEBUG_TOKEN ?? '' };
  const made = await app.call('POST', '/debug/user/create', { headers, body: { username, roles: [role] } });
  expect(made.status).toBe(201);
  return app.newPlayer({ username });
}

const CASH = { kind: 'CASH', currencyId: 'USDT', amount: '500000' };
const newPromo = (by: Player, fields: object = {}) =>
  by.call('POST', '/admin/promo', {
    body: { name: 'A gift', type: 'MANUAL', reward: CASH, wagerMultiplier: 0, ...fields },
  });
const start = (by: Player, id: string) =>
  by.call('POST', `/admin/promo/${id}/status`, { body: { status: 'ACTIVE', reason: 'go' } });
const grant = (by: Player, id: string, player: Player, more: object = {}) =>
  by.call('POST', `/admin/promo/${id}/grant`, { body: { userIds: [player.id], reason: 'a gift', ...more } });
const END = new Date(Date.now() + 86_400_000).toISOString();
const newBoard = (by: Player, usdAmount: string, fields: object = {}) =>
  by.call('POST', '/admin/leaderboards', {
    body: {
      name: 'For one',
      description: 'x',
      endDate: END,
      currencyId: 'USDT',
      prizes: [{ place: 1, usdAmount }],
      ...fields,
    },
  });

/** Counts the ledger lines, leaderboards, promotions and other things of value that staff have created in this test file. */
async function created(): Promise<object> {
  const { rows } = await sql<object>`
    select (select count(*)::int from ledger_lines where kind in ('promo.grant', 'leaderboard.prize', 'challenge.reward',
        'challenge.rollback', 'admin.tip', 'admin.deduction', 'admin.adjustment')) as movements,
      (select count(*)::int from leaderboards where type = 'SPECIAL') as boards,
      (select count(*)::int from leaderboard_schedules where enabled) as schedules,
      (select count(*)::int from commission_rules) as rules,
      (select count(*)::int from users where custom_min_affiliate_level is not null) as levels,
      (select count(*)::int from promos where status = 'ACTIVE' and type in ('DEPOSIT', 'WELCOME') and id >= 1000) as offers`.execute(
    app.db,
  );
  return rows[0]!;
}

const forgetProposals = () =>
  sql`update staff_values set expires_at = now() - interval '1 second' where carried_out_at is null`.execute(
    app.db,
  );

/** Returns how many transactions in this database wait for an advisory lock. */
async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_locks
    where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(app.db);
  return rows[0]!.waiting;
}

type Act = { name: string; call: (by: Player, player: Player) => Promise<{ status: number; body: any }> };

/** Returns every operation with which staff can create or move player funds, with an amount that needs two people. */
async function acts(challenge: { id: string; betId: string }): Promise<Act[]> {
  const { id: providerId } = await newProvider(app);
  const post_ =
    (path: string, body: object, method = 'POST') =>
    (by: Player) =>
      by.call(method, path, { body });
  return [
    {
      name: 'a balance',
      call: (by, { id }) =>
        by.call('PUT', `/admin/user/${id}/balance`, {
          body: { currencyId: 'USDT', balance: '1000', reason: 'x' },
        }),
    },
    {
      name: 'an admin tip',
      call: (by, { id: recipientUserId }) =>
        by.call('POST', '/admin/admin-tips', {
          body: { recipientUserId, currencyId: 'USDT', amount: '1000', notes: 'x' },
        }),
    },
    {
      name: 'a grant from their own promotion',
      call: async (by, player) => {
        const { body } = await newPromo(by);
        await start(by, body.id);
        return grant(by, body.id, player);
      },
    },
    {
      name: 'an offer without a limit',
      call: async (by) => {
        const { body } = await newPromo(by, { type: 'DEPOSIT', reward: { ...CASH, kind: 'BONUS' } });
        return start(by, body.id);
      },
    },
    { name: 'a leaderboard', call: (by) => newBoard(by, '1000000') },
    {
      name: 'a schedule',
      call: post_('/admin/leaderboards/schedule/daily', {
        enabled: true,
        name: 'Race',
        description: 'x',
        prizes: [{ place: 1, usdAmount: '1' }],
      }),
    },
    {
      name: 'a commission rule',
      call: post_(
        '/admin/casino/games/commission',
        { providerId, category: null, gameId: null, ggrPercent: '100', payload: null },
        'PUT',
      ),
    },
    {
      name: 'an affiliate level',
      call: (by, { id }) => by.call('PATCH', `/admin/user/${id}`, { body: { customMinAffiliateLevel: 5 } }),
    },
    {
      name: 'the reward of a challenge',
      call: (by) => world.award(challenge.id, challenge.betId, { by }),
    },
  ];
}

/** Creates a challenge with a large reward, and a bet that can win it. */
async function wonChallenge(
  before?: (id: string) => Promise<unknown>,
): Promise<{ id: string; betId: string }> {
  const { id } = await world.create({ rewardAmount: '5000' });
  await before?.(id);
  const player = await world.player();
  const betId = await world.win(player);
  await world.choose(id);
  return { id, betId };
}

test('lets no role, and no pair of connected accounts, create value without a second person', async () => {
  const challenge = await wonChallenge();
  const list = await acts(challenge);
  const before = await created();
  const boss = await app.as('superadmin');
  const connected = await app.as('superadmin');
  await app.db.updateTable('users').set({ opened_by: boss.id }).where('id', '=', connected.id).execute();
  const rights = ['promo', 'leaderboard', 'challenge', 'casino', 'user', 'affiliate'];
  const roles: Record<string, Player> = {
    reader: await app.as({ permissions: rights.filter((r) => r !== 'user').map((r) => `${r}.read`) }),
    writer: await app.as({
      permissions: ['promo.write', 'leaderboard.write', 'challenge.write', 'casino.write', 'user.write'],
    }),
    payer: await app.as({
      permissions: [
        'promo.pay',
        'promo.write',
        'leaderboard.pay',
        'challenge.pay',
        'casino.pay',
        'tip.pay',
        'affiliate.pay',
        'user.write',
      ],
    }),
    admin: await withRole('ADMIN'),
    finance: await withRole('FINANCE'),
    marketing: await withRole('MARKETING'),
    boss,
    connected,
  };
  const player = await app.newPlayer();
  for (const { name, call } of list)
    for (const [role, by] of Object.entries(roles)) {
      // Proposals are deleted between roles. Otherwise two roles would be two people, who could approve each other's proposals. Only the
      // superadmin and their connected account share proposals, because they count as one person.
      if (by !== connected) await forgetProposals();
      const { status, body } = await call(by, player);
      expect(status, `${name} by ${role}: ${JSON.stringify(body)}`).toBeGreaterThanOrEqual(400);
      expect(status, `${name} by ${role}`).toBeLessThan(500);
      if (role === 'boss') expect(body.code, name).toBe('APPROVAL_NEEDED');
    }
  expect(await created()).toEqual(before);
  expect(await cashOf(player)).toBe('0');
});

test('enforces the limit on the total of connected accounts when both act concurrently', async () => {
  const [opener, opened, player] = [
    await app.as('superadmin'),
    await app.as('superadmin'),
    await app.newPlayer(),
  ];
  await app.db.updateTable('users').set({ opened_by: opener.id }).where('id', '=', opened.id).execute();
  const tip = (by: Player, to: Player) =>
    by.call('POST', '/admin/admin-tips', {
      body: { recipientUserId: to.id, currencyId: 'USDT', amount: '600', notes: 'x' },
    });
  // Both calls wait for the lock of the staff member, so neither call reads the total before the other has written it.
  const others = [player, await app.newPlayer()];
  const answers = await transaction(app.db, async (tx) => {
    await lockPeople(tx, [opened.id]);
    const calls = [opener, opened].map((by, i) => tip(by, others[i]!));
    await expect.poll(() => waitingForLocks()).toBe(2);
    return { calls };
  });
  const codes = (await Promise.all(answers.calls)).map(codeOf).sort();
  expect(codes).toEqual(['200', '409 APPROVAL_NEEDED']);
});

describe('two attacks that a single staff member could carry out in earlier versions', () => {
  test('rejects a 500,000 promotion grant by its creator without a second person', async () => {
    const [admin, accomplice] = [await withRole('ADMIN'), await app.newPlayer()];
    const made = await newPromo(admin);
    expect(made.status).toBe(201);
    expect((await start(admin, made.body.id)).status).toBe(201);
    const granted = await grant(admin, made.body.id, accomplice);
    expect(codeOf(granted)).toBe('403 STAFF_VALUE_LIMIT');
    expect(await cashOf(accomplice)).toBe('0');
    const [one, other] = [await app.as('superadmin'), await app.as('superadmin')];
    const proposed = await grant(one, made.body.id, accomplice);
    expect(codeOf(proposed)).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await grant(one, made.body.id, accomplice))).toBe('409 APPROVAL_NEEDED');
    expect(await cashOf(accomplice)).toBe('0');
    expect(await grant(other, made.body.id, accomplice)).toMatchObject({ status: 201, body: { granted: 1 } });
    expect(await cashOf(accomplice)).toBe('500000');
  });

  test('rejects a leaderboard with a 1,000,000 prize created by one person', async () => {
    const [admin, one, other] = [
      await withRole('ADMIN'),
      await app.as('superadmin'),
      await app.as('superadmin'),
    ];
    expect(codeOf(await newBoard(admin, '1000000'))).toBe('403 STAFF_VALUE_LIMIT');
    expect(codeOf(await newBoard(one, '1000000'))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await newBoard(one, '1000000'))).toBe('409 APPROVAL_NEEDED');
    const made = await newBoard(other, '1000000');
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const row = await app.db
      .selectFrom('leaderboards')
      .select(['created_by', 'approved_by'])
      .where('id', '=', Number(made.body.id))
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ created_by: other.id, approved_by: one.id });
  });
});

describe('a person who configured a payment', () => {
  test('requires a second person even for a small grant by the person who configured it, unless they are a superadmin', async () => {
    const admin = await app.as({ permissions: ['promo.write', 'promo.pay'] });
    const colleague = await app.as({ permissions: ['promo.pay'] });
    const player = await app.newPlayer();
    const { body } = await newPromo(admin, { reward: { ...CASH, amount: '5' } });
    await start(admin, body.id);
    expect(codeOf(await grant(admin, body.id, player))).toBe('409 APPROVAL_NEEDED');
    expect((await grant(colleague, body.id, player)).body).toMatchObject({ granted: 1 });
    expect(await cashOf(player)).toBe('5');
  });

  test('does not let staff pay a challenge reward that they set themselves, even if someone else created the challenge', async () => {
    const clerk = await app.as({ permissions: ['challenge.read', 'challenge.write', 'challenge.pay'] });
    const { id, betId } = await wonChallenge(async (challengeId) =>
      expect((await world.change(challengeId, { rewardAmount: '20' }, clerk)).status).toBe(200),
    );
    expect(codeOf(await world.award(id, betId, { by: clerk }))).toBe('409 APPROVAL_NEEDED');
    const other = await app.as({ permissions: ['challenge.read', 'challenge.pay'] });
    expect((await world.award(id, betId, { by: other })).status).toBe(201);
  });
});

describe('a leaderboard below the threshold', () => {
  test('requires a second person to send the same request for a small leaderboard, unless a superadmin creates it', async () => {
    const permissions = ['leaderboard.pay'];
    const [maker, other] = [await app.as({ permissions }), await app.as({ permissions })];
    expect(codeOf(await newBoard(maker, '999.99'))).toBe('409 APPROVAL_NEEDED');
    for (const fields of [
      { minBetUsd: '1' },
      { eligible: { gameSlugs: ['dice'] } },
      { endDate: new Date(Date.parse(END) + 1000).toISOString() },
      { startDate: new Date(Date.now() + 3_600_000).toISOString() },
      { prizes: [{ place: 2, usdAmount: '999.99' }] },
    ])
      expect(codeOf(await newBoard(other, '999.99', fields)), JSON.stringify(fields)).not.toBe('201');
    const made = await newBoard(other, '999.99');
    expect(made.status, made.text).toBe(201);
    expect((await newBoard(await app.as('superadmin'), '999.99')).status).toBe(201);
  });
});

describe('earnings without a limit', () => {
  const CATEGORY = 'LIVE';

  test('requires two superadmins to raise an affiliate level, and one to lower it', async () => {
    const clerk = await app.as({ permissions: ['user.write', 'affiliate.pay'] });
    const [one, other, player] = [
      await app.as('superadmin'),
      await app.as('superadmin'),
      await app.newPlayer(),
    ];
    const set = async (by: Player, customMinAffiliateLevel: number | null) =>
      codeOf(await by.call('PATCH', `/admin/user/${player.id}`, { body: { customMinAffiliateLevel } }));
    expect(await set(clerk, 3)).toBe('403 STAFF_VALUE_LIMIT');
    expect(await set(one, 3)).toBe('409 APPROVAL_NEEDED');
    expect(await set(one, 3)).toBe('409 APPROVAL_NEEDED');
    expect(await set(other, 4)).toBe('409 APPROVAL_NEEDED');
    expect(await set(other, 3)).toBe('200');
    expect(await set(clerk, 2)).toBe('200');
    expect(await set(clerk, null)).toBe('200');
  });

  test('requires two superadmins to move games to a main category with a higher edge', async () => {
    const { id: providerId } = await newProvider(app);
    const games = await newGames(app, [{ provider_id: providerId }, { provider_id: providerId }]);
    const [first, second] = games.map(({ slug }) => slug);
    const clerk = await app.as({ permissions: ['casino.write', 'casino.read'] });
    const [one, other] = [await app.as('superadmin'), await app.as('superadmin')];
    const rule = { providerId, category: CATEGORY, gameId: null, ggrPercent: '90', payload: null };
    const ruled = await callByTwo(one, 'PUT', '/admin/casino/games/commission', { body: rule });
    expect(ruled.status, ruled.text).toBe(200);
    const change = async (by: Player, body: object) =>
      codeOf(await by.call('POST', `/admin/casino/games/${first}`, { body }));
    const bulk = async (by: Player, body: object) =>
      codeOf(await by.call('POST', '/admin/casino/games/bulk', { body: { slugs: [second], ...body } }));
    for (const act of [change, bulk]) {
      expect(await act(clerk, { category: CATEGORY })).toBe('403 STAFF_VALUE_LIMIT');
      expect(await act(one, { category: CATEGORY })).toBe('409 APPROVAL_NEEDED');
      expect(await act(one, { category: CATEGORY })).toBe('409 APPROVAL_NEEDED');
      expect(await act(clerk, { enabled: true })).toBe('201');
      expect(await act(clerk, { category: 'CRASH' })).toBe('201');
      expect(await act(other, { category: CATEGORY })).toBe('201');
    }
  });
});

test('counts accounts that created each other as one person in 24-hour totals', async () => {
  const tip = async (by: Player) => {
    const { id: recipientUserId } = await app.newPlayer();
    const body = { recipientUserId, currencyId: 'USDT', amount: '600', notes: 'x' };
    return codeOf(await by.call('POST', '/admin/admin-tips', { body }));
  };
  const [opener, opened, later, stranger] = (await Promise.all(
    Array.from({ length: 4 }, () => app.as('superadmin')),
  )) as [Player, Player, Player, Player];
  for (const [of, by] of [
    [opened, opener],
    [later, opened],
  ] as const)
    await app.db.updateTable('users').set({ opened_by: by.id }).where('id', '=', of.id).execute();
  expect(await tip(opened)).toBe('200');
  expect(await tip(opener)).toBe('409 APPROVAL_NEEDED');
  expect(await tip(later)).toBe('409 APPROVAL_NEEDED');
  expect(await tip(stranger)).toBe('200');
});

describe('codes of a promotion without a limit', () => {
  const redeem = (player: Player, code: string) => player.call('POST', '/promo/redeem', { body: { code } });
  const codes = (by: Player, id: string, body: object, options: CallOptions = {}) =>
    by.call('POST', `/admin/promo/${id}/codes`, { body, ...options });

  test("pays at most one person's limit until a second person starts the promotion again", async () => {
    const [one, other] = [await app.as('superadmin'), await app.as('superadmin')];
    const promo = (await newPromo(one, { type: 'CODE', reward: { ...CASH, amount: '400' } })).body.id;
    expect((await start(one, promo)).status).toBe(201);
    const two = (await codes(one, promo, { kind: 'ONE_TIME', count: 2 })).body.codes as string[];
    const more = (await codes(one, promo, { kind: 'ONE_TIME', count: 3 })).body.codes as string[];
    const players = await Promise.all(Array.from({ length: 4 }, () => app.newPlayer()));
    const outcomes = [];
    for (const [i, code] of [...two, ...more.slice(0, 1)].entries())
      outcomes.push(codeOf(await redeem(players[i]!, code)));
    expect(outcomes).toEqual(['201', '201', '409 PROMO_EXHAUSTED']);
    expect(codeOf(await start(one, promo))).toBe('409 PROMO_STATUS_CONFLICT');
    expect((await start(other, promo)).status).toBe(201);
    expect(codeOf(await redeem(players[2]!, more[0]!))).toBe('201');
  });

  test('requires a new approval and the permission to pay when the terms change during the promotion', async () => {
    const [one, other] = [await app.as('superadmin'), await app.as('superadmin')];
    const writer = await app.as({ permissions: ['promo.write'] });
    const promo = (await newPromo(one, { type: 'CODE', reward: { ...CASH, amount: '1' } })).body.id;
    await start(one, promo);
    await start(other, promo);
    const [code] = (await codes(one, promo, { kind: 'UNIVERSAL' })).body.codes as string[];
    const patch = (by: Player) => by.call('PATCH', `/admin/promo/${promo}`, { body: { reward: CASH } });
    expect(codeOf(await patch(writer))).toBe('403 FORBIDDEN');
    expect((await patch(one)).status).toBe(200);
    const player = await app.newPlayer();
    expect(codeOf(await redeem(player, code!))).toBe('409 PROMO_EXHAUSTED');
    expect(await cashOf(player)).toBe('0');
  });
});

describe('the value declaration', () => {
  const base = {
    method: 'POST',
    path: '/x',
    tag: 'x',
    summary: 'x',
    gate: 'staff',
    idempotent: true,
    handler: () => undefined,
  } as const;

  test('prevents startup when a staff operation that moves money lacks a value declaration, or needs only an ordinary permission', () => {
    const undeclared = route({ ...base, access: { permission: 'promo.pay' } });
    expect(() => assertRoutes([undeclared])).toThrow('without createsValue');
    const weak = route({
      ...base,
      access: { permission: 'promo.write' },
      stepUp: true,
      createsValue: 'pays',
    });
    expect(() => assertRoutes([weak])).toThrow('must end in .pay');
    const unproven = route({ ...base, access: { permission: 'promo.pay' }, createsValue: 'pays' });
    expect(() => assertRoutes([unproven])).toThrow('without stepUp');
  });

  test('requires a value declaration for every posting, so that no staff operation can skip the policy and pay a player', async () => {
    const [staff, player] = [await app.as('superadmin'), await app.newPlayer()];
    const { sessionId } = await app.services.sessions.authenticator.verify(staff.token);
    const pay = (createsValue?: StaffCall['createsValue']) =>
      transaction(app.services.db, async (tx) => {
        const user = { ...staff, sessionId };
        const by = { user, permission: 'superadmin', method: 'POST', path: '/x', createsValue };
        await freshActor(tx, by as never);
        const posting = {
          userId: player.id,
          currencyId: 'USDT',
          kind: 'promo.grant',
          amount: units('1'),
        } as const;
        const postings = [{ ...posting, debit: 'promo', credit: 'cash' } as const];
        await post(tx, [{ key: `test:${Math.random()}`, kind: 'promo.grant', postings }]);
      });
    await expect(pay()).rejects.toThrow('without asking the policy');
    await expect(pay('pays')).rejects.toThrow('without asking the policy');
    expect(await cashOf(player)).toBe('0');
  });
});

/**
 * Starts to give a grant to several players. Its second batch waits for a lock on the batch's first player. Runs `meanwhile`, and returns
 * the response to the grant.
 */
async function whileGranting(by: Player, id: string, userIds: number[], meanwhile: () => Promise<unknown>) {
  const held = await app.db.startTransaction().execute();
  try {
    await held
      .selectFrom('players')
      .select('user_id')
      .where('user_id', '=', userIds[20]!)
      .forUpdate()
      .execute();
    const granting = by.call('POST', `/admin/promo/${id}/grant`, { body: { userIds, reason: 'dust' } });
    await expect
      .poll(() => app.db.selectFrom('promo_grants').select('id').where('promo_id', '=', BigInt(id)).execute())
      .toHaveLength(20);
    await meanwhile();
    await held.commit().execute();
    return await granting;
  } finally {
    if (!held.isCommitted) await held.rollback().execute();
  }
}

const DUST = { kind: 'CASH', currencyId: 'DOGE', amount: '0.00000001' };

describe('a running grant', () => {
  const someone = async (count: number) => {
    const ids: number[] = [];
    while (ids.length < count) ids.push((await app.newPlayer()).id);
    return ids;
  };

  test('pays nothing once the terms of a grant have changed since its approval', async () => {
    const by = await withRole('ADMIN');
    const { body } = await newPromo(by, { reward: DUST });
    expect((await start(by, body.id)).status).toBe(201);
    const userIds = (await someone(22)).sort((a, b) => a - b);
    const granted = await whileGranting(by, body.id, userIds, async () => {
      const reward = { ...CASH, amount: '75000' };
      expect((await by.call('PATCH', `/admin/promo/${body.id}`, { body: { reward } })).status).toBe(200);
    });
    expect(granted).toMatchObject({
      status: 201,
      body: {
        granted: 20,
        skipped: userIds.slice(20).map((userId) => ({ userId, rule: 'PROMO_TERMS_CHANGED' })),
      },
    });
    const rich = await sql`select 1 from wallets where user_id = ${userIds[21]!} and cash > 0`.execute(
      app.db,
    );
    expect(rich.rows).toEqual([]);
  });

  test('pays no account that was opened after the grant was approved', async () => {
    const by = await withRole('ADMIN');
    const { body } = await newPromo(by, { reward: DUST });
    await start(by, body.id);
    const userIds = (await someone(22)).sort((a, b) => a - b);
    const next = userIds[21]! + 1;
    let opened: Player | undefined;
    const granted = await whileGranting(by, body.id, [...userIds.slice(0, 21), next, next + 1], async () => {
      opened = await app.newPlayer();
      expect([next, next + 1]).toContain(opened.id);
    });
    expect(granted).toMatchObject({ status: 201, body: { granted: 21 } });
    expect(granted.body.skipped).toContainEqual({
      userId: opened!.id,
      username: opened!.username,
      rule: 'USER_NOT_FOUND',
    });
  });
});
