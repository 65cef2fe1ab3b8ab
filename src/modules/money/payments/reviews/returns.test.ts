import { beforeAll, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import {
  aReviewer,
  aStrangeDeposit,
  decideByTwo,
  review,
} from '../../../../../test/kit/money/deposit-reviews.ts';
import { tell, webhookOf } from '../../../../../test/kit/money/deposits.ts';
import { paymentsAt } from '../../../../../test/kit/money/payments.ts';
import { applyReturnReport, runReturn } from './send-return.ts';

const outside = fixture(startOutside);
const app = fixture(() => startApp({ env: outside.env }));

const ADDRESS = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';
let staff: [Player, Player];
let pay: ReturnType<typeof paymentsAt>;
beforeAll(async () => {
  staff = [await aReviewer(app), await aReviewer(app)];
  pay = paymentsAt(outside.url);
});

const rowOf = (id: string) =>
  app.db.selectFrom('deposits').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const payoutOf = (id: string) =>
  app.db
    .selectFrom('deposit_returns')
    .selectAll()
    .where('deposit_id', '=', id)
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
const runOnce = async (id: string) =>
  runReturn(app.services.payments, { reference: (await payoutOf(id)).reference });
/** Creates a deposit of 25 USDT that two staff members have decided to return. */
const aReturn = async (fields: object = {}) => {
  const deposit = await aStrangeDeposit(app, fields);
  const answer = await decideByTwo(staff, deposit.id, { action: 'RETURN', address: ADDRESS });
  expect([answer.status, answer.body.status], answer.text).toEqual([201, 'UNDER_REVIEW']);
  return deposit;
};
const paidTo = async (reference: string) =>
  (await pay.books()).payouts.filter((payout) => payout.reference === reference);

test('returns a deposit once, including its fee, and removes it from suspense', async () => {
  await pay.behave({ autoSettle: false });
  const { id } = await aReturn();
  expect((await rowOf(id)).status).toBe('RETURNING');
  await Promise.all([runOnce(id), runOnce(id), runOnce(id)]);
  const { reference } = await payoutOf(id);
  expect(reference).toBe(`return:${id}`);
  expect(await paidTo(reference)).toMatchObject([{ address: ADDRESS, amount: '24' }]);
  await pay.settle(reference, 'COMPLETED');
  await runOnce(id);
  expect([(await payoutOf(id)).status, (await rowOf(id)).status]).toEqual(['COMPLETED', 'RETURNED']);
  await app.assertInvariants();
});

test('puts the deposit back under review when the payout fails, and returns it under a new reference', async () => {
  await pay.behave({ autoSettle: false });
  const { id } = await aReturn();
  await runOnce(id);
  await pay.settle(`return:${id}`, 'FAILED', 'wallet closed');
  await runOnce(id);
  expect(await rowOf(id)).toMatchObject({
    status: 'UNDER_REVIEW',
    suspense_amount: 2_500_000_000n,
    review_reason: 'ADDRESS_UNKNOWN,RETURN_FAILED',
  });
  await app.assertInvariants();
  await decideByTwo(staff, id, { action: 'RETURN', address: ADDRESS });
  expect((await payoutOf(id)).reference).toBe(`return:${id}.2`);
});

test('keeps the coins in suspense while the outcome of the payout is unknown, and pays only once', async () => {
  await pay.behave({ autoSettle: false });
  const { id } = await aReturn();
  const reference = `return:${id}`;
  // The process died after it had called the provider. The payout exists, but its result was not recorded.
  await runOnce(id);
  await app.db
    .updateTable('deposit_returns')
    .set({ status: 'PROCESSING', external_id: null, tx_hash: null })
    .where('reference', '=', reference)
    .execute();
  await runOnce(id);
  expect(await paidTo(reference)).toHaveLength(1);
  await pay.settle(reference, 'SENT');
  await runOnce(id);
  expect((await rowOf(id)).status).toBe('RETURNED');
  await app.assertInvariants();
});

test('moves the coins back to suspense when a sent payout fails', async () => {
  await pay.behave({ autoSettle: false });
  const { id } = await aReturn();
  await runOnce(id);
  const state = { externalId: null, txHash: null, confirmations: 0, failedReason: null };
  const report = (status: 'SENT' | 'FAILED') =>
    app.db.transaction().execute((tx) =>
      applyReturnReport(tx, app.services.payments, 'sandbox', {
        ...state,
        status,
        reference: `return:${id}`,
        at: new Date(),
      }),
    );
  await report('SENT');
  await report('SENT');
  expect(await rowOf(id)).toMatchObject({ status: 'RETURNED', suspense_amount: 0n });
  await app.assertInvariants();
  await report('FAILED');
  expect(await rowOf(id)).toMatchObject({ status: 'UNDER_REVIEW', suspense_amount: 2_500_000_000n });
  await app.assertInvariants();
});

test('reverses a deposit whose payout has not been requested, but not one whose payout may have been sent', async () => {
  await pay.behave({ autoSettle: false });
  const gone = async (deposit: { pay_address: string; tx_hash: string | null }) =>
    tell(app, webhookOf(deposit.pay_address, { txHash: deposit.tx_hash, status: 'REVERSED' }));
  const queued = await aReturn();
  await gone(queued);
  expect([(await rowOf(queued.id)).status, (await payoutOf(queued.id)).status]).toEqual([
    'REVERSED',
    'FAILED',
  ]);
  const sent = await aReturn();
  await runOnce(sent.id);
  await gone(sent);
  expect(await rowOf(sent.id)).toMatchObject({
    status: 'RETURNING',
    review_reason: 'ADDRESS_UNKNOWN,REVERSED_WHILE_RETURNING',
  });
  await pay.settle(`return:${sent.id}`, 'FAILED', 'no');
  await runOnce(sent.id);
  expect((await rowOf(sent.id)).status).toBe('REVERSED');
  await app.assertInvariants();
});

test('rejects an address on another network, and a deposit that does not cover the fee', async () => {
  const { id } = await aStrangeDeposit(app);
  const wrong = await review(staff[0], id, { action: 'RETURN', address: `0x${'ab'.repeat(20)}` });
  expect([wrong.status, wrong.body.code]).toEqual([400, 'RECIPIENT_ADDRESS_INVALID']);
  const small = await aStrangeDeposit(app, { amount: '0.5' });
  const answer = await review(staff[0], small.id, { action: 'RETURN', address: ADDRESS });
  expect([answer.status, answer.body.code]).toEqual([409, 'DEPOSIT_NOT_REVIEWABLE']);
});

test('rejects returning an amount that differs from the suspended amount', async () => {
  const { id } = await aStrangeDeposit(app);
  for (const amount of ['24', '26', '9000']) {
    const answer = await review(staff[0], id, { action: 'RETURN', address: ADDRESS, amount });
    expect([answer.status, answer.body.code], amount).toEqual([400, 'AMOUNT_OUT_OF_RANGE']);
  }
  const same = await review(staff[0], id, { action: 'RETURN', address: ADDRESS, amount: '25' });
  expect([same.status, same.body.code]).toEqual([409, 'APPROVAL_NEEDED']);
});
