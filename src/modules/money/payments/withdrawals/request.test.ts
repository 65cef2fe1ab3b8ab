import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { forgetTries } from '../../../../../test/kit/accounts/second-factor.ts';
import { turnOnMfa, wrongCode } from '../../../../../test/kit/accounts/totp.ts';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  cancel,
  decide,
  legsOf,
  makeDue,
  moneyOf,
  ORDER,
  RECIPIENTS,
  waiting,
  withdraw,
} from '../../../../../test/kit/money/withdrawals.ts';
import { getWithdrawEligibility } from './eligibility.ts';
import { requestWithdrawal } from './request.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));

const configure = async (change: object) => {
  const answer = await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: change });
  expect(answer.status, answer.text).toBe(200);
};
const eligibility = (player: Player, currencyId = 'USDT') =>
  player.call('GET', `/payments/withdraw/eligibility?currencyId=${currencyId}`);
const change = (player: Player, values: object) =>
  app.db.updateTable('users').set(values).where('id', '=', player.id).execute();
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('holds the whole amount, shows the withdrawal to its player, and returns the amount on cancellation', async () => {
  const player = await app.newPlayer({ usdt: 50 });
  const { status, body } = await withdraw(player);
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    status: 'WAITING_FOR_APPROVAL',
    amount: '10',
    fee: '1',
    receiveAmount: '9',
    currencyId: 'USDT',
    usdAmount: expect.stringMatching(/^(10|9\.9\d*)$/),
    networkId: 'tron',
    recipientAddress: RECIPIENTS.tron,
    recipientMemo: null,
    txHash: null,
    confirmations: 0,
    rejectReason: null,
    failedReason: null,
    etaMinutes: 10,
    confirmedAt: null,
    statusHistory: [{ status: 'WAITING_FOR_APPROVAL', at: body.createdAt, reason: null }],
    createdAt: isoTime,
    updatedAt: isoTime,
  });
  expect(await moneyOf(app, player)).toEqual({ cash: 40, hold: 10 });
  const list = await player.call('GET', '/payments/withdraw?status=WAITING_FOR_APPROVAL');
  expect(list.body).toMatchObject({ total: 1, data: [body] });
  const cancelled = await cancel(player, body.id);
  expect([cancelled.status, cancelled.body.status]).toEqual([201, 'CANCELLED']);
  expect(cancelled.body.statusHistory).toHaveLength(2);
  expect(await moneyOf(app, player)).toEqual({ cash: 50, hold: 0 });
  expect(await legsOf(app, body.id)).toEqual(['hold:1', 'release:1']);
  expect(codeOf(await cancel(player, body.id))).toBe('409 WITHDRAWAL_NOT_CANCELLABLE');
});

test('returns the stored response for a repeated key, and rejects the key for a different request', async () => {
  const player = await app.newPlayer({ usdt: 50 });
  const headers = { 'idempotency-key': randomUUID() };
  const first = await withdraw(player, {}, headers);
  await configure({ isEnabled: false });
  expect((await withdraw(player, {}, headers)).text).toBe(first.text);
  await configure({ isEnabled: true });
  expect(codeOf(await withdraw(player, { amount: '11' }, headers))).toBe('409 IDEMPOTENCY_KEY_REUSED');
  expect(await moneyOf(app, player)).toEqual({ cash: 40, hold: 10 });
});

