import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import {
  BONUS,
  deposit,
  HALF,
  newCodes,
  newPromo,
  promoFixture,
  redeem,
  refused,
  setStatus,
} from '../../../../test/kit/engagement/promo.ts';
import { anAddress } from '../../../../test/kit/processes/visitors.ts';

const { app, staff } = promoFixture();

const counted = (id: string) =>
  app.db
    .selectFrom('promos')
    .select(['grants', 'granted_usd'])
    .where('id', '=', BigInt(id))
    .executeTakeFirst();
const codeRow = (code: string) =>
  app.db
    .selectFrom('promo_codes')
    .select(['uses', 'last_used_at'])
    .where('key', '=', code.toLowerCase())
    .executeTakeFirst();

test('pays cash with a wagering requirement for a code in upper or lower case, once per player', async () => {
  const id = await newPromo(staff, { wagerMultiplier: 2 });
  const [code] = await newCodes(staff, id, { code: 'Spring-Cash' });
  const player = await app.newPlayer();
  const answer = await redeem(player, { code: ' sPRING-cash ' });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^\d+$/),
    promoId: id,
    name: 'Ten for you',
    type: 'CODE',
    status: 'COMPLETED',
    currencyId: 'USDT',
    grantedAmount: '10',
    bonusBalance: '0',
    wagerRequired: '0',
    wagerDone: '0',
    progressPercent: 100,
    maxBetUsd: null,
    games: [],
    forfeitedAmount: null,
    createdAt: expect.any(String),
    activatedAt: expect.any(String),
    expiresAt: null,
    closeReason: null,
  });
  expect(await cashOf(player)).toBe('10');
  const eligibility = await player.call('GET', '/payments/withdraw/eligibility?currencyId=USDT');
  expect(eligibility.body.wagerRemainingUsd).toBe('20');
  expect(await counted(id)).toEqual({ grants: 1, granted_usd: 1_000_000_000n });
  expect(await codeRow(code!)).toEqual({ uses: 1, last_used_at: expect.any(Date) });
  expect(refused(await redeem(player, { code }))).toBe('409 PROMO_ALREADY_USED');
  expect(await cashOf(player)).toBe('10');
  expect(refused(await redeem(await app.newPlayer(), { code }))).toBe('201');
});

test('requires either code or promoId', async () => {
  const player = await app.newPlayer();
  for (const body of [{}, { code: 'x', promoId: '1' }])
    expect(refused(await redeem(player, body))).toBe('400 PROMO_CODE_OR_ID_REQUIRED');
  for (const body of [{ code: 7 }, { code: 'x'.repeat(65) }, { code: 'x', more: 1 }])
    expect(refused(await redeem(player, body))).toBe('400 VALIDATION_FAILED');
});

test('runs the checks in the documented order, and changes nothing when it rejects a request', async () => {
  const player = await app.newPlayer();
  const conditions = { minVipLevel: 50 };
  const code = async (fields: object) => (await newCodes(staff, await newPromo(staff, fields)))[0]!;
  const ended = { startAt: '2026-01-01T00:00:00.000Z', endAt: '2026-01-02T00:00:00.000Z' };
  const paused = await newPromo(staff);
  const [pausedCode] = await newCodes(staff, paused);
  expect((await setStatus(staff, paused, 'PAUSED')).status).toBe(201);
  const draft = (await staff.call('POST', '/admin/promo', { body: { ...BONUS, type: 'DEPOSIT' } })).body.id;
  const ofCode = await newPromo(staff);
  const manual = await newPromo(staff, { type: 'MANUAL' });
  for (const wanted of [
    { code: 'no-such-code' },
    { code: pausedCode },
    { code: '' },
    { promoId: paused },
    { promoId: draft },
    { promoId: ofCode },
    { promoId: manual },
    { promoId: '1' },
    { promoId: '0' },
    { promoId: 'x' },
    { promoId: '9223372036854775808' },
  ])
    expect(refused(await redeem(player, wanted)), JSON.stringify(wanted)).toBe('404 PROMO_NOT_FOUND');

  const early = await code({ startAt: '2126-01-01T00:00:00.000Z' });
  const archived = await newPromo(staff);
  const [archivedCode] = await newCodes(staff, archived);
  for (const status of ['PAUSED', 'ARCHIVED'])
    expect((await setStatus(staff, archived, status)).status).toBe(201);
  for (const wanted of [await code(ended), early, archivedCode])
    expect(refused(await redeem(player, { code: wanted })), wanted).toBe('409 PROMO_EXPIRED');

  const strict = await newPromo(staff, { conditions, budget: { maxGrants: 1 } });
  const [strictCode] = await newCodes(staff, strict, { maxUses: 1 });
  expect(refused(await redeem(player, { code: strictCode }))).toBe('403 PROMO_NOT_ELIGIBLE VIP_LEVEL');
  await app.db.updateTable('users').set({ vip_level: 50 }).where('id', '=', player.id).execute();
  const twin = await app.newPlayer();
  await app.db.updateTable('users').set({ vip_level: 50 }).where('id', '=', twin.id).execute();
  expect(refused(await redeem(twin, { code: strictCode }))).toBe('201');
  expect(refused(await redeem(player, { code: strictCode }))).toBe('409 PROMO_EXHAUSTED');
  // PROMO_ALREADY_USED is reported before all other errors.
  await twin.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
  expect(refused(await redeem(twin, { code: strictCode }))).toBe('409 PROMO_ALREADY_USED');
  const other = await code({ conditions: { minVipLevel: 51 } });
  expect(refused(await redeem(twin, { code: other }))).toBe('403 SELF_EXCLUDED');
  expect(await cashOf(player)).toBe('0');
  expect((await counted(strict))!.grants).toBe(1);
});

