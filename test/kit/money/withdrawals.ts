import { expect } from 'vitest';
import { createProviders } from '../../../src/modules/money/payments/providers/registry.ts';
import { createWithdrawals } from '../../../src/modules/money/payments/withdrawals/service.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { type Player, startApp, type TestApp } from '../app.ts';
import { startOutside } from '../http/outside.ts';
import { paymentsAt } from './payments.ts';
import { notify, type Signing } from './webhooks.ts';

/** Addresses on each network with valid checksums. */
export const RECIPIENTS = {
  tron: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  bitcoin: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  ethereum: '0x52908400098527886E0F7030069857D2E4169EE7',
  ripple: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
} as const;

/** The request for a withdrawal of 10 USDT on Tron, which has a fee of 1 USDT. */
export const ORDER = {
  currencyId: 'USDT',
  networkId: 'tron',
  amount: '10',
  recipientAddress: RECIPIENTS.tron,
} as const;

export const withdraw = (
  player: Pick<Player, 'call'>,
  fields: object = {},
  headers: Record<string, string> = {},
) => player.call('POST', '/payments/withdraw', { body: { ...ORDER, ...fields }, headers });

export const cancel = (player: Pick<Player, 'call'>, id: string, headers: Record<string, string> = {}) =>
  player.call('POST', '/payments/withdraw/cancel', { body: { id }, headers });

type Decision = 'approve' | 'reject' | 'retry';

export const decide = (
  staff: Pick<Player, 'call'>,
  decision: Decision,
  id: string,
  headers: Record<string, string> = {},
) =>
  staff.call('POST', `/admin/payments/withdraw/${decision}`, {
    body: { id, ...(decision === 'reject' && { rejectReason: 'no' }) },
    headers,
  });

/** Creates a player whose withdrawal of 10 USDT waits for approval. */
export async function waiting(app: TestApp, fields: object = {}, usdt = 100) {
  const player = await app.newPlayer({ usdt });
  const answer = await withdraw(player, fields);
  expect(answer.status, answer.text).toBe(201);
  return { player, id: answer.body.id as string };
}

/** Returns the row of a withdrawal. */
export const rowOf = (app: TestApp, id: string) =>
  app.db.selectFrom('withdrawals').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

export const statusOf = async (app: TestApp, id: string) => (await rowOf(app, id)).status;

/** Makes these withdrawals due for their next check. */
export const makeDue = (app: TestApp, ids: readonly string[]) =>
  app.db
    .updateTable('withdrawals')
    .set({ check_at: new Date(0) })
    .where('id', 'in', [...ids])
    .where('check_at', 'is not', null)
    .execute();

/** Creates a separate withdrawals service, as another process would have, with the given provider timeout and no earlier failures. */
export function anotherSender(app: TestApp, timeoutMs = 250) {
  const { services } = app;
  const log = services.log.named('payments');
  return createWithdrawals({
    ...services.payments,
    referred: services.referred,
    clock: systemClock,
    providers: createProviders({ ...services, log, timeoutMs }),
  });
}

/** Returns a player's cash and hold balances. */
export async function moneyOf(app: TestApp, { id }: Pick<Player, 'id'>, currencyId = 'USDT') {
  const row = await app.db
    .selectFrom('wallets')
    .select(['cash', 'hold'])
    .where('user_id', '=', id)
    .where('currency_id', '=', currencyId)
    .executeTakeFirst();
  return { cash: Number(row?.cash ?? 0) / 1e8, hold: Number(row?.hold ?? 0) / 1e8 };
}

/** Returns the suffixes of the keys of a withdrawal's ledger entries, in order. */
export async function legsOf(app: TestApp, id: string): Promise<string[]> {
  const rows = await app.db
    .selectFrom('ledger_entries')
    .select('key')
    .where('key', 'like', `withdrawal:${id}:%`)
    .orderBy('id')
    .execute();
  return rows.map(({ key }) => key.split(':').slice(2).join(':'));
}

const SECRET = 'sandbox-payment-webhook-secret';
export const PAYOUT_HOOK = '/webhooks/payments/sandbox/withdrawal';

/** Returns a provider's report about a payout. */
export const said = (reference: string, status: string, fields: object = {}) => ({
  externalId: `x-${reference}`,
  reference,
  status,
  confirmations: 0,
  occurredAt: new Date().toISOString(),
  ...fields,
});

/** Starts a service that has its own sandbox provider and a superadmin. */
export async function startPayer() {
  const outside = await startOutside();
  const app = await startApp({ env: outside.env });
  outside.setApi(app.url);
  const sandbox = paymentsAt(outside.url);
  const boss = await app.as('superadmin');
  return {
    outside,
    app,
    sandbox,
    boss,
    /** Sends a signed webhook to the service. */
    tell: (body: object | string, signing: Partial<Signing> = {}) =>
      notify(app, PAYOUT_HOOK, body, { secret: SECRET, ...signing }),
    /** Returns the provider's payouts with this reference. */
    booked: async (reference: string) =>
      (await sandbox.books()).payouts.filter((payout) => payout.reference === reference),
    /** Creates an approved withdrawal that is not sent yet. */
    async approved() {
      const made = await waiting(app);
      expect((await decide(boss, 'approve', made.id)).status).toBe(201);
      return made;
    },
    async stop() {
      await app.stop();
      await outside.close();
    },
  };
}
