/** Thresholds apply to the sum of a player's withdrawals, so that splitting an amount does not avoid them. */
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { PATIENCE, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  cancel,
  decide,
  moneyOf,
  said,
  startPayer,
  statusOf,
  withdraw,
} from '../../../../../test/kit/money/withdrawals.ts';
import { outgoingUsd } from './queries.ts';

let app: typeof payer.app;
let boss: Player;
let first: Player;
let other: Player;
const DAY_MS = 86_400_000;
const CONFIG = {
  fourEyesThresholdUsd: '50',
  kycSingleThresholdUsd: '1000',
  autoApproveLimitUsd: '0',
  autoApproveMinAccountDays: 0,
  autoApproveMaxRisk: 99,
  maxOpenPerUser: 10,
};
const payer = fixture(startPayer);
beforeAll(async () => {
  ({ app, boss } = payer);
  const approver = { permissions: ['withdraw.read', 'withdraw.approve'] };
  [first, other] = [await app.as(approver), await app.as(approver)];
});
beforeEach(async () => {
  await payer.sandbox.behave({ autoSettle: false });
  await configure(CONFIG);
});

const configure = async (change: object) => {
  const answer = await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: change });
  expect(answer.status, answer.text).toBe(200);
};
const ask = async (player: Player, amount: string): Promise<string> => {
  const { status, body, text } = await withdraw(player, { amount });
  expect(status, text).toBe(201);
  return body.id;
};
const approve = async (id: string, by = first) => (await decide(by, 'approve', id)).body.status;
/** Requests a withdrawal that is approved by one person and then paid. */
const pay = async (player: Player, amount: string): Promise<string> => {
  const id = await ask(player, amount);
  expect(await approve(id)).toBe('APPROVED');
  await app.services.withdrawals.sending.send(id);
  await payer.tell(said(id, 'COMPLETED', { txHash: id, confirmations: 30 }));
  expect(await statusOf(app, id)).toBe('COMPLETED');
  return id;
};
const leftAgo = (id: string, ms: number) =>
  app.db
    .updateTable('withdrawals')
    .set({ asked_at: new Date(Date.now() - ms), created_at: new Date(Date.now() - ms - 1000) })
    .where('id', '=', id)
    .execute();
const eligibility = async (player: Player) =>
  (await player.call('GET', '/payments/withdraw/eligibility?currencyId=USDT')).body;