test('rejects banned players and players in a blocked country', async () => {
  const [code] = await newCodes(staff, await newPromo(staff));
  const boss = await app.as('superadmin');
  expect((await boss.call('PATCH', '/admin/country/JP', { body: { isBlocked: true } })).status).toBe(200);
  const player = await app.newPlayer();
  // The IP address is in Japan.
  const abroad = await redeem(player, { code }, { 'x-forwarded-for': '133.242.0.1' });
  expect(refused(abroad)).toBe('403 AUTH_GEO_BLOCKED');
  await app.db.updateTable('players').set({ is_banned: true }).where('user_id', '=', player.id).execute();
  expect(refused(await redeem(player, { code }))).toBe('403 USER_BANNED');
  expect((await codeRow(code!))!.uses).toBe(0);
});

test('counts the redemptions of a code, except rejected ones', async () => {
  const id = await newPromo(staff, { conditions: { emailVerified: true } });
  const [code] = await newCodes(staff, id, { kind: 'ONE_TIME' });
  const [first, second] = [await app.newPlayer(), await app.newPlayer()];
  const prove = ({ id: userId }: Player, isProven: boolean) =>
    app.db.updateTable('users').set({ email_verified: isProven }).where('id', '=', userId).execute();
  await prove(first, false);
  expect(refused(await redeem(first, { code }))).toBe('403 PROMO_NOT_ELIGIBLE EMAIL');
  expect((await codeRow(code!))!.uses).toBe(0);
  await prove(first, true);
  await prove(second, true);
  expect(refused(await redeem(first, { code }))).toBe('201');
  expect(refused(await redeem(second, { code }))).toBe('409 PROMO_EXHAUSTED');
  expect(await counted(id)).toEqual({ grants: 1, granted_usd: 1_000_000_000n });
});

test('never exceeds the budget of a promotion in US dollars', async () => {
  const id = await newPromo(staff, { budget: { maxTotalUsd: '25' } });
  const [code] = await newCodes(staff, id);
  for (const due of ['201', '201', '409 PROMO_EXHAUSTED'])
    expect(refused(await redeem(await app.newPlayer(), { code }))).toBe(due);
});

test('counts the maximum amount of a percentage bonus towards the budget', async () => {
  const id = await newPromo(staff, { ...HALF, budget: { maxTotalUsd: '250' } });
  for (const due of ['201', '201', '409 PROMO_EXHAUSTED'])
    expect(refused(await redeem(await app.newPlayer(), { promoId: id }))).toBe(due);
});

test('returns the same response for a repeated idempotency key, and rejects the key with another body', async () => {
  const id = await newPromo(staff);
  const [code] = await newCodes(staff, id);
  const player = await app.newPlayer();
  const headers = { 'idempotency-key': randomUUID() };
  const first = await redeem(player, { code }, headers);
  expect(first.status).toBe(201);
  const again = await redeem(player, { code }, headers);
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(refused(await redeem(player, { code: 'x' }, headers))).toBe('409 IDEMPOTENCY_KEY_REUSED');
  const other = { 'idempotency-key': randomUUID() };
  expect(refused(await redeem(player, { code: 'nothing' }, other))).toBe('404 PROMO_NOT_FOUND');
  await newCodes(staff, id, { code: 'nothing' });
  expect(refused(await redeem(player, { code: 'nothing' }, other))).toBe('404 PROMO_NOT_FOUND');
  expect(await cashOf(player)).toBe('10');
});

