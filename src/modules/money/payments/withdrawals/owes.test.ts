import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import type { Player } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  cancel,
  decide,
  moneyOf,
  rowOf,
  startPayer,
  withdraw,
} from '../../../../../test/kit/money/withdrawals.ts';

let app: typeof payer.app;
let boss: typeof payer.boss;
const payer = fixture(startPayer);
beforeAll(async () => {
  ({ app, boss } = payer);
});

/** Creates a player with a deposit of 100 USDT that can be reversed. */
async function depositor() {
  const player = await app.newPlayer();
  const txHash = randomBytes(32).toString('hex');
  const say = async (status: string) => {
    const body = {
      externalId: txHash,
      status,
      payAddress: 'T',
      currencyId: 'USDT',
      networkId: 'tron',
      amount: '100',
      txHash,
      confirmations: 20,
      occurredAt: new Date().toISOString(),
    };
    const answer = await app.call('POST', `/debug/deposit/${player.id}`, { body });
    expect([answer.status, answer.body.status]).toEqual([201, status]);
  };
  await say('COMPLETED');
  const done = { userId: player.id, action: 'COMPLETE_WAGERING' };
  expect((await app.call('POST', '/debug/user/action', { body: done })).status).toBe(201);
  return { player, takeBack: () => say('REVERSED') };
}

test('stops pending withdrawals after a deposit is reversed, and uses the released money to pay the claim first', async () => {
  const { player, takeBack } = await depositor();
  const asked = await withdraw(player, { amount: '60' });
  expect(asked.body.status).toBe('WAITING_FOR_APPROVAL');
  await takeBack();
  expect(await moneyOf(app, player)).toEqual({ cash: 0, hold: 60 });
  const refused = await decide(boss, 'approve', asked.body.id);
  expect([codeOf(refused), refused.body.details]).toEqual([
    '409 CLAIMS_OPEN',
    { owed: [{ currencyId: 'USDT', amount: '60' }] },
  ]);
  expect((await cancel(player, asked.body.id)).body.status).toBe('CANCELLED');
  expect(await moneyOf(app, player)).toEqual({ cash: 0, hold: 0 });
  // The player no longer owes money.
  await player.call('GET', '/debug/me/give-money?amount=20');
  const again = await withdraw(player, { amount: '20' });
  expect((await decide(boss, 'approve', again.body.id)).body.status).toBe('APPROVED');
});

test('rejects withdrawals and tips while a player owes money, and lists the debt as an eligibility reason', async () => {
  const { player, takeBack } = await depositor();
  const friend = await app.newPlayer();
  for (const userId of [player.id, friend.id]) {
    const verified = { userId, action: 'VERIFY_EMAIL' };
    expect((await app.call('POST', '/debug/user/action', { body: verified })).status).toBe(201);
  }
  const body = { currencyId: 'USDT', balance: '30' };
  expect((await boss.call('PUT', `/admin/user/${player.id}/balance`, { body })).status).toBe(200);
  await takeBack();
  await player.call('GET', '/debug/me/give-money?amount=50');
  const owed = [{ currencyId: 'USDT', amount: '70' }];
  const eligibility = async () =>
    (await player.call('GET', '/payments/withdraw/eligibility?currencyId=USDT')).body;
  const limits = async () => (await player.call('GET', '/user-tips/limits')).body;
  const tip = { recipientUsername: friend.username, currencyId: 'USDT', amount: '5' };
  const vault = { currencyId: 'USDT', amount: '5' };
  for (const refused of [
    await withdraw(player, { amount: '10' }),
    await player.call('POST', '/user-tips', { body: tip }),
    await player.call('POST', '/accounting/to-vault', { body: vault }),
  ])
    expect([codeOf(refused), refused.body.details]).toEqual(['409 CLAIMS_OPEN', { owed }]);
  expect(await eligibility()).toMatchObject({
    canWithdraw: false,
    maxAmount: '0',
    reasons: ['CLAIMS_OPEN'],
  });
  expect((await limits()).blockers).toEqual(['CLAIMS_OPEN']);
  expect(await moneyOf(app, player)).toEqual({ cash: 50, hold: 0 });
  // A friend's tip pays the debt. Received tips must be wagered, so the turnover check fails next.
  await friend.call('GET', '/debug/me/give-money?amount=80');
  const gift = { recipientUsername: player.username, currencyId: 'USDT', amount: '70' };
  expect((await friend.call('POST', '/user-tips', { body: gift })).status).toBe(201);
  expect(await moneyOf(app, player)).toEqual({ cash: 50, hold: 0 });
  expect((await eligibility()).reasons).toEqual(['ROLLOVER_OPEN']);
  expect((await limits()).blockers).toEqual(['ROLLOVER_OPEN']);
});

