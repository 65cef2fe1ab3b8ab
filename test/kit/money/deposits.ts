import { createHmac, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { DB } from '../../../src/platform/database/tables.ts';
import type { Player, TestApp } from '../app.ts';
import { notify, type Signing } from './webhooks.ts';

const DEPOSIT_SECRET = 'sandbox-payment-webhook-secret';
export const DEPOSIT_HOOK = '/webhooks/payments/sandbox/deposit';

/** Returns a new random transaction hash. */
export const aHash = () => randomBytes(32).toString('hex');

type On = { currencyId?: string; networkId?: string; memo?: string | null };

/** Stores a deposit address for a player without calling a provider. */
export async function giveAddress(db: Kysely<DB>, userId: number, on: On = {}): Promise<string> {
  const { currencyId = 'USDT', networkId = 'tron', memo = null } = on;
  const address = `T${randomBytes(16).toString('hex')}`;
  await db
    .insertInto('deposit_addresses')
    .values({
      user_id: userId,
      currency_id: currencyId,
      network_id: networkId,
      provider_id: 'sandbox',
      address,
      address_key: address,
      memo,
      external_id: null,
    })
    .execute();
  return address;
}

/** Returns the sandbox provider's webhook that reports 25 USDT received at an address. */
export const webhookOf = (payAddress: string, fields: object = {}) => ({
  externalId: randomBytes(8).toString('hex'),
  status: 'COMPLETED',
  payAddress,
  currencyId: 'USDT',
  networkId: 'tron',
  amount: '25',
  txHash: aHash() as string | undefined,
  confirmations: 20,
  occurredAt: new Date().toISOString(),
  ...fields,
});

/** Sends a signed webhook to a service. */
export const tell = (app: Pick<TestApp, 'call'>, body: object, signing: Partial<Signing> = {}) =>
  notify(app, DEPOSIT_HOOK, body, { secret: DEPOSIT_SECRET, ...signing });

/** Returns a player's deposits, newest first. */
export const depositsOf = async (player: Player, query = '') =>
  (await player.call('GET', `/payments/deposit${query}`)).body.data as Record<string, any>[];

const IPN_SECRET = 'sandbox-nowpayments-ipn-secret';
let payments = 6_000_000_000;

/** Settings that enable the NOWPayments dialect in a test. */
export const NOWPAYMENTS_ENV = {
  NOWPAYMENTS_API_KEY: 'sandbox-nowpayments-key',
  NOWPAYMENTS_EMAIL: 'money@croupier.test',
  NOWPAYMENTS_PASSWORD: 'only-nowpayments-knows-this',
};

/** A payment of 25 USDT on Tron in the NOWPayments dialect, with a new id. */
export const paymentTo = (pay_address: string, fields: object = {}) => ({
  payment_id: ++payments,
  payment_status: 'finished',
  pay_address,
  pay_currency: 'usdttrc20',
  actually_paid: 25,
  updated_at: Date.now(),
  ...fields,
});

/** Sends a NOWPayments webhook, signed over its sorted document. */
export function notifyPayment(app: Pick<TestApp, 'call'>, body: Record<string, unknown>) {
  const sorted = Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)));
  const signature = createHmac('sha512', IPN_SECRET).update(JSON.stringify(sorted)).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-nowpayments-sig': signature };
  return app.call('POST', '/webhooks/payments/nowpayments/deposit', { raw: JSON.stringify(body), headers });
}