describe('four eyes', () => {
  test('counts other pending withdrawals, regardless of the order of approval', async () => {
    const player = await app.newPlayer({ usdt: 200 });
    const ids = [await ask(player, '20'), await ask(player, '20'), await ask(player, '20')];
    for (const id of ids) {
      expect(await approve(id)).toBe('WAITING_FOR_APPROVAL');
      expect(codeOf(await decide(first, 'approve', id))).toBe('409 SECOND_PERSON_NEEDED');
      expect(await approve(id, other)).toBe('APPROVED');
    }
  });

  test('requires two people once later withdrawals on the same day reach the threshold', async () => {
    const player = await app.newPlayer({ usdt: 200 });
    const small = await ask(player, '30');
    const more = await ask(player, '19.999999');
    const needsTwo = async (id: string) =>
      (await first.call('GET', `/admin/payments/withdraw/${id}`)).body.needsTwoPeople;
    expect(await needsTwo(small)).toBe(false);
    expect(await approve(small)).toBe('APPROVED');
    expect(await needsTwo(small)).toBeUndefined();
    const last = await ask(player, '5');
    expect(await needsTwo(more)).toBe(true);
    expect(await approve(more)).toBe('WAITING_FOR_APPROVAL');
    expect((await cancel(player, last)).status).toBe(201);
    // A cancelled withdrawal no longer counts, so one person is enough below the threshold.
    expect(await approve(more)).toBe('APPROVED');
  });

  test('counts all pending withdrawals, but sent ones only from the last 24 hours', async () => {
    const player = await app.newPlayer({ usdt: 500 });
    const gone = await pay(player, '30');
    await leftAgo(gone, DAY_MS - 60_000);
    const next = await ask(player, '20');
    expect(await approve(next)).toBe('WAITING_FOR_APPROVAL');
    await leftAgo(gone, DAY_MS + 60_000);
    expect(await approve(next)).toBe('APPROVED');
    await app.services.withdrawals.sending.send(next);
    await payer.tell(said(next, 'SENT', { txHash: next, confirmations: 1 }));
    await leftAgo(next, DAY_MS + 60_000);
    const old = await ask(player, '30');
    await leftAgo(old, 5 * DAY_MS);
    expect(await approve(await ask(player, '20'))).toBe('WAITING_FOR_APPROVAL');
  });

  test('ignores rejected and failed withdrawals and those of other players', async () => {
    const [player, rich] = [await app.newPlayer({ usdt: 200 }), await app.newPlayer({ usdt: 200 })];
    await ask(rich, '45');
    expect((await decide(first, 'reject', await ask(player, '40'))).status).toBe(201);
    await payer.sandbox.behave({ autoSettle: false, payouts: 'refuse' });
    const failed = await ask(player, '40');
    expect(await approve(failed)).toBe('APPROVED');
    await app.services.withdrawals.sending.send(failed);
    expect(await statusOf(app, failed)).toBe('FAILED');
    expect(await approve(await ask(player, '40'))).toBe('APPROVED');
  });

  test('requires two people if another withdrawal has no price', async () => {
    const player = await app.newPlayer({ usdt: 200 });
    await app.db.updateTable('users').set({ kyc_level: 2 }).where('id', '=', player.id).execute();
    const unpriced = await ask(player, '5');
    const set = { is_priced: false };
    await app.db.updateTable('withdrawals').set(set).where('id', '=', unpriced).execute();
    expect(await approve(await ask(player, '5'))).toBe('WAITING_FOR_APPROVAL');
  });

  test('sends nothing when one person approves three withdrawals ten times concurrently', async () => {
    const player = await app.newPlayer({ usdt: 200 });
    const ids = [await ask(player, '20'), await ask(player, '20'), await ask(player, '20')];
    await Promise.all(Array.from({ length: 30 }, (_, i) => decide(first, 'approve', ids[i % 3]!)));
    for (const id of ids) expect(await statusOf(app, id)).toBe('WAITING_FOR_APPROVAL');
  });

  test('requires two people to retry an automatically approved withdrawal at the threshold', async () => {
    await configure({ autoApproveLimitUsd: '20' });
    const player = await app.newPlayer({ usdt: 200 });
    const id = await ask(player, '20');
    expect(await statusOf(app, id)).toBe('APPROVED');
    await payer.sandbox.behave({ autoSettle: false, payouts: 'refuse' });
    await app.services.withdrawals.sending.send(id);
    expect(await statusOf(app, id)).toBe('FAILED');
    await payer.sandbox.behave({ autoSettle: false });
    await ask(player, '30');
    expect((await decide(first, 'retry', id)).body.status).toBe('FAILED');
    expect(codeOf(await decide(first, 'retry', id))).toBe('409 SECOND_PERSON_NEEDED');
    expect((await decide(other, 'retry', id)).body.status).toBe('APPROVED');
    expect(await moneyOf(app, player)).toEqual({ cash: 150, hold: 50 });
  });
});

describe('automatic approval', () => {
  test("does not approve automatically once the day's total exceeds the limit", async () => {
    await configure({ autoApproveLimitUsd: '20' });
    const player = await app.newPlayer({ usdt: 200 });
    const states = [];
    for (const amount of ['12', '8', '5']) states.push(await statusOf(app, await ask(player, amount)));
    expect(states).toEqual(['APPROVED', 'APPROVED', 'WAITING_FOR_APPROVAL']);
  });

  test('approves as many of six concurrent requests automatically as the limit allows', async () => {
    await configure({ autoApproveLimitUsd: '20' });
    const player = await app.newPlayer({ usdt: 200 });
    // A machine under load may respond with 503. The test then repeats the request with the same key.
    const ask = async (_: unknown, n: number): Promise<Awaited<ReturnType<typeof withdraw>>> => {
      const answer = await withdraw(player, { amount: '8' }, { 'idempotency-key': `concurrent-${n}` });
      return answer.status === 503 ? ask(_, n) : answer;
    };
    const answers = await Promise.all(Array.from({ length: 6 }, ask));
    const states = answers.map(({ body }) => body.status);
    const expected = [...Array(2).fill('APPROVED'), ...Array(4).fill('WAITING_FOR_APPROVAL')];
    expect(states.toSorted(), JSON.stringify(answers.map(({ body }) => body))).toEqual(expected);
  });
});

