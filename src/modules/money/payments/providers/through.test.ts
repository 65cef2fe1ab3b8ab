import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cashOf, type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import { paymentsAt } from '../../../../../test/kit/money/payments.ts';
import {
  decide,
  makeDue,
  RECIPIENTS,
  statusOf,
  withdraw,
} from '../../../../../test/kit/money/withdrawals.ts';

const BTC = { currencyId: 'BTC', networkId: 'bitcoin' } as const;

describe.each(['sandbox', 'nowpayments', 'btcpay'])('deposits and withdrawals through %s', (id) => {
  let app: TestApp;
  let boss: Player;
  let pay: ReturnType<typeof paymentsAt>;
  const outside = fixture(startOutside);
  beforeAll(async () => {
    pay = paymentsAt(outside.url);
    app = await startApp({
      env: {
        ...outside.env,
        PAYMENT_PROVIDER: id,
        NOWPAYMENTS_API_URL: `${outside.url}/payments/nowpayments`,
        NOWPAYMENTS_API_KEY: 'sandbox-nowpayments-key',
        NOWPAYMENTS_EMAIL: 'money@croupier.test',
        NOWPAYMENTS_PASSWORD: 'only-nowpayments-knows-this',
        BTCPAY_URL: `${outside.url}/payments/btcpay`,
        BTCPAY_API_KEY: 'sandbox-btcpay-key',
      },
    });
    outside.setApi(app.url);
    boss = await app.as('superadmin');
    const body = { depositTurnoverPercent: 0 };
    expect((await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body })).status).toBe(200);
  });
  afterAll(() => app.stop());
  const cash = (player: Player) => cashOf(player, 'BTC');
  const addressOf = async (player: Player): Promise<string> => {
    const answer = await player.call('GET', `/payments/deposit/address?${new URLSearchParams(BTC)}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.payAddress;
  };

  test('credits each transfer only once, whatever the order of webhooks, and pays out once', async () => {
    const player = await app.newPlayer();
    const address = await addressOf(player);
    await pay.behave({
      webhooks: { duplicates: 0.5, lost: 0.3, reorder: 0.5, reorderMs: 100 },
      seed: 42,
      autoSettle: true,
    });
    // The second transfer is below the nominal amount of the payment.
    await Promise.all(['0.001', '0.0003'].map((amount) => pay.coins({ ...BTC, address, amount })));
    await expect.poll(() => cash(player), { timeout: 8000 }).toBe('0.0013');
    await expect
      .poll(async () => (await pay.deliveries()).every(({ status }) => status === 200), { timeout: 8000 })
      .toBe(true);
    expect(await cash(player)).toBe('0.0013');

    await pay.behave();
    const order = { ...BTC, amount: '0.001', recipientAddress: RECIPIENTS.bitcoin };
    const made = await withdraw(player, order);
    expect(made.status, made.text).toBe(201);
    const withdrawalId = made.body.id as string;
    expect((await decide(boss, 'approve', withdrawalId)).status).toBe(201);
    await app.services.withdrawals.sending.send(withdrawalId);
    await expect
      .poll(
        async () => {
          await makeDue(app, [withdrawalId]);
          await app.services.withdrawals.sending.watch();
          return statusOf(app, withdrawalId);
        },
        { timeout: 8000 },
      )
      .toBe('COMPLETED');
    const { payouts, totals } = await pay.books();
    expect(payouts).toMatchObject([{ amount: '0.00095', address: RECIPIENTS.bitcoin, status: 'COMPLETED' }]);
    expect(totals).toEqual({ BTC: { in: '0.0013', out: '0.00095' } });
    expect(await cash(player)).toBe('0.0003');
  });

  test('holds the money of a payout whose response was lost until a query finds the payout', async () => {
    const player = await app.newPlayer();
    const address = await addressOf(player);
    await pay.coins({ ...BTC, address, amount: '0.001' });
    await expect.poll(() => cash(player), { timeout: 8000 }).toBe('0.001');
    const before = (await pay.books()).payouts.length;
    await pay.behave({ payouts: 'error-after', autoSettle: false });
    const order = { ...BTC, amount: '0.001', recipientAddress: RECIPIENTS.bitcoin };
    const made = await withdraw(player, order);
    expect(made.status, made.text).toBe(201);
    await decide(boss, 'approve', made.body.id);
    await app.services.withdrawals.sending.send(made.body.id);
    expect(await statusOf(app, made.body.id)).toBe('UNKNOWN_OUTCOME');
    expect(await cash(player)).toBe('0');
    const { payouts } = await pay.books();
    expect(payouts).toHaveLength(before + 1);
    await pay.behave({ autoSettle: false });
    await pay.settle(payouts.at(-1)!.reference, 'COMPLETED');
    await expect
      .poll(
        async () => {
          await makeDue(app, [made.body.id]);
          await app.services.withdrawals.sending.watch();
          return statusOf(app, made.body.id);
        },
        { timeout: 8000 },
      )
      .toBe('COMPLETED');
    expect((await pay.books()).payouts).toHaveLength(before + 1);
  });
});
