import { describe, expect, test } from 'vitest';
import type { Player } from '../../../../test/kit/app.ts';
import {
  BONUS,
  CASH,
  HALF,
  newCodes,
  newPromo,
  PROMO_STAFF,
  promoFixture,
  redeem,
  refused,
  setStatus,
  startByTwo,
} from '../../../../test/kit/engagement/promo.ts';
import { newGame } from '../../../../test/kit/games/catalogue.ts';

const { app, staff } = promoFixture();

const create = (body: object, by = staff) => by.call('POST', '/admin/promo', { body });
const get = async (id: string) => (await staff.call('GET', `/admin/promo/${id}`)).body;
const patch = (id: string, body: object) => staff.call('PATCH', `/admin/promo/${id}`, { body });
const problemsOf = ({ status, body }: any) => [
  status,
  body.code,
  ...(body.details?.problems ?? []).map(({ path }: any) => path),
];
/** Returns the last audit log entry of this staff member. */
const lastAudit = (by = staff) =>
  app.db
    .selectFrom('admin_audit')
    .select(['method', 'path', 'reason', 'before', 'after', 'permission'])
    .where('user_id', '=', by.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

test('creates a promotion as a draft with all fields', async () => {
  const body = {
    ...HALF,
    description: 'Half on top.',
    wagerMultiplier: 12.5,
    wagerBase: 'DEPOSIT_AND_BONUS',
    maxBetUsd: '5',
    maxWithdrawalMultiplier: 10,
    validityHours: 72,
    startAt: '2026-11-01T00:00:00.000Z',
    endAt: '2126-11-01T00:00:00.000Z',
    conditions: { minDepositUsd: '20', countriesAllow: ['DE', 'AT'], kycTier: 'BASIC' },
    games: { gameSlugs: ['dice'], contribution: { SLOTS: 50.5 }, perGame: { dice: 10 } },
    budget: { maxGrants: 100, maxTotalUsd: '5000' },
  };
  const made = await create(body);
  expect(made.status).toBe(201);
  const { reward, ...rest } = body;
  const due = {
    ...rest,
    reward: { ...reward, amount: null, freeSpins: null, freeSpinValueUsd: null, gameSlug: null },
    id: expect.stringMatching(/^\d{4,}$/),
    status: 'DRAFT',
    createdBy: expect.objectContaining({ id: staff.id, username: staff.username }),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    isApproved: false,
    startRequest: null,
    gameNames: { dice: 'Dice' },
  };
  expect(made.body).toEqual(due);
  const stats = { grants: 0, granted: [], activeLiabilityUsd: '0', convertedUsd: '0', forfeitedUsd: '0' };
  expect(await get(made.body.id)).toEqual({ ...due, stats, startApproval: 'SECOND_PERSON' });
  expect(await lastAudit()).toMatchObject({ method: 'GET' });
  const written = await app.db
    .selectFrom('admin_audit')
    .select('after')
    .where('user_id', '=', staff.id)
    .where('method', '=', 'POST')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  expect(written.after).toMatchObject({ id: made.body.id, name: 'Half on top', status: 'DRAFT' });
});

describe('PROMO_INVALID', () => {
  test.each([
    [
      'free spins without a value and a game',
      { reward: { kind: 'FREE_SPINS', currencyId: 'USDT', freeSpins: 5 } },
      ['reward.freeSpinValueUsd', 'reward.gameSlug'],
    ],
    [
      'free bets, which no provider supports',
      { reward: { kind: 'FREE_BET', currencyId: 'USDT', amount: '5' } },
      ['reward.kind'],
    ],
    ['an unknown currency', { reward: { ...CASH.reward, currencyId: 'XXX' } }, ['reward.currencyId']],
    [
      'an amount with too many decimals',
      { reward: { ...CASH.reward, amount: '0.0000001' } },
      ['reward.amount'],
    ],
    ['unknown countries', { conditions: { countriesDeny: ['XX'] } }, ['conditions.countriesDeny']],
    ['an unknown game', { games: { gameSlugs: ['no-such-game'] } }, ['games.gameSlugs']],
    ['an unknown provider', { games: { providerIds: [987_654] } }, ['games.providerIds']],
    [
      'an unknown category',
      { games: { categories: ['X'], contribution: { Y: 5 } } },
      ['games.categories', 'games.contribution'],
    ],
    ['several problems', { wagerMultiplier: 5000, maxBetUsd: '0' }, ['wagerMultiplier', 'maxBetUsd']],
  ])('lists the invalid fields for %s', async (_, fields, paths) => {
    expect(problemsOf(await create({ ...CASH, ...fields }))).toEqual([400, 'PROMO_INVALID', ...paths]);
  });

  test('returns PROMO_INVALID only after the body has been validated', async () => {
    for (const fields of [
      { name: ' ' },
      { type: 'OTHER' },
      { wagerMultiplier: -1 },
      { reward: { kind: 'CASH' } },
      { more: 1 },
      { conditions: { minDepositUsd: 5 } },
      { budget: { maxGrants: 0 } },
      { startAt: 'tomorrow' },
    ])
      expect(refused(await create({ ...CASH, ...fields })), JSON.stringify(fields)).toBe(
        '400 VALIDATION_FAILED',
      );
  });
});

test('updates the given fields, removes terms that are null in the request, and records both versions in the audit log', async () => {
  const { id } = (await create({ ...BONUS, maxBetUsd: '5', conditions: { minVipLevel: 3 } })).body;
  const changed = await patch(id, { name: 'New name', maxBetUsd: null, conditions: { emailVerified: true } });
  expect(changed).toMatchObject({
    status: 200,
    body: { name: 'New name', maxBetUsd: null, conditions: { emailVerified: true }, wagerMultiplier: 10 },
  });
  expect(await lastAudit()).toMatchObject({
    method: 'PATCH',
    before: { id, name: 'Ten to play with', maxBetUsd: '5', conditions: { minVipLevel: 3 } },
    after: { id, name: 'New name', maxBetUsd: null, conditions: { emailVerified: true } },
  });
  expect((await patch(id, {})).body.name).toBe('New name');
  expect(problemsOf(await patch(id, { wagerMultiplier: 1.001 }))).toEqual([
    400,
    'PROMO_INVALID',
    'wagerMultiplier',
  ]);
  expect(problemsOf(await patch(id, { wagerBase: 'DEPOSIT_AND_BONUS' }))).toEqual([
    400,
    'PROMO_INVALID',
    'wagerBase',
  ]);
  expect(refused(await patch(id, { type: 'CODE' }))).toBe('400 VALIDATION_FAILED');
});

test('says whose approval a start needs, and shows an open request to everyone who reads promotions', async () => {
  const asks = (by: Player, id: string) => by.call('GET', `/admin/promo/${id}`);
  const [colleague, reader] = [await app.as(PROMO_STAFF), await app.as({ permissions: ['promo.read'] })];
  const budget = { maxTotalUsd: '500' };
  const { id } = (await create({ ...CASH, type: 'DEPOSIT', budget })).body;
  expect((await asks(staff, id)).body).toMatchObject({ startApproval: 'SECOND_PERSON', startRequest: null });
  // A colleague who did not set the terms may start it without a second person, because its cost is below the approval threshold.
  expect((await asks(colleague, id)).body.startApproval).toBe('NONE');
  expect(refused(await setStatus(staff, id, 'ACTIVE'))).toBe('409 APPROVAL_NEEDED');
  const due = {
    status: 'DRAFT',
    isApproved: false,
    startRequest: { by: { id: staff.id }, reason: 'a test', expiresAt: expect.any(String) },
  };
  expect((await asks(reader, id)).body).toMatchObject(due);
  expect((await asks(reader, id)).body.startApproval).toBeUndefined();
  expect((await reader.call('GET', `/admin/promo?search=${id}`)).body.data).toMatchObject([due]);
  // A request is for the terms of its time.
  await patch(id, { wagerMultiplier: 7 });
  expect((await asks(reader, id)).body.startRequest).toBeNull();
  expect(refused(await setStatus(staff, id, 'ACTIVE'))).toBe('409 APPROVAL_NEEDED');
  expect((await setStatus(colleague, id, 'ACTIVE')).body).toMatchObject({
    status: 'ACTIVE',
    isApproved: true,
    startRequest: null,
  });
  const unlimited = (await create({ ...CASH, type: 'DEPOSIT' })).body.id;
  expect((await asks(staff, unlimited)).body.startApproval).toBe('SUPERADMIN');
  const manual = (await create({ ...CASH, type: 'MANUAL' })).body.id;
  expect((await asks(staff, manual)).body.startApproval).toBe('SECOND_PERSON_LATER');
  expect((await setStatus(staff, manual, 'ACTIVE')).body).toMatchObject({
    status: 'ACTIVE',
    isApproved: false,
    startRequest: { by: { id: staff.id } },
  });
  expect((await asks(await app.as('superadmin'), manual)).body.startApproval).toBe('NONE');
  // The person who started it cannot approve its cost, and no one can start an archived promotion or one of the platform.
  expect((await asks(staff, manual)).body.startApproval).toBeUndefined();
  expect(refused(await setStatus(staff, manual, 'ACTIVE'))).toBe('409 PROMO_STATUS_CONFLICT');
  for (const status of ['PAUSED', 'ARCHIVED'])
    expect(refused(await setStatus(colleague, id, status))).toBe('201');
  expect((await asks(colleague, id)).body.startApproval).toBeUndefined();
  expect((await asks(colleague, '1')).body).toMatchObject({ id: '1' });
  expect((await asks(colleague, '1')).body.startApproval).toBeUndefined();
});

test('lets the person who started a promotion approve its cost once a colleague has asked for it', async () => {
  const starter = await app.as('superadmin');
  const colleague = await app.as('superadmin');
  const { id } = (await create({ ...CASH, type: 'MANUAL' })).body;
  expect(refused(await setStatus(starter, id, 'ACTIVE'))).toBe('201');
  expect(refused(await setStatus(starter, id, 'ACTIVE'))).toBe('409 PROMO_STATUS_CONFLICT');
  // Let the starter's request expire.
  await app.db
    .updateTable('staff_values')
    .set({ expires_at: new Date(0) })
    .where('actor_id', '=', starter.id)
    .execute();
  expect(refused(await setStatus(starter, id, 'ACTIVE'))).toBe('409 PROMO_STATUS_CONFLICT');
  expect(refused(await setStatus(colleague, id, 'ACTIVE'))).toBe('409 APPROVAL_NEEDED');
  expect(await starter.call('GET', `/admin/promo/${id}`)).toMatchObject({
    body: { isApproved: false, startApproval: 'NONE', startRequest: { by: { id: colleague.id } } },
  });
  expect((await setStatus(starter, id, 'ACTIVE')).body).toMatchObject({
    isApproved: true,
    startRequest: null,
  });
});

test('allows only the documented status changes', async () => {
  const { id } = (await create(CASH)).body;
  const to = async (status: string) => refused(await setStatus(staff, id, status));
  expect([await to('PAUSED'), await to('ARCHIVED')]).toEqual([
    '409 PROMO_STATUS_CONFLICT',
    '409 PROMO_STATUS_CONFLICT',
  ]);
  expect([await to('ACTIVE'), await to('ACTIVE'), await to('ARCHIVED')]).toEqual([
    '201',
    '409 PROMO_STATUS_CONFLICT',
    '409 PROMO_STATUS_CONFLICT',
  ]);
  expect([await to('PAUSED'), await to('ACTIVE'), await to('PAUSED'), await to('ARCHIVED')]).toEqual(
    Array(4).fill('201'),
  );
  expect(await lastAudit()).toMatchObject({
    reason: 'a test',
    before: { id, status: 'PAUSED' },
    after: { id, status: 'ARCHIVED' },
  });
  expect([await to('ACTIVE'), await to('PAUSED'), await to('ARCHIVED')]).toEqual(
    Array(3).fill('409 PROMO_STATUS_CONFLICT'),
  );
  expect(await to('DRAFT')).toBe('400 VALIDATION_FAILED');
});

test('does not start a promotion that can no longer make grants', async () => {
  const { id } = (await create(CASH)).body;
  await app.db
    .updateTable('promos')
    .set({ conditions: JSON.stringify({ countriesDeny: ['XX'] }) })
    .where('id', '=', BigInt(id))
    .execute();
  expect(problemsOf(await setStatus(staff, id, 'ACTIVE'))).toEqual([
    400,
    'PROMO_INVALID',
    'conditions.countriesDeny',
  ]);
});

test('deletes a promotion without grants, together with its codes', async () => {
  const [used, unused] = [await newPromo(staff), await newPromo(staff)];
  const [[code], [other]] = [await newCodes(staff, used), await newCodes(staff, unused)];
  expect((await redeem(await app.newPlayer(), { code })).status).toBe(201);
  const remove = (id: string) => staff.call('DELETE', `/admin/promo/${id}`);
  expect(refused(await remove(used))).toBe('409 PROMO_HAS_GRANTS');
  expect(await remove(unused)).toMatchObject({ status: 200, body: { success: true } });
  expect(await lastAudit()).toMatchObject({ method: 'DELETE', before: { id: unused } });
  expect(refused(await remove(unused))).toBe('404 PROMO_NOT_FOUND');
  expect(refused(await redeem(await app.newPlayer(), { code: other }))).toBe('404 PROMO_NOT_FOUND');
  // The same code can now be used by another promotion.
  await newCodes(staff, used, { code: other });
});

test("shows the platform's own promotion but rejects changes to it", async () => {
  expect(await get('1')).toMatchObject({ id: '1', name: 'VIP level reward', createdBy: null });
  expect(problemsOf(await patch('1', { name: 'Mine' }))).toEqual([400, 'PROMO_INVALID', 'id']);
  const games = await staff.call('PUT', '/admin/promo/1/games', { body: {} });
  expect(problemsOf(games)).toEqual([400, 'PROMO_INVALID', 'id']);
  expect(refused(await setStatus(staff, '1', 'PAUSED'))).toBe('409 PROMO_STATUS_CONFLICT');
  expect(refused(await staff.call('DELETE', '/admin/promo/1'))).toBe('409 PROMO_HAS_GRANTS');
  const { id } = await app.newPlayer();
  const given = await staff.call('POST', '/admin/promo/1/grant', {
    body: { userIds: [id], reason: 'x', amount: '5' },
  });
  expect(refused(given)).toBe('409 PROMO_NOT_ACTIVE');
});

test('replaces all games of a promotion, and lists the promotions of a game', async () => {
  const slug = `slot-${staff.id}`;
  await newGame(app, { slug, provider_id: app.services.gameProviders.get('sandbox').id });
  const { id } = (await create({ ...BONUS, games: { gameSlugs: ['dice'], perGame: { dice: 50 } } })).body;
  const clerk = await app.as({ permissions: ['casino.read', 'promo.write'] });
  const setGames = (body: object) => clerk.call('PUT', `/admin/promo/${id}/games`, { body });
  const boss = await app.as('superadmin');
  const whitelist = async (game: string) =>
    (await boss.call('GET', `/admin/casino/games/${game}`)).body.promoGameWhitelist;
  expect(await whitelist('dice')).toContain(id);
  expect(await whitelist(slug)).toEqual([]);
  const next = { gameSlugs: [slug], contribution: { SLOTS: 100, LIVE: 0 } };
  expect(await setGames(next)).toMatchObject({ status: 200, body: { games: next } });
  expect((await get(id)).games).toEqual(next);
  expect(await lastAudit(clerk)).toMatchObject({
    before: { games: { gameSlugs: ['dice'], perGame: { dice: 50 } } },
    after: { games: next },
  });
  expect(await whitelist('dice')).not.toContain(id);
  expect(await whitelist(slug)).toEqual([id]);
  const bad = await setGames({ perGame: { dice: 101 } });
  expect(problemsOf(bad)).toEqual([400, 'PROMO_INVALID', 'games.perGame']);
  expect((await setGames({})).body.games).toEqual({});
  expect(await whitelist(slug)).toEqual([]);
  const { body: all } = await boss.call('GET', '/admin/casino/games/all?slug=dice');
  expect(all.data[0].promoGameWhitelist).toEqual(await whitelist('dice'));
});

describe('codes', () => {
  test('creates one shared code, either the given one or a random one', async () => {
    const id = await newPromo(staff);
    expect(await newCodes(staff, id, { code: 'My_Code-1', maxUses: 3 })).toEqual(['My_Code-1']);
    expect(await lastAudit()).toMatchObject({
      after: { promoId: id, kind: 'UNIVERSAL', created: 1, code: 'My_Code-1' },
    });
    const [random] = await newCodes(staff, id);
    expect(random).toMatch(/^[A-HJ-NP-Z2-9]{12}$/);
    for (const code of ['My_Code-1', 'my_code-1'])
      expect(
        refused(await staff.call('POST', `/admin/promo/${id}/codes`, { body: { kind: 'UNIVERSAL', code } })),
      ).toBe('409 PROMO_CODE_TAKEN');
    const { body } = await staff.call('GET', `/admin/promo/${id}/codes?sortOrder=asc`);
    const shown = { kind: 'UNIVERSAL', uses: 0, createdAt: expect.any(String), lastUsedAt: null };
    expect(body.data).toEqual([
      { ...shown, code: 'My_Code-1', maxUses: 3 },
      { ...shown, code: random, maxUses: null },
    ]);
  });

  test('creates 10,000 distinct single-use codes and keeps them out of the audit log', async () => {
    const id = await newPromo(staff);
    const codes = await newCodes(staff, id, { kind: 'ONE_TIME', count: 10_000 });
    expect(new Set(codes).size).toBe(10_000);
    const audit = await lastAudit();
    expect(audit!.after).toEqual({ promoId: id, kind: 'ONE_TIME', created: 10_000 });
    const list = async (query: string) => (await staff.call('GET', `/admin/promo/${id}/codes?${query}`)).body;
    expect(await list('page=500')).toMatchObject({ total: 10_000, data: { length: 20 } });
    for (const code of codes.slice(0, 2))
      expect((await redeem(await app.newPlayer(), { code })).status).toBe(201);
    const used = await list('used=true&sortBy=code&sortOrder=asc');
    expect(used.data.map(({ code }: any) => code)).toEqual(codes.slice(0, 2).toSorted());
    expect(used.data[0]).toMatchObject({ uses: 1, maxUses: 1, lastUsedAt: expect.any(String) });
    expect((await list('used=false')).total).toBe(9998);
    const found = await list(`search=${codes[7]!.slice(0, 8).toLowerCase()}`);
    expect(found.data.map(({ code }: any) => code)).toContain(codes[7]);
    expect((await list('search=%25')).total).toBe(0);
    expect((await list('sortBy=uses')).data[0].uses).toBe(1);
  });

  test('rejects contradictory fields and codes that players could not redeem', async () => {
    const id = await newPromo(staff);
    const make = (body: object, promo = id) => staff.call('POST', `/admin/promo/${promo}/codes`, { body });
    for (const body of [
      { kind: 'ONE_TIME', count: 0 },
      { kind: 'ONE_TIME', count: 10_001 },
      { kind: 'ONE_TIME', code: 'mine' },
      { kind: 'ONE_TIME', maxUses: 2 },
      { kind: 'UNIVERSAL', count: 2 },
      { kind: 'UNIVERSAL', code: 'with a blank' },
      { kind: 'UNIVERSAL', code: '' },
      { kind: 'OTHER' },
    ])
      expect(refused(await make(body)), JSON.stringify(body)).toBe('400 VALIDATION_FAILED');
    const manual = await newPromo(staff, { type: 'MANUAL' });
    expect(problemsOf(await make({ kind: 'UNIVERSAL' }, manual))).toEqual([400, 'PROMO_INVALID', 'type']);
  });
});

test('filters, searches, sorts and pages promotions', async () => {
  const mark = `Quest ${staff.id}`;
  const ids: string[] = [];
  for (const [n, fields] of [
    { endAt: '2126-01-01T00:00:00.000Z' },
    { type: 'DEPOSIT' },
    { startAt: '2026-02-01T00:00:00.000Z' },
  ].entries())
    ids.push((await create({ ...CASH, ...fields, name: `${mark} ${'cab'[n]}` })).body.id);
  await startByTwo(staff, ids[1]!);
  const list = async (query: string) => (await staff.call('GET', `/admin/promo?${query}`)).body;
  const found = async (query: string) => {
    const { data } = await list(`search=${encodeURIComponent(mark.toLowerCase())}&${query}`);
    return data.map(({ id }: any) => ids.indexOf(id));
  };
  expect(await found('')).toEqual([2, 1, 0]);
  expect(await found('sortOrder=asc')).toEqual([0, 1, 2]);
  expect(await found('sortBy=name&sortOrder=asc')).toEqual([1, 2, 0]);
  expect(await found('sortBy=updatedAt')).toEqual([1, 2, 0]);
  expect((await found('sortBy=startAt'))[0]).toBe(2);
  expect((await found('sortBy=endAt'))[0]).toBe(0);
  expect(await found('status=ACTIVE')).toEqual([1]);
  expect(await found('type=CODE')).toEqual([2, 0]);
  const [code] = await newCodes(staff, ids[0]!);
  expect((await list(`search=${code!.toLowerCase()}`)).data.map(({ id }: any) => id)).toEqual([ids[0]]);
  expect((await list(`search=${ids[2]}`)).data.map(({ id }: any) => id)).toContain(ids[2]);
  const all = await list('take=1&page=2');
  expect(all).toMatchObject({ take: 1, page: 2, data: { length: 1 } });
  expect(all.data[0]).not.toHaveProperty('stats');
  expect((await list('page=9007199254740991')).data).toEqual([]);
  for (const query of ['take=21', 'status=DONE', 'sortBy=id', `search=${'x'.repeat(51)}`])
    expect((await staff.call('GET', `/admin/promo?${query}`)).status, query).toBe(400);
});

test('returns the total results of a promotion in US dollars', async () => {
  const cash = await newPromo(staff);
  const [cashCode] = await newCodes(staff, cash);
  const id = await newPromo(staff, BONUS);
  const [code] = await newCodes(staff, id);
  for (const _ of [1, 2]) expect((await redeem(await app.newPlayer(), { code: cashCode })).status).toBe(201);
  expect((await get(cash)).stats).toEqual({
    grants: 2,
    granted: [{ currencyId: 'USDT', amount: '20', grants: 2 }],
    activeLiabilityUsd: '0',
    convertedUsd: '20',
    forfeitedUsd: '0',
  });
  const [one, other] = [await app.newPlayer(), await app.newPlayer()];
  const { body } = await redeem(one, { code });
  expect((await redeem(other, { code })).status).toBe(201);
  await one.call('POST', `/promo/${body.id}/forfeit`, { body: {} });
  expect((await get(id)).stats).toEqual({
    grants: 2,
    granted: [{ currencyId: 'USDT', amount: '20', grants: 2 }],
    activeLiabilityUsd: '10',
    convertedUsd: '0',
    forfeitedUsd: '10',
  });
});

test('returns 404 for unknown promotions, codes and grants', async () => {
  for (const id of ['0', 'x', '999999999', '9223372036854775808', '1'.repeat(64)])
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', {}],
      ['DELETE', '', undefined],
      ['POST', '/status', { status: 'ACTIVE', reason: 'x' }],
      ['POST', '/codes', { kind: 'UNIVERSAL' }],
      ['GET', '/codes', undefined],
      ['PUT', '/games', {}],
      ['POST', '/grant', { userIds: [staff.id], reason: 'x' }],
    ] as const)
      expect(
        refused(await staff.call(method, `/admin/promo/${id}${path}`, { body })),
        `${method} ${id}${path}`,
      ).toBe('404 PROMO_NOT_FOUND');
});

