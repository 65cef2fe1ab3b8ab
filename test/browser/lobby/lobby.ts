/** Shared by tests of the lobby: the names of parts that every page has, and the way into an account. */
import { expect, type Locator, type Page } from '@playwright/test';
import { formatUnits, type Units, units } from '../../../src/platform/money.ts';
import type { Platform, SignIn } from '../platform.ts';
import { type Account, type Bet, betsOf, cashOf, newAccount, type Player } from '../users.ts';

/** The header of every page. */
export function header(page: Page) {
  const account = page.getByRole('navigation', { name: 'Account' });
  return {
    /** Opens the menu of a player's account. */
    user: (name: string): Locator => account.getByRole('button', { name: `Account: ${name}` }),
    menu: account.getByRole('button', { name: /^Account:/ }),
    signIn: account.getByRole('link', { name: 'Sign in' }),
    signUp: account.getByRole('link', { name: 'Sign up' }),
    balance: page.getByRole('banner').getByRole('button', { name: /^Balance/ }),
    /** The playing session, while the socket is connected. */
    live: page.locator('.session.pill[data-live=true]'),
    notLive: page.locator('.session.pill').getByText('Reconnecting…'),
  };
}

export const menuLink = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main menu' }).first().getByRole('link', { name, exact: true });

/** The heading that replaces games and offers for excluded players. */
export const playHasEnded = (page: Page): Locator => page.getByRole('heading', { name: 'You’re on a break' });

/** The form that opens an account. After a sign-in at an identity provider it has no password. */
export async function fillSignUp(
  page: Page,
  { username, email, password }: Omit<Account, 'password'> & { password?: string },
) {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email', { exact: true }).fill(email);
  if (password) await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel(/^I am 18 or older/).check();
  await page.getByRole('button', { name: 'Create account' }).click();
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
  await fillSignIn(page, { email, password });
}

/** The form that signs in, in a dialog or in place of a page. */
export async function fillSignIn(page: Page, { email, password }: SignIn): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.locator('form').getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function signIn(page: Page, account: Account): Promise<void> {
  await enterPassword(page, account);
  await expect(header(page).user(account.username)).toBeVisible();
}

export async function signOut(page: Page): Promise<void> {
  await header(page).menu.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(header(page).signIn).toBeVisible();
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
    // The exact amount is the tooltip of the rounded one.
    const shown = header(page).balance.locator('.amount');
    expect(await shown.getAttribute('title', { timeout: 1000 })).toBe(`${amount} USDT`);
  }).toPass();
  return amount;
}

/** A player whose cash has changed by bets alone since it was `money`. */
export type Owner = Pick<Player, 'call' | 'money'>;

/**
 * Waits until the header shows the player's cash, and the cash is the initial money plus the net result of the bets. Returns the bets,
 * newest first.
 */
export async function expectBooks(page: Page, { call, money }: Owner): Promise<Bet[]> {
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

const CENT: Units = 1_000_000n;

/** The words of the pill, such as `Net −$54.00`. They round down, so a loss of 0.8316 is `Net −$0.84`. */
function netWords(bets: readonly Bet[]): string {
  const net = bets.reduce((sum, { amount, payout }) => sum + units(payout) - units(amount), 0n);
  const cents = net / CENT - (net % CENT < 0n ? 1n : 0n);
  const [sign, size] = cents < 0n ? ['−', -cents] : [cents > 0n ? '+' : '', cents];
  return `Net ${sign}$${(Number(size) / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`;
}

/** Waits until the playing session has the net result of these bets. */
export const expectNet = (page: Page, bets: readonly Bet[]): Promise<void> =>
  expect(page.locator('.session').getByText(netWords(bets), { exact: true }).first()).toBeAttached();
