import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { formatUnits, units } from '../../../src/platform/money.ts';
import { type Call, insist } from '../verify.ts';
import type { Place } from './steps.ts';

type Bet = { id: string; status: string; amount: string; payout: string; game: { slug: string } };
export type Books = { cash: string; bets: readonly Bet[] };

const CURRENCY = 'USDT';
const OPENING = 1000;

/** Collects the browser's errors and policy violations. A 404 for a missing round is expected. */
export function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    const { url } = message.location();
    const isAnswer = /house\/(mines\/board|monkey-run\/game)$/.test(url);
    if (message.type() === 'error' && !isAnswer) complaints.push(`${message.text()} ${url}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

/**
 * Signs in a new player with test money in a page's browser. Returns a function that calls the API as the player, and one that reads their
 * books.
 */
export async function newPlayer(page: Page, { api }: Place['platform']) {
  const sent = await page
    .context()
    .request.post(`${api}/debug/auth/login/l_${randomBytes(6).toString('hex')}`, {
      headers: { origin: api },
    });
  const { accessToken } = await sent.json();
  const call: Call = async (method, path, body) => {
    const answer = await fetch(api + path, {
      method,
      headers: {
        authorization: `Bearer ${accessToken.token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    const text = await answer.text();
    return text === '' ? undefined : JSON.parse(text);
  };
  await call('GET', `/debug/me/give-money?amount=${OPENING}`);
  return { call, books: () => booksOf(call) };
}

/** Returns cash and bets. Throws if the cash differs from the initial money plus the net result of the bets. */
async function booksOf(call: Call): Promise<Books> {
  const bets = await everyBet(call);
  const balances = await call('GET', '/accounting/balances');
  const cash = balances.find(({ currencyId }: { currencyId: string }) => currencyId === CURRENCY).amount;
  const net = bets.reduce((sum, { amount, payout }) => sum + units(payout) - units(amount), 0n);
  const expected = formatUnits(units(String(OPENING)) + net);
  ok(expected === cash, `${cash} in the wallet, ${expected} by ${bets.length} bets`);
  return { cash, bets };
}

/** Returns all bets, newest first. */
async function everyBet(call: Call): Promise<Bet[]> {
  const bets: Bet[] = [];
  for (let page = 1; ; page++) {
    const { data, totalPages } = await call('GET', `/bets?take=20&page=${page}`);
    bets.push(...data);
    if (page >= totalPages) return bets;
  }
}

const shownBalance = async (page: Page) =>
  (await page.locator('.money .amount').innerText()).replaceAll(/\s/g, '');

/** Waits until the displayed balance matches the balance of the API and of the books. */
export const agree = (page: Page, books: () => Promise<Books>): Promise<Books> =>
  insist(async () => {
    const found = await books();
    const shown = await shownBalance(page);
    ok(shown === found.cash, `the page shows ${shown} instead of ${found.cash}`);
    return found;
  });

/** Presses Tab until an element that matches the selector has the focus. */
export async function reach(page: Page, selector: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const isThere = () =>
    page.evaluate((wanted) => {
      const at = (globalThis as any).document.activeElement;
      return at?.matches(wanted) === true;
    }, selector);
  for (let n = 0; !(await isThere()); n++) {
    ok(n < 90, `${key} does not lead to ${selector}`);
    await page.keyboard.press(key);
  }
}

/** Waits for the game's next announcement, which differs from the previous one. */
export async function outcome(page: Page, before: string): Promise<string> {
  const said = page.locator('.said[role=status]');
  for (let n = 0; ; n++) {
    const text = (await said.innerText()).trim();
    if (text !== '' && text !== before) return text;
    ok(n < 600, `nothing is said after "${before}"`);
    await page.waitForTimeout(50);
  }
}

export function ok(isSo: boolean, message: string): asserts isSo {
  if (!isSo) throw new Error(message);
}
