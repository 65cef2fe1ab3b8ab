import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { cancel, moneyOf, RECIPIENTS, withdraw } from '../../../../../test/kit/money/withdrawals.ts';

const app = fixture(startApp);

const estimate = (player: Player, fields: object = {}) =>
  player.call('POST', '/payments/withdraw/estimate', {
    body: { currencyId: 'USDT', networkId: 'tron', amount: '10', ...fields },
  });
const eligibility = (player: Player, currencyId = 'USDT') =>
  player.call('GET', `/payments/withdraw/eligibility?currencyId=${currencyId}`);
const change = (player: Player, values: object) =>
  app.db.updateTable('users').set(values).where('id', '=', player.id).execute();
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('holds a withdrawal that has no price for staff review if the player is verified, and otherwise requires KYC', async () => {
  const body = { balances: [{ currencyId: 'BTC', amount: '1' }] };
  const { username } = (await app.call('POST', '/debug/user/create', { body })).body;
  const player = await app.newPlayer({ username });
  const order = {
    currencyId: 'BTC',
    networkId: 'bitcoin',
    amount: '0.01',
    recipientAddress: RECIPIENTS.bitcoin,
  };
  const { currencies } = app.services;
  const known = currencies.rateOf;
  currencies.rateOf = (id) => ({ ...known(id), stale: true });
  try {
    expect(codeOf(await withdraw(player, order))).toBe('403 KYC_REQUIRED');
    await change(player, { kyc_level: 2 });
    const taken = await withdraw(player, order);
    expect(taken.body).toMatchObject({ status: 'ON_HOLD', statusHistory: [{ reason: null }] });
  } finally {
    currencies.rateOf = known;
  }
});

test('holds the estimated fee for a minute, for one amount, currency and player', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const { status, body } = await estimate(player);
  expect(status).toBe(201);
  expect(body).toMatchObject({ amount: '10', fee: '1', receiveAmount: '9', expiresAt: isoTime });
  expect(Date.parse(body.expiresAt) - Date.now()).toBeGreaterThan(55_000);
  const fee = async (withdraw_fee: bigint) => {
    await app.db
      .updateTable('currency_networks')
      .set({ withdraw_fee })
      .where('currency_id', '=', 'USDT')
      .where('id', '=', 'tron')
      .execute();
    await app.services.currencies.refreshRates();
  };
  await fee(200_000_000n);
  expect((await estimate(player)).body.fee).toBe('2');
  const { quoteId } = body;
  expect((await withdraw(player, { quoteId })).body).toMatchObject({ fee: '1', receiveAmount: '9' });
  expect(codeOf(await withdraw(player, { quoteId, amount: '11' }))).toBe('409 QUOTE_EXPIRED');
  expect(codeOf(await withdraw(await app.newPlayer({ usdt: 20 }), { quoteId }))).toBe('409 QUOTE_EXPIRED');
  await fee(100_000_000n);
  expect(codeOf(await estimate(player, { amount: '1' }))).toBe('400 AMOUNT_BELOW_FEE');
  expect(codeOf(await estimate(player, { networkId: 'moon' }))).toBe('404 PAYMENT_METHOD_NOT_FOUND');
  expect(codeOf(await estimate(player, { amount: '1.0000001' }))).toBe('400 AMOUNT_OUT_OF_RANGE');
});

test('accepts one of five concurrent withdrawals with a quote, and rejects the quote after a cancellation too', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const { quoteId } = (await estimate(player)).body;
  const keys = [randomUUID(), randomUUID(), randomUUID(), undefined, undefined];
  const answers = await Promise.all(
    keys.map((key) => withdraw(player, { quoteId }, key === undefined ? {} : { 'idempotency-key': key })),
  );
  expect(answers.map(codeOf).sort()).toEqual(['201', ...Array(4).fill('409 QUOTE_EXPIRED')]);
  expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 10 });
  const { id } = answers.find(({ status }) => status === 201)!.body;
  expect((await cancel(player, id)).status).toBe(201);
  expect(codeOf(await withdraw(player, { quoteId }))).toBe('409 QUOTE_EXPIRED');
});

test('accepts a quote again after the request was rejected for another reason', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const { quoteId } = (await estimate(player)).body;
  const wrong = await withdraw(player, { quoteId, recipientAddress: RECIPIENTS.bitcoin });
  expect(codeOf(wrong)).toBe('400 RECIPIENT_ADDRESS_INVALID');
  const headers = { 'idempotency-key': randomUUID() };
  const accepted = await withdraw(player, { quoteId }, headers);
  expect(accepted.status).toBe(201);
  expect((await withdraw(player, { quoteId }, headers)).text).toBe(accepted.text);
});

test('returns the errors of a withdrawal request as eligibility reasons', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  expect((await eligibility(player)).body).toEqual({
    canWithdraw: true,
    available: '100',
    lockedByRollover: '0',
    wagerRemainingUsd: '0',
    kyc: { required: false, tier: null },
    block: null,
    mfaRequired: false,
    minAmount: '3',
    maxAmount: '100',
    dailyRemainingUsd: null,
    reasons: [],
  });
  expect((await eligibility(await app.newPlayer())).body.reasons).toEqual(['INSUFFICIENT_BALANCE']);
  expect(codeOf(await eligibility(player, 'XYZ'))).toBe('404 CURRENCY_NOT_FOUND');
});

test('checks the recipient of an estimate as the withdrawal does, and needs none', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const good = RECIPIENTS.tron;
  expect((await estimate(player)).status).toBe(201);
  expect((await estimate(player, { recipientAddress: good })).status).toBe(201);
  const last = good.at(-1) === 'a' ? 'b' : 'a';
  for (const recipientAddress of ['notanaddress', good.slice(0, -1) + last, RECIPIENTS.bitcoin]) {
    const answer = await estimate(player, { recipientAddress });
    expect(codeOf(answer), recipientAddress).toBe('400 RECIPIENT_ADDRESS_INVALID');
    expect(answer.body.details).toMatchObject({ networkId: 'tron', reason: 'NOT_AN_ADDRESS' });
  }
  const withMemo = await estimate(player, { recipientAddress: good, recipientMemo: '1' });
  expect(codeOf(withMemo)).toBe('400 RECIPIENT_MEMO_INVALID');
});
