import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { inParallel } from '../../../../../test/kit/http/requests.ts';
import {
  anotherSender,
  decide,
  legsOf,
  makeDue,
  moneyOf,
  rowOf,
  startPayer,
  statusOf,
} from '../../../../../test/kit/money/withdrawals.ts';

let app: typeof payer.app;
let sandbox: typeof payer.sandbox;
let boss: typeof payer.boss;
const payer = fixture(startPayer);
beforeAll(async () => {
  ({ app, sandbox, boss } = payer);
});
beforeEach(() => payer.sandbox.behave({ autoSettle: false }));

const fetchOne = (id: string) => boss.call('GET', `/admin/payments/withdraw/fetch/${id}`);

describe('unknown outcome', () => {
  test('holds the amount and shows PROCESSING until a query to the provider finds the payout', async () => {
    await sandbox.behave({ autoSettle: false, payouts: 'error-after' });
    const { player, id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    expect(await statusOf(app, id)).toBe('UNKNOWN_OUTCOME');
    expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 10 });
    const list = (await player.call('GET', '/payments/withdraw?status=PROCESSING')).body;
    expect(list).toMatchObject({ total: 1, data: [{ status: 'PROCESSING' }] });
    expect(list.data[0].statusHistory.map(({ status }: any) => status)).not.toContain('UNKNOWN_OUTCOME');
    for (const decision of ['approve', 'reject'] as const)
      expect((await decide(boss, decision, id)).status).toBe(409);
    await sandbox.settle(id, 'SENT');
    await makeDue(app, [id]);
    await app.services.withdrawals.sending.watch();
    expect(['SENT', 'COMPLETED']).toContain(await statusOf(app, id));
    expect(await payer.booked(id)).toHaveLength(1);
  });

  test('queries the provider again on every refresh, and returns 503 without changes when the provider does not respond', async () => {
    await sandbox.behave({ autoSettle: false, payouts: 'reset', lookups: 'garbage' });
    const { id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    expect(codeOf(await fetchOne(id))).toBe('503 PROVIDER_SILENT');
    expect(codeOf(await decide(boss, 'retry', id))).toBe('503 PROVIDER_SILENT');
    expect(await statusOf(app, id)).toBe('UNKNOWN_OUTCOME');
    await sandbox.behave({ autoSettle: false });
    for (let i = 0; i < 3; i++)
      expect((await fetchOne(id)).body).toMatchObject({
        status: 'PROCESSING',
        transactionId: expect.any(String),
      });
    const foreign = await boss.call('GET', `/admin/payments/withdraw/fetch/${id}`, {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect(foreign.status).toBe(403);
    expect(codeOf(await fetchOne('no-id'))).toBe('404 WITHDRAWAL_NOT_FOUND');
    expect(await payer.booked(id)).toHaveLength(1);
  });

  test('retries with the same reference once the provider definitely has no payout', async () => {
    await sandbox.behave({ autoSettle: false, payouts: 'error-before' });
    const { player, id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    await sandbox.behave({ autoSettle: false });
    await makeDue(app, [id]);
    await app.services.withdrawals.sending.watch();
    expect((await fetchOne(id)).body.status).toBe('UNKNOWN_OUTCOME');
    expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 10 });
    expect((await decide(boss, 'retry', id)).body.status).toBe('APPROVED');
    await app.services.withdrawals.sending.send(id);
    expect(await rowOf(app, id)).toMatchObject({ status: 'PROCESSING', reference: id });
    expect(await legsOf(app, id)).toEqual(['hold:1']);
    expect(await payer.booked(id)).toHaveLength(1);
  });

  test('retries with a new reference, only by staff and after a delay, when the provider might pay twice', async () => {
    const provider = app.services.providers.get('sandbox');
    provider.repeatsSafely = false;
    try {
      await sandbox.behave({ autoSettle: false, payouts: 'error-before' });
      const { player, id } = await payer.approved();
      await app.services.withdrawals.sending.send(id);
      await sandbox.behave({ autoSettle: false });
      const early = await decide(boss, 'retry', id);
      expect([codeOf(early), Object.keys(early.body.details)]).toEqual([
        '409 WITHDRAWAL_NOT_RETRYABLE',
        ['status', 'retryAt'],
      ]);
      // Simulates the state after a process has died.
      await app.db.updateTable('withdrawals').set({ status: 'PROCESSING' }).where('id', '=', id).execute();
      await app.services.withdrawals.sending.check(id);
      expect([await statusOf(app, id), await payer.booked(id)]).toEqual(['UNKNOWN_OUTCOME', []]);
      const asked_at = new Date(Date.now() - 601_000);
      await app.db.updateTable('withdrawals').set({ asked_at }).where('id', '=', id).execute();
      expect((await decide(boss, 'retry', id)).body.status).toBe('APPROVED');
      await app.services.withdrawals.sending.send(id);
      await sandbox.settle(`${id}.2`, 'COMPLETED');
      await expect.poll(() => statusOf(app, id)).toBe('COMPLETED');
      expect(await legsOf(app, id)).toEqual(['hold:1', 'sent:2']);
      expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 0 });
    } finally {
      provider.repeatsSafely = true;
    }
  });

  test('lets staff retry a payout that the provider once reported but no longer has', async () => {
    const { player, id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    expect(await rowOf(app, id)).toMatchObject({ status: 'PROCESSING', told_at: expect.any(Date) });
    const provider = app.services.providers.get('sandbox');
    const { lookUp } = provider;
    provider.lookUp = async () => undefined;
    try {
      await app.services.withdrawals.sending.check(id);
      expect(await statusOf(app, id)).toBe('UNKNOWN_OUTCOME');
      expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 10 });
      expect((await decide(boss, 'retry', id)).body.status).toBe('APPROVED');
    } finally {
      provider.lookUp = lookUp;
    }
    await app.services.withdrawals.sending.send(id);
    expect(await rowOf(app, id)).toMatchObject({ status: 'PROCESSING', reference: id });
    expect(await payer.booked(id)).toHaveLength(1);
  });

  test('applies the reported state and sends nothing when a retry finds the payout', async () => {
    await sandbox.behave({ autoSettle: false, payouts: 'error-after' });
    const { id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    await sandbox.behave({ autoSettle: false });
    expect((await decide(boss, 'retry', id)).body.status).toBe('PROCESSING');
    await app.services.withdrawals.sending.send(id);
    expect(await payer.booked(id)).toHaveLength(1);
  });

  test("pays each of 60 payouts at most once despite timeouts, errors, resets and garbage, and matches the sandbox's books", async () => {
    const before = Number((await sandbox.books()).totals.USDT?.out ?? 0);
    const modes = ['timeout-before', 'timeout-after', 'error-after', 'reset', 'garbage', 'error-before'];
    const ids: string[] = [];
    for (const payouts of modes) {
      const batch = await inParallel(Array.from({ length: 10 }), async () => (await payer.approved()).id);
      ids.push(...batch);
      await sandbox.behave({ autoSettle: false, payouts });
      // After five failures in a row, a process stops sending requests for a while. Each of these withdrawals is therefore sent by a
      // different process.
      await inParallel(batch, (id) => anotherSender(app).sending.send(id), 10);
    }
    const rows = () => app.db.selectFrom('withdrawals').selectAll().where('id', 'in', ids).execute();
    expect(new Set((await rows()).map(({ status }) => status))).toEqual(new Set(['UNKNOWN_OUTCOME']));
    const cash = await app.db
      .selectFrom('wallets')
      .select('hold')
      .where(
        'user_id',
        'in',
        (await rows()).map((r) => r.user_id),
      )
      .execute();
    expect(cash.every(({ hold }) => hold === 1_000_000_000n)).toBe(true);
    // Some of the status queries fail as well.
    await sandbox.behave({ autoSettle: false, lookups: { 'timeout-before': 0.3, garbage: 0.2 }, seed: 7 });
    await makeDue(app, ids);
    await anotherSender(app).sending.watch();
    await sandbox.behave({ autoSettle: false });
    await makeDue(app, ids);
    await anotherSender(app).sending.watch();
    const unknown = (await rows()).filter(({ status }) => status === 'UNKNOWN_OUTCOME');
    expect(unknown).toHaveLength(20);
    const retried = await inParallel(unknown, ({ id }) => decide(boss, 'retry', id));
    expect(retried.every(({ body }) => body.status === 'APPROVED')).toBe(true);
    await inParallel(ids, (id) => anotherSender(app).sending.send(id));
    for (const id of ids) await sandbox.settle(id, 'COMPLETED');
    await expect
      .poll(async () => (await rows()).filter(({ status }) => status !== 'COMPLETED').length, {
        timeout: 10_000,
      })
      .toBe(0);
    const { payouts, totals } = await sandbox.books();
    const paid = payouts.map(({ reference }) => reference).filter((reference) => ids.includes(reference));
    expect(paid).toHaveLength(ids.length);
    expect(new Set(paid)).toEqual(new Set(ids));
    const { sum } = await app.db
      .selectFrom('ledger_lines')
      .innerJoin('ledger_entries', 'ledger_entries.id', 'ledger_lines.entry_id')
      .select(({ fn }) => fn.sum<string>('amount').as('sum'))
      .where('ledger_lines.kind', '=', 'withdraw.sent')
      .where(
        'key',
        'in',
        ids.map((id) => `withdrawal:${id}:sent:1`),
      )
      .executeTakeFirstOrThrow();
    expect(Number(sum) / 1e8).toBe(60 * 9);
    expect(Number(totals.USDT!.out) - before).toBe(60 * 9);
  });
});

