import { expect } from 'vitest';
import { approversOf, PATIENCE, type Player, type StartOptions, startApp, type TestApp } from '../app.ts';
import { fixture } from '../fixture.ts';
import { letOneAdjust } from '../money/adjustments.ts';
import { giveAddress, tell, webhookOf } from '../money/deposits.ts';
import { anAddress } from '../processes/visitors.ts';

/**
 * Starts a service that trusts forwarded addresses, so that each player can have a separate one. Its approval thresholds are so high that
 * one person can move any amount that needs approval only above a threshold.
 */
export async function startPromo(options: StartOptions = {}): Promise<TestApp> {
  const app = await startApp({
    ...options,
    env: { ...PATIENCE, TRUSTED_PROXIES: '127.0.0.1', ...options.env },
  });
  await letOneAdjust(app);
  return app;
}

/** A promotion with codes for ten dollars in cash, to be wagered once. */
export const CASH = {
  name: 'Ten for you',
  type: 'CODE',
  reward: { kind: 'CASH', currencyId: 'USDT', amount: '10' },
  wagerMultiplier: 1,
} as const;
/** A promotion of ten dollars in bonus money, to be wagered ten times. */
export const BONUS = {
  ...CASH,
  name: 'Ten to play with',
  reward: { kind: 'BONUS', currencyId: 'USDT', amount: '10' },
  wagerMultiplier: 10,
} as const;
/** A promotion that pays half of the next deposit. */
export const HALF = {
  ...BONUS,
  name: 'Half on top',
  type: 'DEPOSIT',
  reward: { kind: 'BONUS', currencyId: 'USDT', percent: 50, maxAmount: '100' },
} as const;

export const PROMO_STAFF = { permissions: ['promo.read', 'promo.write', 'promo.pay'] };

/** Shares a service from startPromo, and a staff member who manages promotions, among all tests of a file. */
export const promoFixture = () => {
  const app = fixture(() => startPromo());
  return { app, staff: fixture(() => app.as(PROMO_STAFF)) };
};

/** Creates a promotion as staff and starts it as two superadmins, so that its budget is approved. Returns its id. */
export async function newPromo(staff: Player, fields: object = {}): Promise<string> {
  const made = await staff.call('POST', '/admin/promo', { body: { ...CASH, ...fields } });
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201, body: { status: 'DRAFT' } });
  const { id } = made.body;
  await startByTwo(staff, id);
  return id;
}

/** Starts the promotion as two superadmins. */
export async function startByTwo(staff: Player, id: string): Promise<void> {
  const [one, other] = await approversOf(staff);
  const first = await setStatus(one, id, 'ACTIVE');
  if (first.status === 201) await setStatus(other, id, 'ACTIVE');
  else
    expect(await setStatus(other, id, 'ACTIVE')).toMatchObject({ status: 201, body: { status: 'ACTIVE' } });
}

export const setStatus = (staff: Player, id: string, status: string) =>
  staff.call('POST', `/admin/promo/${id}/status`, { body: { status, reason: 'a test' } });

/** Creates codes for a promotion. */
export async function newCodes(staff: Player, id: string, wanted: object = {}): Promise<string[]> {
  const made = await staff.call('POST', `/admin/promo/${id}/codes`, {
    body: { kind: 'UNIVERSAL', ...wanted },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.codes;
}

/** Redeems a code, or an offer by its id. The player has a separate IP address. */
export const redeem = (player: Player, body: object, headers: Record<string, string> = {}) =>
  player.call('POST', '/promo/redeem', { body, headers: { 'x-forwarded-for': anAddress(), ...headers } });

/** Makes a deposit in USDT through the provider. */
export async function deposit(app: TestApp, { id }: Player, amount: string): Promise<void> {
  const known = await app.db
    .selectFrom('deposit_addresses')
    .select('address')
    .where('user_id', '=', id)
    .executeTakeFirst();
  const address = known?.address ?? (await giveAddress(app.db, id));
  expect((await tell(app, webhookOf(address, { amount }))).status).toBeLessThan(300);
}

/** Returns the status and error code ("409 PROMO_EXHAUSTED"), followed by the failed rule if there is one. */
export const refused = ({ status, body }: { status: number; body: any }) =>
  [status, body?.code, body?.details?.rule].filter((part) => part !== undefined).join(' ');
