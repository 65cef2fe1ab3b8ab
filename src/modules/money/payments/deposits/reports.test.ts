import { expect, test } from 'vitest';
import { cashOf, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  giveAddress,
  NOWPAYMENTS_ENV,
  notifyPayment,
  paymentTo,
  tell,
  webhookOf,
} from '../../../../../test/kit/money/deposits.ts';

const app = fixture(() => startApp({ env: NOWPAYMENTS_ENV }));

const aPlayer = async () => {
  const player = await app.newPlayer();
  return { player, address: await giveAddress(app.db, player.id) };
};
const rowsOf = (player: Player) =>
  app.db.selectFrom('deposits').selectAll().where('user_id', '=', player.id).orderBy('id').execute();
/** Sends several reports about one payment, each with a later time than the previous one. */
const report = async (steps: readonly (readonly [status: string, paid: number])[]) => {
  const { player, address } = await aPlayer();
  const { payment_id } = paymentTo(address);
  for (const [at, [payment_status, actually_paid]] of steps.entries()) {
    const updated_at = Date.now() - 60_000 + at * 5000;
    const body = paymentTo(address, { payment_id, payment_status, actually_paid, updated_at });
    expect((await notifyPayment(app, body)).status).toBe(200);
  }
  return player;
};
const alertsOf = async (id: string) =>
  (await app.db.selectFrom('events').select('data').where('name', '=', 'admin.alert').execute()).filter(
    ({ data }) => (data as { id: string }).id === id,
  ).length;

test('credits the difference only once for each new total when the amount of a payment is increased later', async () => {
  const player = await report([
    ['partially_paid', 10],
    ['finished', 25],
    ['finished', 25],
    ['partially_paid', 25],
  ]);
  expect(await cashOf(player)).toBe('25');
  const [first, second, ...others] = await rowsOf(player);
  expect(others).toEqual([]);
  expect([first!.amount, second!.amount]).toEqual([10n * 10n ** 8n, 15n * 10n ** 8n]);
  expect([first!.review_reason, second!.review_reason]).toEqual([null, null]);
  expect(second!.parent_id).toBe(first!.id);
  expect(second!.output_key).toBe(`tron:nowpayments:${first!.external_id}+25:0`);
});

test('credits a small increase even if the increase itself is below the minimum', async () => {
  const player = await report([
    ['partially_paid', 24.5],
    ['finished', 25],
  ]);
  expect(await cashOf(player)).toBe('25');
});

test('moves nothing and creates a finding when the amount of a payment is reduced later', async () => {
  const player = await report([
    ['finished', 25],
    ['partially_paid', 10],
  ]);
  expect(await cashOf(player)).toBe('25');
  const [row] = await rowsOf(player);
  expect(row).toMatchObject({ status: 'COMPLETED', review_reason: 'AMOUNT_SHRANK', has_finding: true });
  expect(await alertsOf(row!.id)).toBe(1);
});

test('ignores an older report with a smaller total', async () => {
  const { player, address } = await aPlayer();
  const body = paymentTo(address);
  await notifyPayment(app, body);
  const older = { ...body, payment_status: 'partially_paid', actually_paid: 10, updated_at: 1 };
  await notifyPayment(app, older);
  expect((await rowsOf(player))[0]).toMatchObject({ review_reason: null, has_finding: false });
});

test('reverses every part of a refunded payment, regardless of the amount in the report', async () => {
  for (const refunded of [25, 0]) {
    const player = await report([
      ['partially_paid', 10],
      ['finished', 25],
      ['refunded', refunded],
    ]);
    expect(await cashOf(player)).toBe('0');
    expect((await rowsOf(player)).map(({ status }) => status)).toEqual(['REVERSED', 'REVERSED']);
  }
});

test('credits an increase once when 40 identical reports arrive at the same time', async () => {
  const { player, address } = await aPlayer();
  const body = paymentTo(address, { payment_status: 'partially_paid', actually_paid: 10, updated_at: 1 });
  await notifyPayment(app, body);
  const grown = { ...body, payment_status: 'finished', actually_paid: 25 };
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => notifyPayment(app, { ...grown, updated_at: 1000 + i })),
  );
  expect(await cashOf(player)).toBe('25');
  expect(await rowsOf(player)).toHaveLength(2);
});

