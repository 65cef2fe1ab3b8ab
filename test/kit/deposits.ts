import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { DB } from '../../src/platform/database.ts';
import type { Player, TestApp } from './app.ts';
import { notify, type Signing } from './webhooks.ts';

const DEPOSIT_SECRET = 'sandbox-payment-webhook-secret';
export const DEPOSIT_HOOK = '/webhooks/payments/sandbox/deposit';

/** The hash of a transaction that nobody has seen. */
export const aHash = () => randomBytes(32).toString('hex');

type On = { currencyId?: string; networkId?: string; memo?: string | null };

/** An address of a player without asking a provider for one. */
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

/** What the sandbox's provider would say of 25 USDT that came to an address. */
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

/** Tells a service of it, signed. */
export const tell = (app: Pick<TestApp, 'call'>, body: object, signing: Partial<Signing> = {}) =>
  notify(app, DEPOSIT_HOOK, body, { secret: DEPOSIT_SECRET, ...signing });

/** A player's own list, newest first. */
export const depositsOf = async (player: Player, query = '') =>
  (await player.call('GET', `/payments/deposit${query}`)).body.data as Record<string, any>[];
