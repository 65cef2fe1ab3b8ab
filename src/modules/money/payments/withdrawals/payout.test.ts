import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  decide,
  legsOf,
  makeDue,
  moneyOf,
  RECIPIENTS,
  rowOf,
  said,
  startPayer,
  statusOf,
  waiting,
  withdraw,
} from '../../../../../test/kit/money/withdrawals.ts';
import { freePorts } from '../../../../../test/kit/processes/ports.ts';
import { startQueue } from '../../../../platform/queue/queue.ts';
import { SEND } from './send.ts';

let app: typeof payer.app;
let sandbox: typeof payer.sandbox;
let boss: typeof payer.boss;
let outside: typeof payer.outside;
const payer = fixture(startPayer);
beforeAll(async () => {
  ({ app, sandbox, boss, outside } = payer);
});
beforeEach(() => payer.sandbox.behave({ autoSettle: false }));

test('sends an approved withdrawal, completes it through webhooks, and shows the player each status', async () => {
  await sandbox.behave({ autoSettle: true });
  const { player, id } = await waiting(app);
  const queue = startQueue({
    connectionString: app.database.url,
    tasks: { [SEND]: app.services.withdrawals.sending.run },
    concurrency: 2,
    log: app.services.log,
  });
  expect((await decide(boss, 'approve', id)).body).toMatchObject({
    status: 'APPROVED',
    confirmedByUserId: boss.id,
  });
  await expect.poll(() => statusOf(app, id), { timeout: 8000 }).toBe('COMPLETED');
  await queue.close();
  expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 0 });
  expect(await legsOf(app, id)).toEqual(['hold:1', 'sent:1']);
  const [payout] = await payer.booked(id);
  expect(payout).toMatchObject({ amount: '9', address: RECIPIENTS.tron, status: 'COMPLETED' });
  const { data } = (await player.call('GET', '/payments/withdraw')).body;
  expect(data[0]).toMatchObject({
    status: 'COMPLETED',
    txHash: payout!.txHash,
    confirmations: 30,
    etaMinutes: null,
  });
  const steps = data[0].statusHistory.map(({ status }: { status: string }) => status);
  expect(steps.slice(0, 3)).toEqual(['WAITING_FOR_APPROVAL', 'APPROVED', 'PROCESSING']);
  expect(steps.at(-1)).toBe('COMPLETED');
  const paid = await app.db
    .selectFrom('payment_stats')
    .select('payments')
    .where('user_id', '=', player.id)
    .where('kind', '=', 'WITHDRAW')
    .where('period', '=', 'ALL')
    .executeTakeFirstOrThrow();
  expect(paid.payments).toBe(1n);
});

test('approves small amounts of low-risk players automatically and sends them', async () => {
  const set = (body: object) => boss.call('PATCH', '/admin/config/WITHDRAWALS', { body });
  expect(
    (await set({ autoApproveLimitUsd: '20', autoApproveMaxRisk: 60, autoApproveMinAccountDays: 0 })).status,
  ).toBe(200);
  const player = await app.newPlayer({ usdt: 100 });
  const small = (await withdraw(player)).body;
  const large = (await withdraw(player, { amount: '21' })).body;
  await set({ autoApproveMaxRisk: 10 });
  const risky = (await withdraw(player)).body;
  await set({ autoApproveLimitUsd: '0' });
  expect([small, large, risky].map(({ status }) => status)).toEqual([
    'APPROVED',
    'WAITING_FOR_APPROVAL',
    'WAITING_FOR_APPROVAL',
  ]);
  expect(small.statusHistory).toHaveLength(2);
  await makeDue(app, [small.id]);
  await app.services.withdrawals.sending.watch();
  expect(await statusOf(app, small.id)).toBe('PROCESSING');
  expect(await payer.booked(small.id)).toHaveLength(1);
});

