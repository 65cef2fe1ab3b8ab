import { ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { asStaff } from '../growth.ts';
import { newMember } from '../roles.ts';
import type { Call } from '../verify.ts';
import type { Place } from './steps.ts';

export const aName = (prefix: string): string => `${prefix}_${randomBytes(5).toString('hex')}`;

/** Returns a function that calls the API as a new superadmin. */
export const staffOf = async ({ platform }: Place): Promise<Call> =>
  asStaff(platform.api, await newMember(platform, 'SUPERADMIN'));

/** Returns a function that calls the API with a browser's cookies. */
const callOf =
  (page: Page, { platform: { api } }: Place): Call =>
  async (method, path, data) => {
    const headers = { origin: api, 'x-captcha-token': 'local-captcha' };
    const answer = await page.request.fetch(api + path, { method, headers, ...(data && { data }) });
    const text = await answer.text();
    ok(answer.ok(), `${method} ${path}: ${answer.status()} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };

type Guest = { call: Call; username: string; id: number };

/** Creates a test account with a verified email address and play money, signed in to a page's browser. */
export async function aGuest(page: Page, place: Place, money = '100'): Promise<Guest> {
  const call = callOf(page, place);
  const username = aName('o');
  const account = { email: `${username}@mail.example`, password: `pw ${randomBytes(9).toString('hex')}` };
  const balances = money === '0' ? [] : [{ currencyId: 'USDT', amount: money }];
  await call('POST', '/debug/user/create', { username, ...account, emailVerified: true, balances });
  await call('POST', '/auth/sign-in', account);
  const { id } = await call('GET', '/user/me');
  return { call, username, id };
}

/** Creates a player by a regular sign-up, with money tipped by staff. Test accounts do not count in leaderboards. */
export async function aPlayer(page: Page, place: Place, boss: Call): Promise<Guest> {
  const call = callOf(page, place);
  const username = aName('o');
  const account = { email: `${username}@mail.example`, password: `pw ${randomBytes(9).toString('hex')}` };
  await call('POST', '/auth/sign-up', { username, ...account });
  const { id } = await call('GET', '/user/me');
  const tip = {
    recipientUserId: id,
    currencyId: 'USDT',
    amount: '100',
    notes: 'To play with.',
    tag: 'goodwill',
  };
  await boss('POST', '/admin/admin-tips', tip);
  return { call, username, id };
}

const isLive = (page: Page) => page.locator('.sitting').filter({ hasText: '● live' }).waitFor();

export async function open(page: Page, { platform }: Place, path: string): Promise<void> {
  await page.goto(`${platform.api}/play${path}`);
  await isLive(page);
}

/** Runs `work` as another player, in a separate browser context. */
export async function withSecond({ browser }: Place, work: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await work(page);
  } finally {
    await context.close();
  }
}
