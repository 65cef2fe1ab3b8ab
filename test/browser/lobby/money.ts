import { equal, ok } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { newMember } from '../roles.ts';
import { insist } from '../verify.ts';
import { balanceAgrees, card, linkOf, OUTCOME, said, send, signUp } from './kit.ts';
import type { Place, Steps } from './steps.ts';

export const moneySteps: Steps = {
  'the whole way: sign-up, mail, deposit, a bet, identity, withdrawal, each as soon as it happens':
    theWholeWay,
};

const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

async function theWholeWay(page: Page, { browser, platform }: Place): Promise<void> {
  const { api } = platform;
  const { email } = await signUp(page, api);
  await page.goto(await linkOf(platform, { to: email, page: 'verify-email' }));
  await said(page, 'Your e-mail is verified.');
  await deposit(page, platform);
  await moveToTheVault(page, api);
  await bet(page, api);
  await provesIdentity(page, platform);
  await withdraw(page, { browser, platform });
}

/** The sandbox sends coins to the address on the page, and the progress of the deposit appears without a reload. */
async function deposit(page: Page, { api, sandbox }: Place['platform']): Promise<void> {
  await page.goto(`${api}/play/wallet/deposit`);
  await page.locator('select[name=currencyId]').selectOption('USDT');
  await page.getByLabel('Network').selectOption('tron');
  await page.getByRole('img', { name: 'QR code of the address' }).waitFor();
  const address = (await page.locator('.pay code').first().innerText()).trim();
  await page.getByText('● live').waitFor();
  const coins = { address, currencyId: 'USDT', networkId: 'tron', amount: '25' };
  const answer = await fetch(`${sandbox}/payments/coins`, { method: 'POST', body: JSON.stringify(coins) });
  ok(answer.ok, await answer.text());
  const row = card(page, 'Your last deposits').locator('tbody tr');
  await row.filter({ hasText: 'completed' }).filter({ hasText: '25 USDT' }).waitFor();
  equal(await balanceAgrees(page, api), '25');
}

async function moveToTheVault(page: Page, api: string): Promise<void> {
  await page.goto(`${api}/play/wallet`);
  const into = card(page, 'Into the vault');
  await into.getByLabel('Amount').fill('10');
  await into.getByRole('button', { name: 'Into the vault' }).click();
  await said(page, 'Moved');
  equal(await balanceAgrees(page, api), '15');
  const out = card(page, 'Out of the vault');
  await out.getByLabel('Amount').fill('10');
  await out.getByRole('button', { name: 'Out of the vault' }).click();
  await insist(async () => equal(await balanceAgrees(page, api), '25'));
}

/** Places bets, because deposits must be wagered before a withdrawal. */
async function bet(page: Page, api: string): Promise<void> {
  await send(page, 'GET', `${api}/debug/me/give-money?amount=100`);
  await page.goto(`${api}/play/games/dice`);
  await page.getByLabel('Stake').fill('25');
  await page.getByRole('button', { name: 'Bet', exact: true }).click();
  await said(page, OUTCOME);
  const { data } = await send(page, 'GET', `${api}/bets`);
  equal(data.length, 1);
  await balanceAgrees(page, api);
  const eligibility = `${api}/payments/withdraw/eligibility?currencyId=USDT`;
  await insist(async () => equal((await send(page, 'GET', eligibility)).canWithdraw, true));
}

/** Enters personal data on the page. The document is sent to the provider, whose decision appears without a reload. */
async function provesIdentity(page: Page, { api, sandbox }: Place['platform']): Promise<void> {
  await page.goto(`${api}/play/wallet/identity`);
  await page.getByLabel('First name').fill('Robin');
  await page.getByLabel('Last name').fill('Meier');
  await page.getByLabel('Birthday').fill('1990-02-28');
  await page.getByLabel('Country').selectOption('DE');
  await page.getByLabel('City').fill('Bremen');
  await page.getByLabel('Street and number').fill('Am Wall 1');
  await page.getByLabel('Postal code').fill('28195');
  await page.getByRole('button', { name: 'Send it' }).click();
  const document = card(page, 'Identity document');
  await document.getByRole('button', { name: 'Show documents' }).click();
  await document.getByRole('status').filter({ hasText: 'session at the provider is open' }).waitFor();
  await page.getByText('● live').waitFor();
  const { id: userId } = await send(page, 'GET', `${api}/user/me`);
  const decision = { userId, tier: 'IDENTITY', status: 'APPROVED' };
  const answer = await fetch(`${sandbox}/kyc/decide`, { method: 'POST', body: JSON.stringify(decision) });
  ok(answer.ok, await answer.text());
  await document.getByText('approved').waitFor();
}

async function withdraw(page: Page, { browser, platform }: Place): Promise<void> {
  const { api } = platform;
  await page.goto(`${api}/play/wallet/withdraw`);
  const form = card(page, 'Withdraw');
  await form.getByLabel('Network').selectOption('tron');
  await form.getByLabel('Address to send to').fill(ADDRESS);
  await form.getByLabel('Amount').fill('40');
  await form.getByRole('button', { name: 'See the fee' }).click();
  const question = page.getByRole('dialog');
  await question.getByText(ADDRESS).waitFor();
  await question.getByRole('button', { name: 'Withdraw' }).click();
  await said(page, 'The withdrawal is requested');
  const row = card(page, 'Withdrawals').locator('tbody tr');
  await row.filter({ hasText: '40 USDT' }).waitFor();
  await balanceAgrees(page, api);
  await page.getByText('● live').waitFor();
  const { data } = await send(page, 'GET', `${api}/payments/withdraw`);
  if (data[0].status === 'WAITING_FOR_APPROVAL') await approve(browser, platform, data[0].id);
  await row.filter({ hasText: 'completed' }).waitFor();
  await balanceAgrees(page, api);
  await row.getByText(/steps?$/).click();
  await row.locator('.timeline').getByText('sent', { exact: false }).first().waitFor();
}

async function approve(browser: Browser, platform: Place['platform'], id: string): Promise<void> {
  const { email, password } = await newMember(platform, 'FINANCE');
  const context = await browser.newContext();
  try {
    const staff = await context.newPage();
    await send(staff, 'POST', `${platform.api}/auth/sign-in`, { email, password });
    await send(staff, 'POST', `${platform.api}/admin/payments/withdraw/approve`, { id });
  } finally {
    await context.close();
  }
}
