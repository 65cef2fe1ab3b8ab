import { equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { insist } from '../verify.ts';
import type { Place } from './steps.ts';

export type Account = { username: string; email: string; password: string };

export function newAccount(): Account {
  const username = `l_${randomBytes(6).toString('hex')}`;
  return { username, email: `${username}@mail.example`, password: `pw ${randomBytes(9).toString('hex')}` };
}

/** Signs up in the lobby and stays signed in. */
export async function signUp(page: Page, api: string): Promise<Account> {
  const account = newAccount();
  await page.goto(`${api}/play/sign-up`);
  await page.getByLabel('Username').fill(account.username);
  await page.getByLabel('E-mail', { exact: true }).fill(account.email);
  await page.getByLabel('Password, eight').fill(account.password);
  await page.locator('form').getByRole('button', { name: 'Sign up' }).click();
  await isIn(page, account.username);
  return account;
}

/** Signs up without using the page, and adds 100 US dollars of play money. */
export async function arrive(page: Page, api: string): Promise<Account> {
  const account = newAccount();
  await send(page, 'POST', `${api}/auth/sign-up`, account);
  await send(page, 'GET', `${api}/debug/me/give-money?amount=100`);
  return account;
}

/** Sends a request with the page's cookies. Returns the body. */
export async function send(page: Page, method: string, url: string, data?: object): Promise<any> {
  const headers = { 'x-captcha-token': 'local-captcha', origin: new URL(url).origin };
  const answer = await page.request.fetch(url, { method, headers, ...(data ? { data } : {}) });
  const text = await answer.text();
  ok(answer.ok(), `${method} ${url}: ${answer.status()} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

export async function givePassword(page: Page, api: string, { email, password }: Account): Promise<void> {
  await page.goto(`${api}/play/sign-in`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.locator('form').getByRole('button', { name: 'Sign in', exact: true }).click();
}

export const isIn = (page: Page, username: string) =>
  page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: username }).waitFor();
export const isOut = (page: Page) =>
  page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Sign in' }).waitFor();

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await isOut(page);
}

/** Waits for an email in the sandbox's inbox. Returns the email's link to the given page of the lobby. */
export async function linkOf(
  { api, sandbox }: Place['platform'],
  { to, page }: { to: string; page: string },
): Promise<string> {
  return insist(async () => {
    const mails = (await (await fetch(`${sandbox}/inbox.json?to=${encodeURIComponent(to)}`)).json()) as {
      text: string;
    }[];
    const links = mails.flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? []);
    const found = links.find((link) => link.startsWith(`${api}/play/${page}#token=`));
    ok(found, `no mail to ${to} leads to ${page}: ${links}`);
    return found;
  });
}

/** Waits until the header shows the API's balance. */
export async function balanceAgrees(page: Page, api: string): Promise<string> {
  return insist(async () => {
    const balances = await send(page, 'GET', `${api}/accounting/balances`);
    const { amount } = balances.find(({ currencyId }: { currencyId: string }) => currencyId === 'USDT');
    const shown = await page.getByRole('link', { name: 'Wallet' }).first().innerText();
    equal(shown.replace(/[^\d.]/g, ''), amount);
    return amount;
  });
}

export const card = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
/** Matches the text of a bet's outcome. */
export const OUTCOME = /Lost\.|You get/;

export const said = (page: Page, words: string | RegExp) =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor();