test('requires promo.read to read, promo.write to change and promo.pay to grant', async () => {
  const id = await newPromo(staff);
  const callers = {
    anonymous: app,
    player: await app.newPlayer(),
    reader: await app.as({ permissions: ['promo.read'] }),
    writer: await app.as({ permissions: ['promo.write'] }),
    payer: await app.as({ permissions: ['promo.pay'] }),
  };
  const routes = [
    ['GET', '/admin/promo', undefined, 'promo.read'],
    ['GET', '/admin/promo/grants', undefined, 'promo.read'],
    ['GET', `/admin/promo/${id}`, undefined, 'promo.read'],
    ['GET', `/admin/promo/${id}/codes`, undefined, 'promo.read'],
    ['POST', '/admin/promo', CASH, 'promo.write'],
    ['PATCH', `/admin/promo/${id}`, {}, 'promo.write'],
    ['POST', `/admin/promo/${id}/codes`, { kind: 'UNIVERSAL' }, 'promo.pay'],
    ['PUT', `/admin/promo/${id}/games`, {}, 'promo.write'],
    ['POST', `/admin/promo/${id}/grant`, { userIds: [callers.player.id], reason: 'x' }, 'promo.pay'],
    ['POST', '/admin/promo/grants/999999/cancel', { reason: 'x' }, 'promo.write'],
    ['POST', `/admin/promo/${id}/status`, { status: 'PAUSED', reason: 'x' }, 'promo.write'],
    ['DELETE', `/admin/promo/${id}`, undefined, 'promo.write'],
  ] as const;
  const PASSES = {
    'promo.read': ['writer', 'reader'],
    'promo.write': ['reader', 'writer'],
    'promo.pay': ['writer', 'payer'],
  } as const;
  for (const [method, path, body, right] of routes) {
    const statusFor = async (caller: keyof typeof callers) =>
      (await callers[caller].call(method, path, { body })).status;
    const [denied, allowed] = PASSES[right];
    expect(
      [await statusFor('anonymous'), await statusFor('player'), await statusFor(denied)],
      `${method} ${path}`,
    ).toEqual([401, 403, 403]);
    expect([401, 403], `${method} ${path}`).not.toContain(await statusFor(allowed));
  }
});
