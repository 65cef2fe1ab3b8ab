import { expect } from 'vitest';
import { parseRate } from '../../../src/platform/money.ts';
import { type Answer, PATIENCE, type Player, type StartOptions, startApp, type TestApp } from '../app.ts';
import { letOneAdjust } from '../money/adjustments.ts';

export const IN_FRANCE = '82.64.0.1';

export async function startTips(options: StartOptions = {}): Promise<TestApp> {
  const app = await startApp({
    ...options,
    env: { TRUSTED_PROXIES: '127.0.0.1', ...PATIENCE, ...options.env },
  });
  await letOneAdjust(app);
  return app;
}

/** Performs a debug action on a test user. */
export async function act(app: TestApp, { id }: Player, action: string, params?: object): Promise<void> {
  const answer = await app.call('POST', '/debug/user/action', {
    body: { userId: id, action, ...(params ? { params } : {}) },
  });
  expect(answer.status, answer.text).toBeLessThan(300);
}

/** Creates a player who has a verified email address and cash in USDT. */
export async function newTipper(app: TestApp, usdt = 0): Promise<Player> {
  const player = await app.newPlayer({ usdt });
  await act(app, player, 'VERIFY_EMAIL');
  return player;
}

/** Sets the rate in US dollars for one unit of a currency, and waits until this process has loaded it. */
export async function setRate(app: TestApp, currencyId: string, rate: string): Promise<void> {
  const usd_rate = parseRate(rate)!;
  await app.db
    .updateTable('exchange_rates')
    .set({ usd_rate })
    .where('currency_id', '=', currencyId)
    .execute();
  await expect.poll(() => app.services.currencies.rateOf(currencyId).rate).toBe(usd_rate);
}

export const tip = (
  sender: Pick<Player, 'call'>,
  recipient: Pick<Player, 'username'>,
  fields: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> =>
  sender.call('POST', '/user-tips', {
    body: { recipientUsername: recipient.username, currencyId: 'USDT', amount: '2', ...fields },
    headers,
  });

export const limitsOf = async ({ call }: Pick<Player, 'call'>, headers: Record<string, string> = {}) => {
  const { status, body } = await call('GET', '/user-tips/limits', { headers });
  expect(status).toBe(200);
  return body;
};

/** Returns the status of a response, followed by the error code if the call failed. */
export const outcomeOf = ({ status, body }: Answer): string =>
  status < 300 ? `${status}` : `${status} ${body.code}`;