describe('process crash', () => {
  /** Simulates a process that dies after it has committed PROCESSING, before or after it has sent the request. */
  const die = async (when: 'before' | 'after') => {
    const made = await payer.approved();
    const sender = anotherSender(app);
    await sandbox.behave({
      autoSettle: false,
      payouts: when === 'before' ? 'timeout-before' : 'timeout-after',
    });
    const dying = sender.sending.send(made.id).catch(() => undefined);
    await expect.poll(() => statusOf(app, made.id), { interval: 5 }).toBe('PROCESSING');
    await dying;
    // Simulates a process that died before recording that no response had arrived.
    await app.db
      .updateTable('withdrawals')
      .set({ status: 'PROCESSING', told_at: null, check_at: new Date(0) })
      .where('id', '=', made.id)
      .execute();
    await sandbox.behave({ autoSettle: false });
    return made;
  };

  test.each(['before', 'after'] as const)(
    'pays once when a process dies %s the provider received the request',
    async (when) => {
      const { player, id } = await die(when);
      await app.services.withdrawals.sending.watch();
      expect(await rowOf(app, id)).toMatchObject({
        status: 'PROCESSING',
        reference: id,
        external_id: expect.any(String),
      });
      expect(await payer.booked(id)).toHaveLength(1);
      await sandbox.settle(id, 'COMPLETED');
      await expect.poll(() => statusOf(app, id)).toBe('COMPLETED');
      expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 0 });
    },
  );

  test('pays once when ten concurrent checks find the same payout', async () => {
    const { id } = await die('before');
    const { sending } = app.services.withdrawals;
    await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 ? sending.check(id) : sending.send(id))));
    expect(await payer.booked(id)).toHaveLength(1);
  });

  test('sends a payout at the next check when the process crashed before the request', async () => {
    const { id } = await payer.approved();
    await makeDue(app, [id]);
    await app.services.withdrawals.sending.watch();
    expect([await statusOf(app, id), (await payer.booked(id)).length]).toEqual(['PROCESSING', 1]);
  });
});