describe('invalid withdrawal requests', () => {
  const player = fixture(() => app.newPlayer({ usdt: 1000 }));
  test.each<[string, object, string]>([
    ['for more than the balance', { amount: '1000.000001' }, '400 INSUFFICIENT_BALANCE'],
    ['below the minimum of the network', { amount: '4.999999' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['with more decimals than the currency has', { amount: '10.0000001' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['for zero', { amount: '0' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['for an amount that does not exceed the fee', { amount: '1' }, '400 AMOUNT_BELOW_FEE'],
    [
      'with a wrong letter in the address',
      { recipientAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv9' },
      '400 RECIPIENT_ADDRESS_INVALID',
    ],
    [
      'with an address of another network',
      { recipientAddress: RECIPIENTS.bitcoin },
      '400 RECIPIENT_ADDRESS_INVALID',
    ],
    ['with a memo on a network without memos', { recipientMemo: '7' }, '400 RECIPIENT_MEMO_INVALID'],
    ['in an unknown currency', { currencyId: 'XYZ' }, '404 PAYMENT_METHOD_NOT_FOUND'],
    ['with a currency id in lower case', { currencyId: 'usdt' }, '404 PAYMENT_METHOD_NOT_FOUND'],
    ['on an unknown network', { networkId: 'moon' }, '404 PAYMENT_METHOD_NOT_FOUND'],
    ['with an unknown field', { fee: '0' }, '400 VALIDATION_FAILED'],
    ['with a number as amount', { amount: 10 }, '400 VALIDATION_FAILED'],
    ['with an invalid quote', { quoteId: 'bm8' }, '409 QUOTE_EXPIRED'],
  ])('%s', async (_, fields, code) => {
    expect(codeOf(await withdraw(player, fields))).toBe(code);
    expect(await moneyOf(app, player)).toEqual({ cash: 1000, hold: 0 });
  });

  test('rejects a wrong CashAddr checksum, and accepts the correct one', async () => {
    const body = { balances: [{ currencyId: 'BCH', amount: '10' }] };
    const { username } = (await app.call('POST', '/debug/user/create', { body })).body;
    const rich = await app.newPlayer({ username });
    const to = (recipientAddress: string) =>
      withdraw(rich, { currencyId: 'BCH', networkId: 'bitcoincash', amount: '1', recipientAddress });
    for (const wrong of ['qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6b', `q${'Q'.repeat(41)}`, 'bitcoincash:q'])
      expect(codeOf(await to(wrong))).toBe('400 RECIPIENT_ADDRESS_INVALID');
    for (const right of [
      'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
      'bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq',
      '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu',
    ])
      expect((await to(right)).status).toBe(201);
  });

  test('rejects a missing or invalid memo on a network that requires one, and accepts a valid tag', async () => {
    const body = { balances: [{ currencyId: 'XRP', amount: '100' }] };
    const { username } = (await app.call('POST', '/debug/user/create', { body })).body;
    const rich = await app.newPlayer({ username });
    const order = {
      currencyId: 'XRP',
      networkId: 'ripple',
      amount: '50',
      recipientAddress: RECIPIENTS.ripple,
    };
    expect(codeOf(await withdraw(rich, order))).toBe('400 RECIPIENT_MEMO_INVALID');
    for (const recipientMemo of ['4294967296', '1.5', 'seven', '-1'])
      expect(codeOf(await withdraw(rich, { ...order, recipientMemo }))).toBe('400 RECIPIENT_MEMO_INVALID');
    const taken = await withdraw(rich, { ...order, recipientMemo: '4294967295' });
    expect(taken.body).toMatchObject({ recipientMemo: '4294967295', amount: '50', receiveAmount: '49.8' });
  });

  test('rejects requests by a banned player, and all requests while the site, the network or the provider is disabled', async () => {
    const ban = (is_banned: boolean) =>
      app.db.updateTable('players').set({ is_banned }).where('user_id', '=', player.id).execute();
    await ban(true);
    expect(codeOf(await withdraw(player))).toBe('403 USER_BANNED');
    await ban(false);
    await configure({ isEnabled: false });
    expect(codeOf(await withdraw(player))).toBe('409 WITHDRAW_DISABLED');
    await configure({ isEnabled: true });
    const network = (withdraw_enabled: boolean) =>
      app.db
        .updateTable('currency_networks')
        .set({ withdraw_enabled })
        .where('currency_id', '=', 'USDT')
        .where('id', '=', 'tron')
        .execute();
    await network(false);
    await app.services.currencies.refreshRates();
    expect(codeOf(await withdraw(player))).toBe('409 WITHDRAW_DISABLED');
    await network(true);
    await app.services.currencies.refreshRates();
    expect(await moneyOf(app, player)).toEqual({ cash: 1000, hold: 0 });
  });

  test('rejects requests in every currency while deposits must still be wagered, and shows the remaining turnover', async () => {
    const row = { user_id: player.id, required_usd: 700_000_000n, wagered_usd: '0' };
    await app.db.insertInto('rollovers').values(row).execute();
    const answer = await withdraw(player);
    expect([codeOf(answer), answer.body.details]).toEqual(['403 ROLLOVER_OPEN', { wagerRemainingUsd: '7' }]);
    expect((await eligibility(player)).body).toMatchObject({
      canWithdraw: false,
      available: '1000',
      lockedByRollover: '1000',
      wagerRemainingUsd: '7',
      maxAmount: '0',
      reasons: ['ROLLOVER_OPEN'],
    });
    await app.db.deleteFrom('rollovers').where('user_id', '=', player.id).execute();
  });

  test('requires KYC when the amount or the deposits are large, or the amount has no price', async () => {
    const rich = await app.newPlayer({ usdt: 20_000 });
    const needed = { status: 403, body: { code: 'KYC_REQUIRED', details: { tier: 'IDENTITY' } } };
    expect(await withdraw(rich, { amount: '10500' })).toMatchObject(needed);
    const payment = {
      kind: 'DEPOSIT',
      period: 'ALL',
      period_start: '-infinity',
      user_id: rich.id,
      usd_amount: '1000000000000',
      payments: 1n,
      last_at: new Date(),
    };
    await app.db.insertInto('payment_stats').values(payment).execute();
    expect(await withdraw(rich)).toMatchObject(needed);
    expect((await eligibility(rich)).body).toMatchObject({
      kyc: { required: true, tier: 'IDENTITY' },
      reasons: ['KYC_REQUIRED'],
    });
    expect((await rich.call('GET', '/kyc')).body.requiredFor).toEqual(['WITHDRAW']);
    await change(rich, { kyc_level: 2 });
    expect((await withdraw(rich, { amount: '10500' })).status).toBe(201);
    await app.db.deleteFrom('payment_stats').where('user_id', '=', rich.id).execute();
  });

  test('rejects requests by a test account outside development', async () => {
    const production = { ...app.services, config: { ...app.services.config, isDevelopment: false } };
    const by = { user: { id: player.id, sessionId: randomUUID() }, ip: '127.0.0.1' };
    const request = async () => requestWithdrawal.handler(production, { ...by, body: ORDER });
    await expect(request()).rejects.toMatchObject({ code: 'WITHDRAWAL_BLOCKED' });
    const query = { currencyId: 'USDT' };
    expect(await getWithdrawEligibility.handler(production, { ...by, query })).toMatchObject({
      reasons: ['WITHDRAWAL_BLOCKED'],
    });
  });

  test('rejects requests that exceed the limit on open withdrawals or the daily limit, not counting returned withdrawals', async () => {
    const busy = await app.newPlayer({ usdt: 100 });
    await configure({ dailyLimitUsd: '25' });
    const { body } = await withdraw(busy);
    expect((await withdraw(busy)).status).toBe(201);
    const beyond = await withdraw(busy);
    expect([codeOf(beyond), Object.keys(beyond.body.details)]).toEqual([
      '400 AMOUNT_OUT_OF_RANGE',
      ['dailyRemainingUsd'],
    ]);
    expect((await cancel(busy, body.id)).status).toBe(201);
    expect((await withdraw(busy)).status).toBe(201);
    expect((await eligibility(busy)).body.dailyRemainingUsd).toMatch(/^5/);
    await configure({ dailyLimitUsd: null });
    expect((await withdraw(busy)).status).toBe(201);
    expect(codeOf(await withdraw(busy))).toBe('409 TOO_MANY_WITHDRAWALS');
  });
});

test('requires a new second-factor code for every request while 2FA is on', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const factor = await turnOnMfa(app, player);
  expect((await eligibility(player)).body.mfaRequired).toBe(true);
  // The session has just turned on 2FA with a code, but every withdrawal requires a new code.
  expect(codeOf(await withdraw(player))).toBe('403 MFA_REQUIRED');
  expect(codeOf(await withdraw(player, { mfaCode: wrongCode(factor.secret) }))).toBe('400 MFA_INVALID');
  const mfaCode = await factor.code();
  expect((await withdraw(player, { mfaCode })).status).toBe(201);
  expect(codeOf(await withdraw(player, { mfaCode }))).toBe('400 MFA_INVALID');
  await forgetTries(app, player);
});

test('holds a request for a delay after a sign-in with a recovery code, or to a new address', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  await configure({ newAddressDelayHours: 2 });
  const fresh = (await withdraw(player)).body;
  expect([fresh.status, fresh.statusHistory[0].reason]).toEqual(['ON_HOLD', 'NEW_ADDRESS']);
  const { check_at: at } = await app.db
    .selectFrom('withdrawals')
    .select('check_at')
    .where('id', '=', fresh.id)
    .executeTakeFirstOrThrow();
  expect(Number(at) - Date.parse(fresh.createdAt)).toBe(2 * 3_600_000);
  await app.services.withdrawals.sending.watch();
  expect(codeOf(await cancel(player, fresh.id))).toBe('409 WITHDRAWAL_NOT_CANCELLABLE');
  await makeDue(app, [fresh.id]);
  await app.services.withdrawals.sending.watch();
  expect((await player.call('GET', '/payments/withdraw')).body.data[0]).toMatchObject({
    status: 'WAITING_FOR_APPROVAL',
  });
  await configure({ newAddressDelayHours: 0 });
  await app.db
    .insertInto('mfa_secrets')
    .values({ user_id: player.id, reset_at: new Date(Date.now() - 3_600_000) })
    .execute();
  const reset = (await withdraw(player)).body;
  expect([reset.status, reset.statusHistory[0].reason]).toEqual(['ON_HOLD', 'SECOND_FACTOR_RESET']);
});

test('treats an address as new after its only withdrawal was cancelled or rejected', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const first = (await withdraw(player)).body;
  const second = (await withdraw(player)).body;
  expect((await cancel(player, first.id)).status).toBe(201);
  expect((await decide(boss, 'reject', second.id)).status).toBe(201);
  // Makes both requests older than the delay for new addresses.
  await app.db
    .updateTable('withdrawals')
    .set({ created_at: new Date(Date.now() - 86_400_000) })
    .where('user_id', '=', player.id)
    .execute();
  await configure({ newAddressDelayHours: 2 });
  const fresh = (await withdraw(player)).body;
  await configure({ newAddressDelayHours: 0 });
  expect([fresh.status, fresh.statusHistory[0].reason]).toEqual(['ON_HOLD', 'NEW_ADDRESS']);
  const staff = await app.as({ permissions: ['withdraw.read'] });
  const { body } = await staff.call('GET', `/admin/payments/withdraw/${fresh.id}`);
  expect(body).toMatchObject({ holdReason: 'NEW_ADDRESS', needsTwoPeople: false });
  const heldHours = (Date.parse(body.holdUntil) - Date.parse(body.createdAt)) / 3_600_000;
  expect(heldHours).toBeCloseTo(2, 1);
});

test("hides other players' withdrawals and returns sorted pages", async () => {
  const { player, id } = await waiting(app);
  const second = (await withdraw(player, { amount: '5' })).body;
  const other = await app.newPlayer();
  expect(codeOf(await cancel(other, id))).toBe('404 WITHDRAWAL_NOT_FOUND');
  expect(codeOf(await cancel(other, 'no-id'))).toBe('404 WITHDRAWAL_NOT_FOUND');
  expect((await other.call('GET', '/payments/withdraw')).body).toMatchObject({ total: 0, data: [] });
  const ids = async (query: string) =>
    (await player.call('GET', `/payments/withdraw?${query}`)).body.data.map((row: any) => row.id);
  expect(await ids('')).toEqual([second.id, id]);
  expect(await ids('sortBy=usdAmount')).toEqual([id, second.id]);
  expect(await ids('sortOrder=asc&take=1&page=2')).toEqual([second.id]);
  expect(await ids('page=3')).toEqual([]);
  expect(await ids('status=PROCESSING')).toEqual([]);
});

test('pays a player who is excluded from play', async () => {
  const player = await app.newPlayer({ usdt: 20 });
  await app.db
    .insertInto('restrictions')
    .values({ user_id: player.id, excluded_until: new Date(Date.now() + 86_400_000) })
    .execute();
  await app.db.updateTable('players').set({ is_restricted: true }).where('user_id', '=', player.id).execute();
  expect((await withdraw(player)).status).toBe(201);
});
