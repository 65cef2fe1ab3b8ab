import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts.ts';
import type { Player } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { cancel, decide, moneyOf, rowOf, startPayer, withdraw } from '../../../../../test/kit/withdrawals.ts';

let app: typeof payer.app;
let boss: typeof payer.boss;
const payer = fixture(startPayer);
beforeAll(async () => {
  ({ app, boss } = payer);
});

/** A deposit of 100 USDT that can be taken back. */
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

test('a deposit that is taken back stops what was asked for on its strength; what is released pays the claim first', async () => {
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
  // Nothing is owed any more.
  await player.call('GET', '/debug/me/give-money?amount=20');
  const again = await withdraw(player, { amount: '20' });
  expect((await decide(boss, 'approve', again.body.id)).body.status).toBe('APPROVED');
});

test('who owes is looked at, whatever the amount', async () => {
  const { player, takeBack } = await depositor();
  const body = { currencyId: 'USDT', balance: '30' };
  expect((await boss.call('PUT', `/admin/user/${player.id}/balance`, { body })).status).toBe(200);
  await takeBack();
  await player.call('GET', '/debug/me/give-money?amount=50');
  const { body: asked } = await withdraw(player, { amount: '10' });
  expect(asked.status).toBe('ON_HOLD');
  expect((await rowOf(app, asked.id)).risk_reasons).toContain('OPEN_CLAIM');
  expect(codeOf(await decide(boss, 'approve', asked.id))).toBe('409 CLAIMS_OPEN');
  expect((await decide(boss, 'reject', asked.id)).body.status).toBe('REJECTED');
  expect(await moneyOf(app, player)).toEqual({ cash: 40, hold: 0 });
});

test('of unknown outcome, and the deposit is taken back: once the provider certainly has none, a retry fails it, and the money pays the claim', async () => {
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
  // The request may still be on its way.
  expect(codeOf(await decide(boss, 'retry', id))).toBe('409 WITHDRAWAL_NOT_RETRYABLE');
  const asked_at = new Date(Date.now() - 601_000);
  await app.db.updateTable('withdrawals').set({ asked_at }).where('id', '=', id).execute();
  expect((await decide(boss, 'retry', id)).body.status).toBe('FAILED');
  expect(await moneyOf(app, player)).toEqual({ cash: 0, hold: 0 });
  expect(await payer.booked(id)).toEqual([]);
  // Nothing is owed any more.
  await player.call('GET', '/debug/me/give-money?amount=20');
  const again = await withdraw(player, { amount: '20' });
  expect((await decide(boss, 'approve', again.body.id)).body.status).toBe('APPROVED');
});

describe('what comes up between the approval and the sending stops it: staff looks once more', () => {
  test.each<[string, (player: Player, takeBack: () => Promise<void>) => Promise<unknown>]>([
    ['the deposit is taken back', (_, takeBack) => takeBack()],
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

test('turnover that nobody can wager any more: a self-excluded player is paid once staff has looked, a time-out is waited for', async () => {
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