test('marks a lost withdrawal as failed when it is retried after a deposit reversal, and pays the claim', async () => {
  const { sandbox } = payer;
  await sandbox.behave({ autoSettle: false, payouts: 'error-before' });
  const { player, takeBack } = await depositor();
  const { id } = (await withdraw(player, { amount: '60' })).body;
  expect((await decide(boss, 'approve', id)).body.status).toBe('APPROVED');
  await app.services.withdrawals.sending.send(id);
  await sandbox.behave({ autoSettle: false });
  await takeBack();
  expect(await rowOf(app, id)).toMatchObject({ status: 'UNKNOWN_OUTCOME' });
  expect(await moneyOf(app, player)).toEqual({ cash: 0, hold: 60 });
  // The first request to the provider may still be in transit.
  expect(codeOf(await decide(boss, 'retry', id))).toBe('409 WITHDRAWAL_NOT_RETRYABLE');
  const asked_at = new Date(Date.now() - 601_000);
  await app.db.updateTable('withdrawals').set({ asked_at }).where('id', '=', id).execute();
  expect((await decide(boss, 'retry', id)).body.status).toBe('FAILED');
  expect(await moneyOf(app, player)).toEqual({ cash: 0, hold: 0 });
  expect(await payer.booked(id)).toEqual([]);
  // The player no longer owes money.
  await player.call('GET', '/debug/me/give-money?amount=20');
  const again = await withdraw(player, { amount: '20' });
  expect((await decide(boss, 'approve', again.body.id)).body.status).toBe('APPROVED');
});

describe('puts an approved withdrawal on hold if a new reason for review arises before it is sent', () => {
  test.each<[string, (player: Player, takeBack: () => Promise<void>) => Promise<unknown>]>([
    ['the deposit is reversed', (_, takeBack) => takeBack()],
    ['the player is banned', ({ id }) => boss.call('PATCH', `/admin/user/${id}/ban`, { body: {} })],
    [
      'withdrawals are blocked',
      ({ id }) => boss.call('POST', `/admin/withdrawals-block/${id}`, { body: {} }),
    ],
  ])('%s', async (_, happens) => {
    const { player, takeBack } = await depositor();
    const { body: asked } = await withdraw(player, { amount: '60' });
    expect((await decide(boss, 'approve', asked.id)).body.status).toBe('APPROVED');
    await happens(player, takeBack);
    await app.services.withdrawals.sending.send(asked.id);
    expect(await rowOf(app, asked.id)).toMatchObject({
      status: 'ON_HOLD',
      hold_reason: 'RISK',
      reference: null,
    });
    expect((await moneyOf(app, player)).hold).toBe(60);
    expect((await decide(boss, 'reject', asked.id)).body.status).toBe('REJECTED');
  });
});

test('pays a self-excluded player with open turnover after a review, but pays no one during a time-out', async () => {
  const open = async (durationDays: number) => {
    const player = await app.newPlayer();
    expect((await app.call('POST', `/debug/deposit/emulate-success/${player.id}`)).status).toBe(201);
    expect(codeOf(await withdraw(player))).toBe('403 ROLLOVER_OPEN');
    const body = { durationDays };
    expect((await player.call('POST', '/user-limits/self-exclusion', { body })).status).toBe(201);
    return withdraw(player);
  };
  expect(codeOf(await open(7))).toBe('403 ROLLOVER_OPEN');
  const { body } = await open(180);
  expect(body.status).toBe('WAITING_FOR_APPROVAL');
  expect((await rowOf(app, body.id)).risk_reasons).toContain('TURNOVER_WAIVED');
});

test('waives the turnover of deposits but not that of tips from staff when a player self-excludes', async () => {
  const player = await app.newPlayer();
  expect((await app.call('POST', `/debug/deposit/emulate-success/${player.id}`)).status).toBe(201);
  const { body: before } = await player.call('GET', '/payments/withdraw/eligibility?currencyId=USDT');
  const given = await (await app.as('superadmin')).call('POST', '/admin/admin-tips', {
    body: { recipientUserId: player.id, amount: '20', currencyId: 'USDT', notes: 'a gift' },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  expect(given.status, given.text).toBe(200);
  expect(
    (await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 180 } })).status,
  ).toBe(201);
  const refused = await withdraw(player);
  expect([codeOf(refused), refused.body.details]).toEqual(['403 ROLLOVER_OPEN', { wagerRemainingUsd: '20' }]);
  const { body: after } = await player.call('GET', '/payments/withdraw/eligibility?currencyId=USDT');
  expect(Number(after.wagerRemainingUsd) - Number(before.wagerRemainingUsd)).toBe(20);
  expect(after.reasons).toContain('ROLLOVER_OPEN');
});
