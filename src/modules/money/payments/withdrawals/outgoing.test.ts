/** Thresholds of withdrawals look at what leaves a player's account, whichever way it is cut. */
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts.ts';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  cancel,
  decide,
  moneyOf,
  said,
  startPayer,
  statusOf,
  withdraw,
} from '../../../../../test/kit/withdrawals.ts';
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
/** Approved by one and gone. */
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
  test('what waits beside it counts, whichever is approved first', async () => {
    const player = await app.newPlayer({ usdt: 200 });
    const ids = [await ask(player, '20'), await ask(player, '20'), await ask(player, '20')];
    for (const id of ids) {
      expect(await approve(id)).toBe('WAITING_FOR_APPROVAL');
      expect(codeOf(await decide(first, 'approve', id))).toBe('409 SECOND_PERSON_NEEDED');
      expect(await approve(id, other)).toBe('APPROVED');
    }
  });

  test('one that was small when it was asked for needs two once the day comes to the threshold with it', async () => {
    const player = await app.newPlayer({ usdt: 200 });
    const small = await ask(player, '30');
    const more = await ask(player, '19.999999');
    expect(await approve(small)).toBe('APPROVED');
    const last = await ask(player, '5');
    expect(await approve(more)).toBe('WAITING_FOR_APPROVAL');
    expect((await cancel(player, last)).status).toBe(201);
    // What was given back counts no more: below the threshold one is enough.
    expect(await approve(more)).toBe('APPROVED');
  });

  test('what has left within 24 hours counts, what left before does not; what still waits counts however old it is', async () => {
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

  test('rejected and failed ones do not count, those of others neither', async () => {
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

  test('where one of them has no price, two have to look at the others', async () => {
    const player = await app.newPlayer({ usdt: 200 });
    await app.db.updateTable('users').set({ kyc_level: 2 }).where('id', '=', player.id).execute();
    const unpriced = await ask(player, '5');
    const set = { is_priced: false };
    await app.db.updateTable('withdrawals').set(set).where('id', '=', unpriced).execute();
    expect(await approve(await ask(player, '5'))).toBe('WAITING_FOR_APPROVAL');
  });

  test('10 concurrent approvals of one person for three withdrawals of one player: none is sent', async () => {
    const player = await app.newPlayer({ usdt: 200 });
    const ids = [await ask(player, '20'), await ask(player, '20'), await ask(player, '20')];
    await Promise.all(Array.from({ length: 30 }, (_, i) => decide(first, 'approve', ids[i % 3]!)));
    for (const id of ids) expect(await statusOf(app, id)).toBe('WAITING_FOR_APPROVAL');
  });

  test('a retry of what a rule had approved needs two as well, once the day has come to the threshold', async () => {
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

describe('approval by rule', () => {
  test('looks at the day: what would be approved alone waits once the day is beyond the limit', async () => {
    await configure({ autoApproveLimitUsd: '20' });
    const player = await app.newPlayer({ usdt: 200 });
    const states = [];
    for (const amount of ['12', '8', '5']) states.push(await statusOf(app, await ask(player, amount)));
    expect(states).toEqual(['APPROVED', 'APPROVED', 'WAITING_FOR_APPROVAL']);
  });

  test('of 6 concurrent requests as many are approved as the limit allows', async () => {
    await configure({ autoApproveLimitUsd: '20' });
    const player = await app.newPlayer({ usdt: 200 });
    // A machine under load may not answer in time: whoever is told so asks again, with the same key.
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

describe('identity', () => {
  beforeEach(() => configure({ kycSingleThresholdUsd: '100' }));
  const needed = { status: 403, body: { code: 'KYC_REQUIRED', details: { tier: 'IDENTITY' } } };

  test('amounts of 30 days add up: the one that comes to the threshold is refused, and eligibility says how much is left', async () => {
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

  test('what left before, or was given back, does not count', async () => {
    const player = await app.newPlayer({ usdt: 500 });
    await leftAgo(await pay(player, '40'), 31 * DAY_MS);
    const id = await ask(player, '90');
    expect(await withdraw(player, { amount: '10' })).toMatchObject(needed);
    expect((await cancel(player, id)).status).toBe(201);
    await ask(player, '90');
  });

  test('of 8 concurrent requests as many are accepted as stay below the threshold', async () => {
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

  test('GET /kyc says so once nothing more may leave', async () => {
    const player = await app.newPlayer({ usdt: 500 });
    const requiredFor = async () => (await player.call('GET', '/kyc')).body.requiredFor;
    await ask(player, '99.5');
    expect(await requiredFor()).toEqual([]);
    expect((await eligibility(player)).reasons).toEqual(['KYC_REQUIRED']);
    await configure({ kycSingleThresholdUsd: '99.5' });
    expect(await requiredFor()).toEqual(['WITHDRAW']);
  });

  test('what has failed is not sent again where it would come to the threshold with what was asked for since', async () => {
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

test('the sums read what is recent: 1,000 withdrawals of last year are not touched', async () => {
  const long = await startApp({ reconcileOnStop: false });
  const player = await long.newPlayer({ usdt: 200 });
  const id = await ask(player, '5');
  await sql`insert into withdrawals select (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid(),
      'provider_id', 'sandbox', 'reference', w.id, 'status', case n % 2 when 0 then 'COMPLETED' else 'REJECTED' end,
      'asked_at', now() - make_interval(days => 300 + n % 50)))).*
    from withdrawals w, generate_series(1, 1000) n where w.id = ${id}`.execute(long.db);
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