describe('identity verification', () => {
  beforeEach(() => configure({ kycSingleThresholdUsd: '100' }));
  const needed = { status: 403, body: { code: 'KYC_REQUIRED', details: { tier: 'IDENTITY' } } };

  test('adds up the withdrawals of 30 days, rejects the request that reaches the threshold, and shows the remaining amount', async () => {
    const player = await app.newPlayer({ usdt: 500 });
    await leftAgo(await pay(player, '40'), 29 * DAY_MS);
    await ask(player, '40');
    expect(await withdraw(player, { amount: '20' })).toMatchObject(needed);
    const { maxAmount, reasons } = await eligibility(player);
    expect([maxAmount, reasons]).toEqual(['19.999999', []]);
    await ask(player, maxAmount);
    expect(await eligibility(player)).toMatchObject({
      canWithdraw: false,
      maxAmount: '0',
      reasons: ['KYC_REQUIRED'],
      kyc: { required: true, tier: 'IDENTITY' },
    });
    expect(await withdraw(player, { amount: '5' })).toMatchObject(needed);
    await app.db.updateTable('users').set({ kyc_level: 2 }).where('id', '=', player.id).execute();
    expect((await eligibility(player)).maxAmount).toBe('400.000001');
    await ask(player, '300');
  });

  test('ignores older withdrawals and those whose money was returned', async () => {
    const player = await app.newPlayer({ usdt: 500 });
    await leftAgo(await pay(player, '40'), 31 * DAY_MS);
    const id = await ask(player, '90');
    expect(await withdraw(player, { amount: '10' })).toMatchObject(needed);
    expect((await cancel(player, id)).status).toBe(201);
    await ask(player, '90');
  });

  test('accepts as many of eight concurrent requests as stay below the threshold', async () => {
    const player = await app.newPlayer({ usdt: 500 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => withdraw(player, { amount: '33' })));
    expect(answers.map(codeOf).toSorted()).toEqual([
      '201',
      '201',
      '201',
      ...Array(5).fill('403 KYC_REQUIRED'),
    ]);
    expect(await moneyOf(app, player)).toEqual({ cash: 401, hold: 99 });
  });

  test('lists WITHDRAW in GET /kyc once the threshold is reached', async () => {
    const player = await app.newPlayer({ usdt: 500 });
    const requiredFor = async () => (await player.call('GET', '/kyc')).body.requiredFor;
    await ask(player, '99.5');
    expect(await requiredFor()).toEqual([]);
    expect((await eligibility(player)).reasons).toEqual(['KYC_REQUIRED']);
    await configure({ kycSingleThresholdUsd: '99.5' });
    expect(await requiredFor()).toEqual(['WITHDRAW']);
  });

  test('rejects the retry of a failed withdrawal that reaches the threshold together with later requests', async () => {
    const player = await app.newPlayer({ usdt: 500 });
    await payer.sandbox.behave({ autoSettle: false, payouts: 'refuse' });
    const failed = await ask(player, '45');
    expect(await approve(failed)).toBe('APPROVED');
    await app.services.withdrawals.sending.send(failed);
    expect(await statusOf(app, failed)).toBe('FAILED');
    await payer.sandbox.behave({ autoSettle: false });
    await ask(player, '60');
    expect(await decide(other, 'retry', failed)).toMatchObject(needed);
    expect(await statusOf(app, failed)).toBe('FAILED');
    await app.db.updateTable('users').set({ kyc_level: 2 }).where('id', '=', player.id).execute();
    expect((await decide(other, 'retry', failed)).body.status).toBe('APPROVED');
  });
});

test('reads only recent rows when a player has 1,000 old withdrawals', async () => {
  const long = await startApp({ env: PATIENCE, reconcileOnStop: false });
  const player = await long.newPlayer({ usdt: 200 });
  const id = await ask(player, '5');
  await sql`insert into withdrawals select copy.* from withdrawals w, generate_series(1, 1000) n,
    lateral jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid(),
      'provider_id', 'sandbox', 'reference', w.id, 'status', case n % 2 when 0 then 'COMPLETED' else 'REJECTED' end,
      'asked_at', now() - make_interval(days => 300 + n % 50))) copy
    where w.id = ${id}`.execute(long.db);
  await sql`analyze withdrawals`.execute(long.db);
  await long.db.transaction().execute(async (tx) => {
    const fetched = async () => {
      const { rows } = await sql<{
        n: string;
      }>`select pg_stat_get_xact_tuples_fetched('withdrawals'::regclass)
        + pg_stat_get_xact_tuples_returned('withdrawals'::regclass) as n`.execute(tx);
      return Number(rows[0]!.n);
    };
    const before = await fetched();
    expect(await outgoingUsd(tx, { userId: player.id, hours: 720 })).toBe(500_000_000n);
    expect((await fetched()) - before).toBeLessThan(20);
  });
  await long.stop();
});
