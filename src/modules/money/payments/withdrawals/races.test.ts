import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { type Answer, type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import { inParallel } from '../../../../../test/kit/http/requests.ts';
import { times } from '../../../../../test/kit/length.ts';
import { paymentsAt } from '../../../../../test/kit/money/payments.ts';
import {
  cancel,
  decide,
  legsOf,
  moneyOf,
  ORDER,
  RECIPIENTS,
  statusOf,
  waiting,
} from '../../../../../test/kit/money/withdrawals.ts';

let app: TestApp;
let second: TestApp;
let boss: Player;
const outside = fixture(startOutside);
beforeAll(async () => {
  // The timeouts are long, because 200 requests queue for one wallet.
  const patience = ['DATABASE_CONNECT_TIMEOUT_MS', 'DATABASE_STATEMENT_TIMEOUT_MS'];
  const env = { ...outside.env, ...Object.fromEntries(patience.map((name) => [name, '20000'])) };
  app = await startApp({ env });
  boss = await app.as('superadmin');
  const config = { maxOpenPerUser: 20 };
  expect((await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: config })).status).toBe(200);
  second = await startApp({ env, database: app.database });
});
afterAll(async () => {
  await second.stop();
  await app.stop();
});

const processOf = (i: number) => (i % 2 === 0 ? app : second);
/** Sends the given number of requests over 64 connections, alternating between the two processes. */
const burst = (requests: number, send: (i: number, through: TestApp) => Promise<Answer>) =>
  inParallel(
    Array.from({ length: requests }, (_, i) => i),
    (i) => send(i, processOf(i)),
    64,
  );
const tally = (answers: readonly Answer[]) =>
  Object.fromEntries([...Map.groupBy(answers, codeOf)].map(([code, { length }]) => [code, length]));

const ROUNDS = times('RACE_ROUNDS', 3, 20);

test(
  `accepts only one of 200 concurrent requests for the whole balance in two processes, in ${ROUNDS} rounds`,
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const player = await app.newPlayer({ usdt: 100 });
      const answers = await burst(200, (_, through) =>
        through.call('POST', '/payments/withdraw', {
          token: player.token,
          body: { ...ORDER, amount: '100' },
        }),
      );
      expect(tally(answers)).toEqual({ 201: 1, '400 INSUFFICIENT_BALANCE': 199 });
      expect(await moneyOf(app, player)).toEqual({ cash: 0, hold: 100 });
    }
  },
  30_000 + ROUNDS * 10_000,
);

test('accepts as many of 60 concurrent requests in two processes as the daily limit allows', async () => {
  const config = { dailyLimitUsd: '100' };
  expect((await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: config })).status).toBe(200);
  const player = await app.newPlayer({ usdt: 1000 });
  await expect.poll(() => second.services.siteConfig.get('WITHDRAWALS').dailyLimitUsd).toBe('100');
  const answers = await burst(60, (_, through) =>
    through.call('POST', '/payments/withdraw', { token: player.token, body: ORDER }),
  );
  expect(tally(answers)).toEqual({ 201: 10, '400 AMOUNT_OUT_OF_RANGE': 50 });
  expect(await moneyOf(app, player)).toEqual({ cash: 900, hold: 100 });
  const free = { dailyLimitUsd: null };
  expect((await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: free })).status).toBe(200);
  await expect.poll(() => second.services.siteConfig.get('WITHDRAWALS').dailyLimitUsd).toBeNull();
});

test('rejects concurrent requests that differ in address, memo, letter case, key or fields, in 2 rounds', async () => {
  for (let round = 0; round < 2; round++) {
    const player = await app.newPlayer({ usdt: 100 });
    const key = randomUUID();
    const variants: [object, Record<string, string>, string[]][] = [
      [{}, {}, ['201', '400 INSUFFICIENT_BALANCE']],
      [{}, { 'idempotency-key': key }, ['201', '400 INSUFFICIENT_BALANCE', '409 IDEMPOTENCY_KEY_REUSED']],
      [
        { networkId: 'ethereum', recipientAddress: RECIPIENTS.ethereum },
        {},
        ['201', '400 INSUFFICIENT_BALANCE'],
      ],
      [{ recipientMemo: '7' }, {}, ['400 RECIPIENT_MEMO_INVALID']],
      [{ currencyId: 'usdt' }, {}, ['404 PAYMENT_METHOD_NOT_FOUND']],
      [{ networkId: 'TRON' }, {}, ['404 PAYMENT_METHOD_NOT_FOUND']],
      [{ amount: '100.000000' }, {}, ['201', '400 INSUFFICIENT_BALANCE']],
      [{ amount: '100', extra: 1 }, {}, ['400 VALIDATION_FAILED']],
    ];
    const answers = await burst(200, async (i, through) => {
      const [fields, headers] = variants[i % variants.length]!;
      const body = { ...ORDER, amount: '100', ...fields };
      const own = headers['idempotency-key'] && i % 3 > 0 ? { 'idempotency-key': randomUUID() } : headers;
      return through.call('POST', '/payments/withdraw', { token: player.token, body, headers: own });
    });
    for (const [i, answer] of answers.entries())
      expect(variants[i % variants.length]![2]).toContain(codeOf(answer));
    const accepted = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id));
    expect(accepted.size).toBe(1);
    expect(await moneyOf(app, player)).toEqual({ cash: 0, hold: 100 });
  }
}, 240_000);

