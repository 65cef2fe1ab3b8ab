import { expect } from 'vitest';
import { createProviders } from '../../src/modules/money/payments/providers/registry.ts';
import { createWithdrawals } from '../../src/modules/money/payments/withdrawals/service.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Player, startApp, type TestApp } from './app.ts';
import { startOutside } from './outside.ts';
import { paymentsAt } from './payments.ts';
import { notify, type Signing } from './webhooks.ts';

/** Addresses of the networks, each with a good checksum. */
export const RECIPIENTS = {
  tron: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  bitcoin: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  ethereum: '0x52908400098527886E0F7030069857D2E4169EE7',
  ripple: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
} as const;

/** 10 USDT to somebody on tron, of which the fee takes 1. */
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

/** A player who has asked for 10 USDT: their withdrawal waits. */
export async function waiting(app: TestApp, fields: object = {}, usdt = 100) {
  const player = await app.newPlayer({ usdt });
  const answer = await withdraw(player, fields);
  expect(answer.status, answer.text).toBe(201);
  return { player, id: answer.body.id as string };
}

/** The row as it is stored. */
export const rowOf = (app: TestApp, id: string) =>
  app.db.selectFrom('withdrawals').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

export const statusOf = async (app: TestApp, id: string) => (await rowOf(app, id)).status;

/** As if the time had come to look at these withdrawals again. */
export const makeDue = (app: TestApp, ids: readonly string[]) =>
  app.db
    .updateTable('withdrawals')
    .set({ check_at: new Date(0) })
    .where('id', 'in', [...ids])
    .where('check_at', 'is not', null)
    .execute();

/** Money out in a process of its own, which waits so long for its provider and has not yet learnt that it does not answer. */
export function anotherSender(app: TestApp, timeoutMs = 250, isDevelopment = true) {
  const { services } = app;
  const log = services.log.named('payments');
  return createWithdrawals({
    ...services,
    log,
    clock: systemClock,
    config: { ...services.config, isDevelopment },
    providers: createProviders({ ...services, log, timeoutMs }),
  });
}

/** Cash and hold of a player. */
export async function moneyOf(app: TestApp, { id }: Pick<Player, 'id'>, currencyId = 'USDT') {
  const row = await app.db
    .selectFrom('wallets')
    .select(['cash', 'hold'])
    .where('user_id', '=', id)
    .where('currency_id', '=', currencyId)
    .executeTakeFirst();
  return { cash: Number(row?.cash ?? 0) / 1e8, hold: Number(row?.hold ?? 0) / 1e8 };
}

/** The legs of a withdrawal in their order. */
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

/** What a provider says of a payout. */
export const said = (reference: string, status: string, fields: object = {}) => ({
  externalId: `x-${reference}`,
  reference,
  status,
  confirmations: 0,
  occurredAt: new Date().toISOString(),
  ...fields,
});

/** A service whose provider is a sandbox of its own, and a superadmin. */
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
    /** Tells the service, signed. */
    tell: (body: object | string, signing: Partial<Signing> = {}) =>
      notify(app, PAYOUT_HOOK, body, { secret: SECRET, ...signing }),
    /** What the provider has under a name. */
    booked: async (reference: string) =>
      (await sandbox.books()).payouts.filter((payout) => payout.reference === reference),
    /** Approved and not sent yet. */
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
