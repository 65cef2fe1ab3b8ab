/** Creates players and staff members, and calls the API as them. */
import { randomBytes } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import type { Platform, SignIn } from './platform.ts';

/** Calls the API and returns the body. Throws if the status is not 2xx. */
export type Call = (method: string, path: string, body?: object) => Promise<any>;
export type Account = SignIn & { username: string };
/** `money` is the initial cash in USDT. */
export type Player = Account & { call: Call; socketToken: string; id: number; money: string };

type Coins = { currencyId: string; amount: string };

export const newName = (prefix: string): string => `${prefix}_${randomBytes(6).toString('hex')}`;

export function newAccount(): Account {
  const username = newName('b');
  return { username, email: `${username}@mail.example`, password: `pw ${randomBytes(9).toString('hex')}` };
}

/** Without a captcha provider, any captcha token is accepted. */
const CAPTCHA = { 'x-captcha-token': 'local-captcha' };

/** Calls the API with an access token, or as an anonymous visitor. */
function callWith(api: string, token?: string): Call {
  return async (method, path, body) => {
    const isForm = body instanceof FormData;
    const headers = {
      ...CAPTCHA,
      ...(body && !isForm && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const sent = isForm ? body : body && JSON.stringify(body);
    const response = await fetch(api + path, { method, headers, ...(sent && { body: sent }) });
    return bodyOf(`${method} ${path}`, response.status, await response.text());
  };
}

/** Calls the API with the cookies of a page's browser. The browser stores the cookies of the response. */
export function callFrom(page: Page, api: string): Call {
  return async (method, path, data) => {
    const headers = { ...CAPTCHA, origin: api };
    const response = await page.request.fetch(api + path, { method, headers, ...(data && { data }) });
    return bodyOf(`${method} ${path}`, response.status(), await response.text());
  };
}

function bodyOf(operation: string, status: number, text: string): any {
  if (status >= 300) throw new Error(`${operation}: ${status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Returns the error's message if the API rejects a call. */
export const rejection = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'accepted',
    (error: Error) => error.message,
  );

type NewPlayer = { money?: string; coins?: readonly Coins[]; isVerified?: boolean; page?: Page };

/**
 * Creates a test account with an email address, which is verified by default, USDT and other coins. Signs it in, in the page's browser if
 * there is one.
 */
export async function newPlayer(
  { api }: Platform,
  { money = '1000', coins = [], isVerified = true, page }: NewPlayer = {},
): Promise<Player> {
  const account = newAccount();
  const balances = [...(Number(money) > 0 ? [{ currencyId: 'USDT', amount: money }] : []), ...coins];
  await callWith(api)('POST', '/debug/user/create', { ...account, emailVerified: isVerified, balances });
  const { email, password } = account;
  const session = await visitor(api, page)('POST', '/auth/sign-in', { email, password });
  if (page) await rememberSignIn(page, api);
  return { ...account, ...(await playerOf(api, session)), money };
}

/**
 * Creates a player by a regular sign-up, with 100 USDT that a staff member tips. Test accounts cannot win challenges and do not count in
 * leaderboards.
 */
export async function signUpPlayer(
  { api }: Platform,
  staff: Call,
  { affiliateCode, page }: { affiliateCode?: string; page?: Page } = {},
): Promise<Player> {
  const account = newAccount();
  const body = { ...account, ...(affiliateCode && { affiliateCode }) };
  const player = await playerOf(api, await visitor(api, page)('POST', '/auth/sign-up', body));
  if (page) await rememberSignIn(page, api);
  const tip = { currencyId: 'USDT', amount: '100', notes: 'To play with, until the next deposit.' };
  await staff('POST', '/admin/admin-tips', { recipientUserId: player.id, tag: 'goodwill', ...tip });
  return { ...account, ...player, money: tip.amount };
}

/** Marks the browser as one in which a player has signed in, as the lobby does. Pages then wait for the player before they are shown. */
async function rememberSignIn(page: Page, api: string): Promise<void> {
  const tab = await page.context().newPage();
  await tab.goto(`${api}/art/tile-dice.svg`);
  await tab.evaluate(`localStorage.setItem('wasSignedIn', 'true')`);
  await tab.close();
}

const visitor = (api: string, page?: Page): Call => (page ? callFrom(page, api) : callWith(api));

type Session = { accessToken: { token: string }; socketToken: { token: string } };

async function playerOf(api: string, { accessToken, socketToken }: Session) {
  const call = callWith(api, accessToken.token);
  const { id } = await call('GET', '/user/me');
  return { call, id: id as number, socketToken: socketToken.token };
}

/** Creates a staff member with these roles. */
export const newStaff = (platform: Platform, ...roles: string[]): Promise<Account> =>
  createStaff(platform, newAccount(), roles);

export async function createStaff<A extends Account>(
  { api, debugToken }: Platform,
  account: A,
  roles: readonly string[],
): Promise<A> {
  const response = await fetch(`${api}/debug/user/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-debug-token': debugToken },
    body: JSON.stringify({ ...account, roles }),
  });
  bodyOf('POST /debug/user/create', response.status, await response.text());
  return account;
}

export async function callAs({ api }: Platform, { email, password }: SignIn): Promise<Call> {
  const { accessToken } = await callWith(api)('POST', '/auth/sign-in', { email, password });
  return callWith(api, accessToken.token);
}

/** Returns a player's cash. */
export async function cashOf(call: Call): Promise<string> {
  const balances = await call('GET', '/accounting/balances');
  return balances.find(({ currencyId }: { currencyId: string }) => currencyId === 'USDT').amount;
}

export type Bet = { id: string; status: string; amount: string; payout: string; game: { slug: string } };

/** Returns all bets of a player, newest first. */
export async function betsOf(call: Call): Promise<Bet[]> {
  const bets: Bet[] = [];
  for (let page = 1; ; page++) {
    const { data, totalPages } = await call('GET', `/bets?take=20&page=${page}`);
    bets.push(...data);
    if (page >= totalPages) return bets;
  }
}

const DICE = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true };

export const betOnDice = (call: Call, changed: Partial<typeof DICE> = {}): Promise<any> =>
  call('POST', '/casino/games/house/dice/bet', { ...DICE, ...changed });

type Game = { slug: string; name: string; provider: { slug: string } };

/** Waits for a slot of the sandbox. The platform imports the games of providers soon after the start. */
export async function importedSlot(call: Call): Promise<Game> {
  let slot: Game | undefined;
  await expect(async () => {
    const { data }: { data: Game[] } = await call('GET', '/casino/games?name=Seven%20Orchards');
    slot = data.find(({ provider }) => provider.slug === 'sandbox');
    expect(slot).toBeDefined();
  }).toPass();
  return slot!;
}