test('stores a deposit of an unlisted coin under review, alerts staff and credits nothing', async () => {
  const { player, address } = await aPlayer();
  const coin = { pay_currency: 'usdcmatic', outcome_amount: 49.5, outcome_currency: 'usdttrc20' };
  expect((await notifyPayment(app, paymentTo(address, { ...coin, actually_paid: 50 }))).status).toBe(200);
  const [row] = await rowsOf(player);
  expect(row).toMatchObject({
    status: 'UNDER_REVIEW',
    review_reason: 'CURRENCY_UNKNOWN',
    amount: 50n * 10n ** 8n,
    usd_amount: 0n,
    suspense_amount: 0n,
    reported_currency: 'usdcmatic',
    reported_amount: '50',
    outcome_currency: 'USDT',
    outcome_amount: 4_950_000_000n,
  });
  expect(await alertsOf(row!.id)).toBe(1);
  expect(await cashOf(player)).toBe('0');
});

test('keeps a payment with an unknown status open, and credits it once it is finished', async () => {
  const player = await report([
    ['wrong_asset_confirmed', 25],
    ['finished', 25],
  ]);
  const [row] = await rowsOf(player);
  expect(row).toMatchObject({ status: 'COMPLETED', review_reason: 'STATUS_UNKNOWN', has_finding: true });
  expect(await cashOf(player)).toBe('25');
});

test('moves coins that are confirmed but not credited to suspense, whatever the reason', async () => {
  const { player, address } = await aPlayer();
  await notifyPayment(app, paymentTo(address, { actually_paid: 0.5 }));
  await notifyPayment(app, paymentTo(address, { pay_currency: 'usdterc20', actually_paid: 51 }));
  await notifyPayment(app, paymentTo('TNobodyHasThisAddress', { actually_paid: 3 }));
  const rows = await rowsOf(player);
  expect(rows.map((row) => [row.status, row.review_reason, row.suspense_amount])).toEqual([
    ['UNDER_REVIEW', 'BELOW_MINIMUM', 50_000_000n],
    ['UNDER_REVIEW', 'NETWORK_DIFFERS', 5_100_000_000n],
  ]);
  await app.assertInvariants();
});

test('moves coins out of suspense when their address is found to belong to a player', async () => {
  const address = 'TSomeoneLater';
  const body = paymentTo(address, { updated_at: 5 });
  await notifyPayment(app, body);
  const player = await app.newPlayer();
  await app.db
    .updateTable('deposit_addresses')
    .set({ address, address_key: address })
    .where('address', '=', await giveAddress(app.db, player.id))
    .execute();
  await notifyPayment(app, { ...body, updated_at: 6 });
  expect(await cashOf(player)).toBe('25');
  await app.assertInvariants();
});

test('stores a signed but unreadable report, with its text, as a deposit under review', async () => {
  const text = '{"status":"COMPLETED","payAddress":"a","amount":"25"}';
  const answer = await tell(app, JSON.parse(text));
  expect([answer.status, answer.body]).toEqual([200, { success: true }]);
  const [row] = await app.db.selectFrom('deposits').selectAll().where('report', '=', text).execute();
  expect(row).toMatchObject({ status: 'UNDER_REVIEW', review_reason: 'REPORT_UNREADABLE', user_id: null });
  expect(await alertsOf(row!.id)).toBe(1);
});

test('credits a report in our own protocol that has unknown fields and differently formatted numbers', async () => {
  const { player, address } = await aPlayer();
  await tell(app, webhookOf(address, { amount: '2.5e1', more: 1, note: { nested: [] } }));
  expect(await cashOf(player)).toBe('25');
});

test.each(['abcdef0123456789', `0x${'ab'.repeat(20)}`, 'not-hexadecimal'])(
  'credits the transaction %s once, regardless of the letter case of its hash',
  async (txHash) => {
    const { player, address } = await aPlayer();
    const hash = `${txHash}${player.id}`;
    const body = webhookOf(address, { txHash: hash });
    await tell(app, body);
    await tell(app, { ...body, externalId: 'other', txHash: hash.toUpperCase() });
    expect(await cashOf(player)).toBe('25');
    expect(await rowsOf(player)).toHaveLength(1);
  },
);