describe('provider responses', () => {
  test('returns the money only once after a rejection, and retries with a new reference', async () => {
    await sandbox.behave({ autoSettle: false, payouts: 'refuse' });
    const { player, id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    expect(await rowOf(app, id)).toMatchObject({
      status: 'FAILED',
      failed_reason: expect.stringContaining('rejected by the sandbox'),
    });
    expect(await moneyOf(app, player)).toEqual({ cash: 100, hold: 0 });
    await payer.tell(said(id, 'FAILED'));
    await sandbox.behave({ autoSettle: false });
    expect((await decide(boss, 'retry', id)).body).toMatchObject({ status: 'APPROVED', failedReason: null });
    expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 10 });
    // The first attempt is reported as paid before the second one is sent, so staff must investigate.
    await payer.tell(said(id, 'SENT', { confirmations: 1 }));
    const aside = app.lines.filter(
      (line) => line.includes(id) && line.includes('another withdrawal attempt'),
    );
    expect(aside.map((line) => JSON.parse(line).level)).toEqual(['error']);
    await app.services.withdrawals.sending.send(id);
    expect(await rowOf(app, id)).toMatchObject({ status: 'PROCESSING', reference: `${id}.2`, attempt: 2 });
    // Reports about the first attempt change nothing.
    for (const status of ['SENT', 'COMPLETED', 'FAILED'])
      expect((await payer.tell(said(id, status))).status).toBe(200);
    expect(await statusOf(app, id)).toBe('PROCESSING');
    await payer.tell(said(`${id}.2`, 'COMPLETED', { txHash: 'abc', confirmations: 20 }));
    expect(await rowOf(app, id)).toMatchObject({ status: 'COMPLETED', tx_hash: 'abc', confirmations: 20 });
    expect(await legsOf(app, id)).toEqual(['hold:1', 'release:1', 'hold:2', 'sent:2']);
    expect(await payer.booked(id)).toHaveLength(0);
    expect(await payer.booked(`${id}.2`)).toHaveLength(1);
  });

  test('does not pay a failed withdrawal again if the provider reports it as paid', async () => {
    const { player, id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    await payer.tell(said(id, 'FAILED'));
    expect(await moneyOf(app, player)).toEqual({ cash: 100, hold: 0 });
    await sandbox.behave({ autoSettle: false, lookups: 'garbage' });
    expect(codeOf(await decide(boss, 'retry', id))).toBe('503 PROVIDER_SILENT');
    await sandbox.behave({ autoSettle: false });
    const refused = await decide(boss, 'retry', id);
    expect([codeOf(refused), refused.body.details]).toEqual([
      '409 WITHDRAWAL_NOT_RETRYABLE',
      { status: 'FAILED', provider: 'PROCESSING' },
    ]);
    expect(await moneyOf(app, player)).toEqual({ cash: 100, hold: 0 });
    expect(await legsOf(app, id)).toEqual(['hold:1', 'release:1']);
    await app.services.withdrawals.sending.send(id);
    expect(await payer.booked(`${id}.2`)).toHaveLength(0);
  });

  test('rejects the retry of a failed withdrawal if the balance is insufficient', async () => {
    await sandbox.behave({ payouts: 'refuse' });
    const { player, id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    expect(
      (await player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '95' } }))
        .status,
    ).toBe(201);
    expect(codeOf(await decide(boss, 'retry', id))).toBe('400 INSUFFICIENT_BALANCE');
    expect(await statusOf(app, id)).toBe('FAILED');
  });

  test('keeps a withdrawal approved while the provider is unreachable, and retries with growing delays', async () => {
    const [closed] = await freePorts(1);
    const nowhere = await startApp({
      env: { ...outside.env, PAYMENT_API_URL: `http://127.0.0.1:${closed}` },
      database: app.database,
    });
    const { player, id } = await payer.approved();
    const waits: number[] = [];
    for (let round = 0; round < 3; round++) {
      await makeDue(app, [id]);
      await nowhere.services.withdrawals.sending.watch();
      const { status, check_at, updated_at } = await rowOf(app, id);
      expect(status).toBe('APPROVED');
      waits.push(Number(check_at) - Number(updated_at));
    }
    await nowhere.stop();
    expect(waits).toEqual([10_000, 20_000, 40_000]);
    expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 10 });
    await app.services.withdrawals.sending.send(id);
    expect([await statusOf(app, id), (await payer.booked(id)).length]).toEqual(['PROCESSING', 1]);
  });

  test('returns the money of a failed payout only once, and ignores a failure after completion', async () => {
    const { player, id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    const sentAt = new Date();
    await payer.tell(said(id, 'SENT', { txHash: 'abc', confirmations: 1 }));
    expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 0 });
    // This report arrives after the report about SENT, but its timestamp is earlier.
    await payer.tell(said(id, 'FAILED', { occurredAt: new Date(Number(sentAt) - 5000).toISOString() }));
    expect(await statusOf(app, id)).toBe('SENT');
    const later = new Date(Date.now() + 1000).toISOString();
    for (let i = 0; i < 2; i++)
      await payer.tell(said(id, 'FAILED', { occurredAt: later, failedReason: `dropped ${i}` }));
    expect(await rowOf(app, id)).toMatchObject({ status: 'FAILED', failed_reason: 'dropped 0' });
    expect(await legsOf(app, id)).toEqual(['hold:1', 'sent:1', 'return:1', 'release:1']);
    expect(await moneyOf(app, player)).toEqual({ cash: 100, hold: 0 });

    const done = await payer.approved();
    await app.services.withdrawals.sending.send(done.id);
    for (const status of ['COMPLETED', 'PROCESSING', 'SENT', 'FAILED'])
      await payer.tell(said(done.id, status));
    expect(await statusOf(app, done.id)).toBe('COMPLETED');
    expect(await moneyOf(app, done.player)).toEqual({ cash: 90, hold: 0 });
  });

  test('completes a sent withdrawal once it has the required number of confirmations', async () => {
    const { id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    for (const [confirmations, status] of [
      [3, 'SENT'],
      [19, 'SENT'],
      [7, 'SENT'],
      [20, 'COMPLETED'],
    ] as const) {
      await payer.tell(said(id, 'SENT', { txHash: 'abc', confirmations }));
      expect(await statusOf(app, id)).toBe(status);
    }
  });
});

// Must run last, because a lowered threshold applies for a day.
test('requires a second person for a retry if the threshold was lower in the last 24 hours', async () => {
  await sandbox.behave({ payouts: 'refuse' });
  const { id } = await payer.approved();
  await app.services.withdrawals.sending.send(id);
  const threshold = (fourEyesThresholdUsd: string) =>
    boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: { fourEyesThresholdUsd } });
  const before = (await boss.call('GET', '/admin/config/WITHDRAWALS')).body.fourEyesThresholdUsd;
  expect((await threshold('5')).status).toBe(200);
  // Raising the threshold has no effect for a day.
  expect((await threshold(before)).status).toBe(200);
  expect(codeOf(await decide(boss, 'retry', id))).toBe('409 SECOND_PERSON_NEEDED');
  expect(await statusOf(app, id)).toBe('FAILED');
  const other = await app.as({ permissions: ['withdraw.read', 'withdraw.approve'] });
  expect((await decide(other, 'retry', id)).body.status).toBe('APPROVED');
});