test('reaches one final status when an approval, a rejection, a retry and a cancellation race in two processes, in 30 rounds', async () => {
  const { sending } = app.services.withdrawals;
  const payouts = async () =>
    (await paymentsAt(outside.url).books()).payouts.map(({ reference }) => reference);
  const before = new Set(await payouts());
  const ends: Record<string, number> = {};
  const approved: string[] = [];
  for (let round = 0; round < 30; round++) {
    const { player, id } = await waiting(app);
    const through = (i: number) => ({
      call: ((m, p, o = {}) => processOf(i).call(m, p, { token: boss.token, ...o })) as Player['call'],
    });
    const mine = {
      call: ((m, p, o = {}) => second.call(m, p, { token: player.token, ...o })) as Player['call'],
    };
    const calls = [
      () => decide(through(round), 'approve', id),
      () => decide(through(round + 1), 'reject', id),
      () => decide(through(round), 'retry', id),
      () => cancel(mine, id),
    ];
    // The call that is sent first changes from round to round.
    const order = [...calls.slice(round % 4), ...calls.slice(0, round % 4)];
    const answers = await Promise.all(order.map((call) => call()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 201).map(({ status }) => status)).toEqual([
      409, 409, 409,
    ]);
    await Promise.all([sending.send(id), second.services.withdrawals.sending.send(id)]);
    const status = await statusOf(app, id);
    ends[status] = (ends[status] ?? 0) + 1;
    const isGivenBack = status === 'REJECTED' || status === 'CANCELLED';
    if (isGivenBack) {
      expect(await legsOf(app, id)).toEqual(['hold:1', 'release:1']);
      expect(await moneyOf(app, player)).toEqual({ cash: 100, hold: 0 });
    } else approved.push(id);
  }
  expect(Object.keys(ends).length).toBeGreaterThan(1);
  const made = (await payouts()).filter((reference) => !before.has(reference));
  expect(made).toHaveLength(approved.length);
  expect(new Set(made)).toEqual(new Set(approved));
}, 240_000);

describe('applies a decision only once when staff send it twice', () => {
  test.each([
    ['approve', 'APPROVED'],
    ['reject', 'REJECTED'],
  ] as const)(
    'applies a decision once for 20 concurrent requests with the same key, with identical responses and one audit log entry (%s)',
    async (decision, end) => {
      const { id } = await waiting(app);
      const key = randomUUID();
      const answers = await burst(20, (_, through) =>
        through.call('POST', `/admin/payments/withdraw/${decision}`, {
          token: boss.token,
          headers: { 'idempotency-key': key },
          body: { id, ...(decision === 'reject' && { rejectReason: 'no' }) },
        }),
      );
      expect([...new Set(answers.map(({ status, text }) => `${status} ${text}`))]).toHaveLength(1);
      expect(answers[0]!.body.status).toBe(end);
      const audited = await app.db
        .selectFrom('admin_audit')
        .select('after')
        .where('path', '=', `/admin/payments/withdraw/${decision}`)
        .where('status_code', '=', 201)
        .where('after', 'is not', null)
        .execute();
      expect(audited.filter(({ after }) => (after as { id: string }).id === id)).toHaveLength(1);
      expect(await legsOf(app, id)).toEqual(end === 'REJECTED' ? ['hold:1', 'release:1'] : ['hold:1']);
    },
  );

  test.each(['approve', 'reject'] as const)(
    'applies one of 20 concurrent decisions without a key, and rejects the other 19 (%s)',
    async (decision) => {
      const { id } = await waiting(app);
      const answers = await burst(20, (_, through) =>
        decide(
          { call: ((m, p, o = {}) => through.call(m, p, { token: boss.token, ...o })) as Player['call'] },
          decision,
          id,
        ),
      );
      const refusal = decision === 'approve' ? 'APPROVABLE' : 'REJECTABLE';
      expect(tally(answers)).toEqual({ 201: 1, [`409 WITHDRAWAL_NOT_${refusal}`]: 19 });
    },
  );
});
