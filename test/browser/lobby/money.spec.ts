import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { card, dialog, notice } from '../parts.ts';
import { type Platform, tellSandbox } from '../platform.ts';
import { type Call, callAs, callFrom, cashOf, newStaff } from '../users.ts';
import { OUTCOME, openGame } from './game.ts';
import { expectBalance, header, mailedLink, signUp } from './lobby.ts';

const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

/** The sandbox sends coins to the address on the page, and the progress of the deposit appears without a reload. */
async function deposit(page: Page, platform: Platform): Promise<void> {
  await page.goto('/play/wallet/deposit');
  await page.getByRole('main').locator('select[name=currencyId]').selectOption('USDT');
  await page.getByLabel('Network').selectOption('tron');
  await expect(page.getByRole('img', { name: 'QR code of the address' })).toBeVisible();
  const address = (await page.locator('.pay code').first().innerText()).trim();
  await expect(header(page).live).toBeVisible();
  const coins = { address, currencyId: 'USDT', networkId: 'tron', amount: '25' };
  await tellSandbox(platform, '/payments/coins', coins);
  const row = card(page, 'Your last deposits').locator('tbody tr');
  await expect(row.filter({ hasText: 'completed' }).filter({ hasText: '25 USDT' })).toBeVisible();
}

async function useTheVault(page: Page, expectCash: (cash: string) => Promise<void>): Promise<void> {
  await page.goto('/play/wallet');
  const move = async (name: string) => {
    await card(page, name).getByLabel('Amount').fill('10');
    await card(page, name).getByRole('button', { name }).click();
  };
  await move('Into the vault');
  await expect(notice(page, 'Moved')).toBeVisible();
  await expectCash('15');
  await move('Out of the vault');
  await expectCash('25');
}

/** Deposits must be wagered before a withdrawal. */
async function wager(page: Page, call: Call): Promise<void> {
  await call('GET', '/debug/me/give-money?amount=100');
  const { stake, play } = await openGame(page, 'dice');
  await stake.fill('25');
  await play.click();
  await expect(notice(page, OUTCOME)).toBeVisible();
  expect((await call('GET', '/bets')).data).toHaveLength(1);
  await expectBalance(page, () => cashOf(call));
  const eligibility = () => call('GET', '/payments/withdraw/eligibility?currencyId=USDT');
  await expect.poll(eligibility, { timeout: 60_000 }).toMatchObject({ canWithdraw: true });
}

/** The player enters personal data on the page. The decision of the KYC provider appears without a reload. */
async function verifyIdentity(page: Page, platform: Platform, call: Call): Promise<void> {
  await page.goto('/play/wallet/identity');
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
  await expect(document.getByRole('status')).toContainText('session at the provider is open');
  await expect(header(page).live).toBeVisible();
  const { id: userId } = await call('GET', '/user/me');
  await tellSandbox(platform, '/kyc/decide', { userId, tier: 'IDENTITY', status: 'APPROVED' });
  await expect(document.getByText('approved')).toBeVisible();
}

async function withdraw(page: Page, platform: Platform, call: Call): Promise<void> {
  await page.goto('/play/wallet/withdraw');
  const form = card(page, 'Withdraw');
  await form.getByLabel('Network').selectOption('tron');
  await form.getByLabel('Address to send to').fill(ADDRESS);
  await form.getByLabel('Amount').fill('40');
  await form.getByRole('button', { name: 'See the fee' }).click();
  await expect(dialog(page).getByText(ADDRESS)).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Withdraw' }).click();
  await expect(notice(page, 'The withdrawal is requested')).toBeVisible();
  const row = card(page, 'Withdrawals').locator('tbody tr');
  await expect(row.filter({ hasText: '40 USDT' })).toBeVisible();
  await expectBalance(page, () => cashOf(call));
  await expect(header(page).live).toBeVisible();
  const { data } = await call('GET', '/payments/withdraw');
  if (data[0].status === 'WAITING_FOR_APPROVAL') {
    const staff = await callAs(platform, await newStaff(platform, 'FINANCE'));
    await staff('POST', '/admin/payments/withdraw/approve', { id: data[0].id });
  }
  await expect(row.filter({ hasText: 'completed' })).toBeVisible();
  await expectBalance(page, () => cashOf(call));
  await row.getByText(/steps?$/).click();
  await expect(row.locator('.timeline').getByText('sent', { exact: false }).first()).toBeVisible();
}

const DEVICES = {
  desktop: {},
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

for (const [device, options] of Object.entries(DEVICES))
  test.describe(device, () => {
    test.use(options);

    test(`leads from a sign-up on a ${device} through a deposit, a bet and KYC to a withdrawal`, async ({
      page,
      platform,
    }) => {
      const call = callFrom(page, platform.api);
      const expectCash = (cash: string) =>
        expect(async () => expect(await expectBalance(page, () => cashOf(call))).toBe(cash)).toPass();
      const { email } = await signUp(page);
      await page.goto(await mailedLink(platform, email, 'verify-email'));
      await expect(notice(page, 'Your e-mail is verified.')).toBeVisible();
      await deposit(page, platform);
      await expectCash('25');
      await useTheVault(page, expectCash);
      await wager(page, call);
      await verifyIdentity(page, platform, call);
      await withdraw(page, platform, call);
    });
  });
