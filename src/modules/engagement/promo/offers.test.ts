import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import {
  BONUS,
  HALF,
  newCodes,
  newPromo,
  promoFixture,
  redeem,
  refused,
  setStatus,
} from '../../../../test/kit/engagement/promo.ts';

const { app, staff } = promoFixture();

const offersTo = async (player: Player) =>
  (await player.call('GET', '/promo')).body as { id: string; claimed: boolean }[];
const isOffered = async (player: Player, id: string) => {
  const offer = (await offersTo(player)).find((one) => one.id === id);
  return offer && { claimed: offer.claimed };
};

test('lists active promotions for which the player is eligible or already has a grant', async () => {
  const player = await app.newPlayer();
  const id = await newPromo(staff, {
    ...HALF,
    description: 'Half on top of what you pay in.',
    maxBetUsd: '5',
    validityHours: 48,
    wagerBase: 'DEPOSIT_AND_BONUS',
    wagerMultiplier: 12.5,
    conditions: { minDepositUsd: '20' },
    endAt: '2126-01-01T00:00:00.000Z',
  });
  const due = {
    id,
    name: 'Half on top',
    description: 'Half on top of what you pay in.',
    type: 'DEPOSIT',
    amount: null,
    percent: 50,
    freeSpins: null,
    maxAmount: '100',
    currencyId: 'USDT',
    wagerMultiplier: 12.5,
    wagerBase: 'DEPOSIT_AND_BONUS',
    maxBetUsd: '5',
    validityHours: 48,
    minDepositUsd: '20',
    startAt: null,
    endAt: '2126-01-01T00:00:00.000Z',
    claimed: false,
    games: [],
    maxWithdrawalMultiplier: null,
    lowRisk: { maxWinChancePercent: 95, minMultiplier: 1.1, maxCoveragePercent: 90, countsOpposites: false },
  };
  expect(await offersTo(player)).toContainEqual(due);
  expect((await redeem(player, { promoId: id })).status).toBe(201);
  expect(await offersTo(player)).toContainEqual({ ...due, claimed: true });
  expect((await setStatus(staff, id, 'PAUSED')).status).toBe(201);
  expect(await isOffered(player, id)).toBeUndefined();
});

test('hides promotions that need a code or staff, are drafts, are not running or have unmet conditions', async () => {
  const player = await app.newPlayer();
  const hidden = [
    await newPromo(staff),
    await newPromo(staff, { type: 'MANUAL' }),
    await newPromo(staff, { ...HALF, startAt: '2126-01-01T00:00:00.000Z' }),
    await newPromo(staff, {
      ...HALF,
      startAt: '2026-01-01T00:00:00.000Z',
      endAt: '2026-01-02T00:00:00.000Z',
    }),
    await newPromo(staff, { ...HALF, conditions: { minVipLevel: 1 } }),
    (await staff.call('POST', '/admin/promo', { body: HALF })).body.id,
  ];
  const shown = (await offersTo(player)).map(({ id }) => id);
  expect(hidden.filter((id) => shown.includes(id))).toEqual([]);
});

test('hides a promotion whose budget is used up from players without a grant of it', async () => {
  const id = await newPromo(staff, { ...HALF, budget: { maxGrants: 1 } });
  const [first, second] = [await app.newPlayer(), await app.newPlayer()];
  expect(await isOffered(second, id)).toEqual({ claimed: false });
  expect((await redeem(first, { promoId: id })).status).toBe(201);
  expect(await isOffered(first, id)).toEqual({ claimed: true });
  expect(await isOffered(second, id)).toBeUndefined();
});

test('offers nothing to a self-excluded player', async () => {
  const id = await newPromo(staff, HALF);
  const player = await app.newPlayer();
  expect(await isOffered(player, id)).toEqual({ claimed: false });
  await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
  expect(await offersTo(player)).toEqual([]);
});

test('offers a WELCOME promotion once per player', async () => {
  const welcome = { ...HALF, type: 'WELCOME' };
  const [one, other] = [await newPromo(staff, welcome), await newPromo(staff, welcome)];
  const player = await app.newPlayer();
  expect([await isOffered(player, one), await isOffered(player, other)]).toEqual([
    { claimed: false },
    { claimed: false },
  ]);
  expect((await redeem(player, { promoId: one })).status).toBe(201);
  expect([await isOffered(player, one), await isOffered(player, other)]).toEqual([
    { claimed: true },
    undefined,
  ]);
  expect(refused(await redeem(player, { promoId: other }))).toBe('409 PROMO_ALREADY_USED');
  const given = await staff.call('POST', `/admin/promo/${other}/grant`, {
    body: { userIds: [player.id], reason: 'again' },
  });
  expect(given.body).toMatchObject({
    granted: 0,
    skipped: [{ userId: player.id, rule: 'PROMO_ALREADY_USED' }],
  });
  for (const id of [one, other]) expect((await setStatus(staff, id, 'PAUSED')).status).toBe(201);
});

