import { expect } from 'vitest';
import { PATIENCE, type Player, type StartOptions, startApp, type TestApp } from './app.ts';
import { giveAddress, tell, webhookOf } from './deposits.ts';
import { fixture } from './fixture.ts';
import { anAddress } from './visitors.ts';

/** A service that believes what tests say of addresses: each player may come from one of their own. */
export const startPromo = (options: StartOptions = {}) =>
  startApp({ ...options, env: { ...PATIENCE, TRUSTED_PROXIES: '127.0.0.1', ...options.env } });

/** Ten dollars of cash for whoever has the code, to be wagered once. */
export const CASH = {
  name: 'Ten for you',
  type: 'CODE',
  reward: { kind: 'CASH', currencyId: 'USDT', amount: '10' },
  wagerMultiplier: 1,
} as const;
/** Bonus money of ten dollars, to be wagered ten times. */
export const BONUS = {
  ...CASH,
  name: 'Ten to play with',
  reward: { kind: 'BONUS', currencyId: 'USDT', amount: '10' },
  wagerMultiplier: 10,
} as const;
/** Half of the next deposit. */
export const HALF = {
  ...BONUS,
  name: 'Half on top',
  type: 'DEPOSIT',
  reward: { kind: 'BONUS', currencyId: 'USDT', percent: 50, maxAmount: '100' },
} as const;

export const PROMO_STAFF = { permissions: ['promo.read', 'promo.write'] };

/** For all tests of a file: a service as startPromo starts it, and a member of staff for promotions. */
export const promoFixture = () => {
  const app = fixture(() => startPromo());
  return { app, staff: fixture(() => app.as(PROMO_STAFF)) };
};

/** A promotion that staff has set up and started; answers its id. */
export async function newPromo(staff: Player, fields: object = {}): Promise<string> {
  const made = await staff.call('POST', '/admin/promo', { body: { ...CASH, ...fields } });
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201, body: { status: 'DRAFT' } });
  const { id } = made.body;
  expect(await setStatus(staff, id, 'ACTIVE')).toMatchObject({ status: 201, body: { status: 'ACTIVE' } });
  return id;
}

export const setStatus = (staff: Player, id: string, status: string) =>
  staff.call('POST', `/admin/promo/${id}/status`, { body: { status, reason: 'a test' } });

/** Codes of it. */
export async function newCodes(staff: Player, id: string, wanted: object = {}): Promise<string[]> {
  const made = await staff.call('POST', `/admin/promo/${id}/codes`, {
    body: { kind: 'UNIVERSAL', ...wanted },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.codes;
}

/** Redeems a code, or an offer by its id, from an address of the player's own. */
export const redeem = (player: Player, body: object, headers: Record<string, string> = {}) =>
  player.call('POST', '/promo/redeem', { body, headers: { 'x-forwarded-for': anAddress(), ...headers } });

/** Pays in USDT, through the provider. */
export async function deposit(app: TestApp, { id }: Player, amount: string): Promise<void> {
  const known = await app.db
    .selectFrom('deposit_addresses')
    .select('address')
    .where('user_id', '=', id)
    .executeTakeFirst();
  const address = known?.address ?? (await giveAddress(app.db, id));
  expect((await tell(app, webhookOf(address, { amount }))).status).toBeLessThan(300);
}

/** "409 PROMO_EXHAUSTED", with the rule of a condition. */
export const refused = ({ status, body }: { status: number; body: any }) =>
  [status, body?.code, body?.details?.rule].filter((part) => part !== undefined).join(' ');
