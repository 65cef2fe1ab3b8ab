/** Shared by tests of the lobby: the names of parts that every page has, and the way into an account. */
import { expect, type Locator, type Page } from '@playwright/test';
import { formatUnits, units } from '../../../src/platform/money.ts';
import type { Platform, SignIn } from '../platform.ts';
import { type Account, type Bet, betsOf, cashOf, newAccount, type Player } from '../users.ts';

/** The header of every page. */
export function header(page: Page) {
  const account = page.getByRole('navigation', { name: 'Account' });
  return {
    user: (name: string): Locator => account.getByRole('link', { name }),
    signIn: account.getByRole('link', { name: 'Sign in' }),
    signOut: account.getByRole('button', { name: 'Sign out' }),
    balance: page.getByRole('banner').getByRole('link', { name: 'Wallet' }),
    live: page.getByText('● live'),
    notLive: page.getByText('○ not live'),
  };
}

export const menuLink = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: true });

/** The heading that replaces games and offers for excluded players. */
export const playHasEnded = (page: Page): Locator => page.getByRole('heading', { name: 'Play has ended' });

/** The form that opens an account. After a sign-in at an identity provider it has no password. */
export async function fillSignUp(
  page: Page,
  { username, email, password }: Omit<Account, 'password'> & { password?: string },
) {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('E-mail', { exact: true }).fill(email);
  if (password) await page.getByLabel('Password, eight').fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
}

/** Opens an account, and stays signed in. */
export async function signUp(page: Page): Promise<Account> {
  const account = newAccount();
  await page.goto('/play/sign-up');
  await fillSignUp(page, account);
  await expect(header(page).user(account.username)).toBeVisible();
  return account;
}

export async function enterPassword(page: Page, { email, password }: SignIn): Promise<void> {
  await page.goto('/play/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function signIn(page: Page, account: Account): Promise<void> {
  await enterPassword(page, account);
  await expect(header(page).user(account.username)).toBeVisible();
}

export async function signOut(page: Page): Promise<void> {
  await header(page).signOut.click();
  await expect(header(page).signIn).toBeVisible();
}

/** Opens a page, and waits until its socket is connected. */
export async function openLive(page: Page, path: string): Promise<void> {
  await page.goto(`/play${path}`);
  await expect(header(page).live).toBeVisible();
}

/** Waits for an email in the sandbox's inbox. Returns its link to the given page of the lobby. */
export async function mailedLink({ api, sandbox }: Platform, to: string, path: string): Promise<string> {
  let link: string | undefined;
  await expect(async () => {
    const inbox = await fetch(`${sandbox}/inbox.json?to=${encodeURIComponent(to)}`);
    const links = ((await inbox.json()) as { text: string }[]).flatMap(
      ({ text }) => text.match(/https?:\/\/\S+/g) ?? [],
    );
    link = links.find((one) => one.startsWith(`${api}/play/${path}#token=`));
    expect(link, `links in mails to ${to}: ${links}`).toBeDefined();
  }).toPass();
  return link!;
}

/** Waits until the header shows a player's cash. Returns the cash. */
export async function expectBalance(page: Page, cash: () => Promise<string>): Promise<string> {
  let amount = '';
  await expect(async () => {
    amount = await cash();
    const shown = await header(page).balance.innerText({ timeout: 1000 });
    expect(shown.replace(/[^\d.]/g, '')).toBe(amount);
  }).toPass();
  return amount;
}

/**
 * Waits until the header shows the player's cash, and the cash is the initial money plus the net result of the bets. Returns the bets,
 * newest first.
 */
export async function expectBooks(page: Page, { call, money }: Player): Promise<Bet[]> {
  let bets: Bet[] = [];
  await expectBalance(page, async () => {
    bets = await betsOf(call);
    const cash = await cashOf(call);
    const net = bets.reduce((sum, { amount, payout }) => sum + units(payout) - units(amount), 0n);
    expect(cash, `cash after ${bets.length} bets`).toBe(formatUnits(units(money) + net));
    return cash;
  });
  return bets;
}