test("filters, sorts and pages the player's grants", async () => {
  const player = await app.newPlayer();
  const codes = await Promise.all(
    [
      BONUS,
      BONUS,
      { ...BONUS, reward: { ...BONUS.reward, currencyId: 'BTC', amount: '0.001' }, validityHours: 5 },
    ].map(async (terms) => (await newCodes(staff, await newPromo(staff, terms)))[0]),
  );
  for (const code of codes) expect((await redeem(player, { code })).status).toBe(201);
  const list = async (query = '') => (await player.call('GET', `/promo/my${query}`)).body;
  const named = ({ data }: any) => data.map(({ currencyId, status }: any) => `${currencyId} ${status}`);
  expect(named(await list())).toEqual(['BTC ACTIVE', 'USDT PENDING', 'USDT ACTIVE']);
  expect(named(await list('?sortOrder=asc'))).toEqual(['USDT ACTIVE', 'USDT PENDING', 'BTC ACTIVE']);
  expect(named(await list('?sortBy=expiresAt'))[0]).toBe('BTC ACTIVE');
  expect(named(await list('?status=PENDING'))).toEqual(['USDT PENDING']);
  expect(await list('?take=2&page=2')).toMatchObject({ take: 2, page: 2, total: 3, totalPages: 2 });
  expect(await list('?page=9007199254740991')).toMatchObject({ data: [], total: 3 });
  expect((await (await app.newPlayer()).call('GET', '/promo/my')).body).toMatchObject({ data: [], total: 0 });
  for (const query of ['?take=21', '?status=DONE', '?sortBy=amount', '?more=1', '?page=0'])
    expect((await player.call('GET', `/promo/my${query}`)).status, query).toBe(400);
});

test('shows the games that count towards the wagering requirement of a grant', async () => {
  const games = { gameSlugs: ['dice', 'mines'] };
  const [code] = await newCodes(staff, await newPromo(staff, { ...BONUS, games }));
  const { body } = await redeem(await app.newPlayer(), { code });
  expect(body.games.toSorted()).toEqual(['dice', 'mines']);
});

test('forfeits bonus money but not cash, and changes nothing in a dry run', async () => {
  const player = await app.newPlayer({ usdt: 7 });
  const [code] = await newCodes(staff, await newPromo(staff, BONUS));
  const { body: grant } = await redeem(player, { code });
  const give = (body: object, headers: Record<string, string> = {}) =>
    player.call('POST', `/promo/${grant.id}/forfeit`, { body, headers });
  const before = (await player.call('GET', '/promo/my')).body;
  const dry = await give({ dryRun: true });
  expect(dry).toMatchObject({ status: 201, body: { ...grant, forfeitedAmount: '10' } });
  expect((await player.call('GET', '/promo/my')).body).toEqual(before);
  const key = { 'idempotency-key': randomUUID() };
  const done = await give({}, key);
  expect(done).toMatchObject({
    status: 201,
    body: { status: 'FORFEITED', bonusBalance: '0', forfeitedAmount: '10', closeReason: 'PLAYER' },
  });
  expect((await give({}, key)).text).toBe(done.text);
  expect(await cashOf(player)).toBe('7');
  for (const body of [{}, { dryRun: true }]) expect(refused(await give(body))).toBe('409 PROMO_GRANT_CLOSED');
});

test("returns 404 for unknown grants, malformed ids and other players' grants", async () => {
  const [code] = await newCodes(staff, await newPromo(staff, BONUS));
  const { body } = await redeem(await app.newPlayer(), { code });
  const stranger = await app.newPlayer();
  for (const id of [body.id, '0', 'x', '9223372036854775807', '9223372036854775808'])
    for (const dryRun of [true, false]) {
      const answer = await stranger.call('POST', `/promo/${id}/forfeit`, { body: { dryRun } });
      expect(refused(answer), id).toBe('404 PROMO_GRANT_NOT_FOUND');
    }
});

test('requires a session', async () => {
  for (const [method, path] of [
    ['GET', '/promo'],
    ['GET', '/promo/my'],
    ['POST', '/promo/redeem'],
    ['POST', '/promo/1/forfeit'],
  ])
    expect(refused(await app.call(method!, path!, method === 'GET' ? {} : { body: {} })), path).toBe(
      '401 UNAUTHORIZED',
    );
});