test("rejects an account's sixth wrong code within a minute, but not codes from other accounts at the same address", async () => {
  const headers = { 'x-forwarded-for': anAddress() };
  const [one, other] = [await app.newPlayer(), await app.newPlayer()];
  const guess = async (player: Player) => refused(await redeem(player, { code: 'guess' }, headers));
  for (let i = 0; i < 5; i++) expect(await guess(one)).toBe('404 PROMO_NOT_FOUND');
  const sixth = await redeem(one, { code: 'guess' }, headers);
  expect(refused(sixth)).toBe('429 RATE_LIMITED');
  expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0);
  // Requests that exceed the limit of one account do not use up the limits that it shares with other accounts.
  for (let i = 0; i < 30; i++) expect(await guess(one)).toBe('429 RATE_LIMITED');
  expect(await guess(other)).toBe('404 PROMO_NOT_FOUND');
});

test('counts only wrong codes towards the limits', async () => {
  const headers = { 'x-forwarded-for': anAddress() };
  const player = await app.newPlayer();
  for (let i = 0; i < 8; i++) {
    const [code] = await newCodes(staff, await newPromo(staff, {}));
    expect(refused(await redeem(player, { code }, headers))).toBe('201');
    expect(refused(await redeem(player, { code }, headers))).toBe('409 PROMO_ALREADY_USED');
  }
});

test('limits guesses from many accounts at one address', async () => {
  const headers = { 'x-forwarded-for': anAddress() };
  const guess = async (player: Player, agent: string) =>
    refused(await redeem(player, { code: 'guess' }, { ...headers, 'user-agent': agent }));
  for (let browser = 0; browser < 4; browser++)
    for (let account = 0; account < 5; account++) {
      const player = await app.newPlayer();
      for (let i = 0; i < 5; i++)
        expect(await guess(player, `Browser/${browser}`)).toBe('404 PROMO_NOT_FOUND');
    }
  const last = await app.newPlayer();
  expect(await guess(last, 'Browser/0')).toBe('429 RATE_LIMITED');
  expect(await guess(last, 'Browser/9')).toBe('429 RATE_LIMITED');
});

test('starts a bonus immediately, queues a second bonus, and makes a percentage bonus wait for a deposit', async () => {
  const player = await app.newPlayer();
  const bonus = async () =>
    (await newCodes(staff, await newPromo(staff, { ...BONUS, validityHours: 24 })))[0];
  const first = await redeem(player, { code: await bonus() });
  expect(first.body).toMatchObject({
    status: 'ACTIVE',
    bonusBalance: '10',
    wagerRequired: '100',
    wagerDone: '0',
    progressPercent: 0,
  });
  const { activatedAt, expiresAt } = first.body;
  expect(Date.parse(expiresAt) - Date.parse(activatedAt)).toBe(86_400_000);
  const second = await redeem(player, { code: await bonus() });
  expect(second.body).toMatchObject({ status: 'PENDING', bonusBalance: '0', grantedAmount: '10' });
  const half = await redeem(player, { promoId: await newPromo(staff, HALF) });
  expect(half.body).toMatchObject({ status: 'PENDING', grantedAmount: '0', progressPercent: 0 });
  await deposit(app, player, '30');
  const { body } = await player.call('GET', '/promo/my?sortOrder=asc');
  expect(body.data.map((grant: any) => [grant.status, grant.grantedAmount, grant.wagerRequired])).toEqual([
    ['ACTIVE', '10', '100'],
    ['PENDING', '10', '100'],
    ['PENDING', '15', '150'],
  ]);
});

test('makes a percentage bonus with a minimum deposit wait for a deposit that is large enough', async () => {
  const player = await app.newPlayer();
  const conditions = { minDepositUsd: '20' };
  const { body } = await redeem(player, { promoId: await newPromo(staff, { ...HALF, conditions }) });
  await deposit(app, player, '19');
  const grant = async () =>
    (await player.call('GET', '/promo/my')).body.data.find(({ id }: any) => id === body.id);
  expect(await grant()).toMatchObject({ status: 'PENDING', grantedAmount: '0' });
  await deposit(app, player, '20');
  expect(await grant()).toMatchObject({ status: 'ACTIVE', grantedAmount: '10', bonusBalance: '10' });
});

test('keeps the terms of existing grants when a promotion changes', async () => {
  const id = await newPromo(staff, BONUS);
  const [code] = await newCodes(staff, id);
  const player = await app.newPlayer();
  const { body } = await redeem(player, { code });
  const to = { name: 'Other', wagerMultiplier: 99, maxBetUsd: '1' };
  expect((await staff.call('PATCH', `/admin/promo/${id}`, { body: to })).status).toBe(200);
  expect((await player.call('GET', '/promo/my')).body.data).toEqual([body]);
});
