import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { dialog } from '../parts.ts';
import { type Platform, tellSandbox } from '../platform.ts';
import { betOnDice, type Call, callAs, cashOf, newPlayer, newStaff } from '../users.ts';

const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
/** The last character does not fit the checksum. */
const WRONG_CHECKSUM = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv9';
/** Without an event, the pages read the state of payments every half minute. */
const LIVE = { timeout: 60_000 };

/** The wallet above a page. */
const walletOf = (page: Page): Locator => dialog(page).filter({ has: page.locator('.ways') });

async function openWallet(page: Page, part: string): Promise<Locator> {
  await page.goto(`/play/games?wallet=${part}`);
  return walletOf(page);
}

/** Selects one of several buttons. Their inputs are hidden. */
const choose = (part: Locator, name: string) =>
  part
    .locator('label')
    .filter({ hasText: new RegExp(`^${name}$`) })
    .click();

/** The tooltip of the balance in the top bar is the exact amount. */
const expectCash = (page: Page, cash: string) =>
  expect(page.getByRole('banner').locator('.purse .amount')).toHaveAttribute('title', `${cash} USDT`);

/** The sandbox sends coins to the address on the page, and the progress of the deposit appears without a reload. */
async function deposit(page: Page, platform: Platform): Promise<void> {
  const wallet = await openWallet(page, 'deposit');
  await choose(wallet, 'USDT');
  await choose(wallet, 'TRON');
  await expect(wallet.getByRole('img', { name: 'QR code of your address' })).toBeVisible();
  // The content is higher than a phone, but every part of the wallet stays in reach.
  for (const part of ['Overview', 'Vault', 'History'])
    await expect(wallet.getByRole('link', { name: part, exact: true })).toBeInViewport({ ratio: 1 });
  const address = (await wallet.locator('.address code').first().innerText()).trim();
  const coins = { address, currencyId: 'USDT', networkId: 'tron', amount: '25' };
  await tellSandbox(platform, '/payments/coins', coins);
  const row = wallet.locator('.movement').first();
  await expect(row).toContainText('Completed', LIVE);
  await expect(row).toContainText('25.00 USDT');
  await expect(wallet.getByText('25.00 USDT added to your balance')).toBeInViewport({ ratio: 1 });
  await expect(wallet.getByText('You need to wager 100% of a deposit')).toBeVisible();
}

async function useTheVault(page: Page): Promise<void> {
  const wallet = await openWallet(page, 'vault');
  await wallet.getByLabel('Amount').fill('10');
  await wallet.getByRole('button', { name: 'Move 10.00 USDT to vault' }).click();
  await expectCash(page, '15');
  await choose(wallet, 'Take out');
  await wallet.getByRole('button', { name: 'All', exact: true }).click();
  await wallet.getByRole('button', { name: 'Take 10.00 USDT out of vault' }).click();
  await expectCash(page, '25');
}

/** Deposits must be wagered before a withdrawal. */
async function wager(page: Page, call: Call): Promise<void> {
  const wallet = await openWallet(page, 'withdraw');
  await expect(wallet.getByText('Wager your deposit or finish your bonus first.')).toBeVisible();
  await call('GET', '/debug/me/give-money?amount=100');
  await betOnDice(call, { betAmount: '25' });
  const eligibility = () => call('GET', '/payments/withdraw/eligibility?currencyId=USDT');
  await expect.poll(eligibility, LIVE).toMatchObject({ canWithdraw: true });
}

/** The player enters personal data on the page. The decision of the KYC provider appears without a reload. */
async function verifyIdentity(page: Page, platform: Platform, userId: number): Promise<void> {
  await page.goto('/play/verification');
  await page.getByLabel('First name').fill('Robin');
  await page.getByLabel('Last name').fill('Meier');
  await page.getByLabel('Date of birth').fill('1990-02-28');
  await page.getByRole('button', { name: /^Country / }).click();
  await page.getByPlaceholder('Search').fill('Germany');
  await page.getByRole('option', { name: 'Germany' }).click();
  await page.getByLabel('City').fill('Bremen');
  await page.getByLabel('Street and number').fill('Am Wall 1');
  await page.getByLabel('Postal code').fill('28195');
  await page.getByRole('button', { name: 'Submit' }).click();
  const document = page.getByRole('region', { name: 'Identity document' });
  await document.getByRole('button', { name: 'Upload documents' }).click();
  await expect(document.getByRole('status')).toContainText('You can now upload your documents');
  await tellSandbox(platform, '/kyc/decide', { userId, tier: 'IDENTITY', status: 'APPROVED' });
  await expect(document.getByText('Verified', { exact: true })).toBeVisible(LIVE);
}

/** A wrong address is found at its field: its form in the browser, its checksum with the quote. */
async function orderTo(wallet: Locator): Promise<void> {
  await wallet.getByRole('button', { name: /^Network / }).click();
  await wallet.getByRole('option', { name: /^TRON/ }).click();
  const address = wallet.getByLabel('Address', { exact: true });
  const review = wallet.getByRole('button', { name: 'Review withdrawal' });
  await wallet.getByLabel('Amount').fill('40');
  await address.fill('notanaddress');
  await review.click();
  await expect(wallet.getByText('That isn’t a TRON address')).toBeVisible();
  await address.fill(WRONG_CHECKSUM);
  await review.click();
  await expect(wallet.locator('.problem')).toContainText('on this network');
  await address.fill(ADDRESS);
  await review.click();
  await expect(wallet.getByRole('heading', { name: 'Confirm withdrawal' })).toBeFocused();
  await expect(wallet.getByText(ADDRESS)).toBeVisible();
}

async function withdraw(page: Page, platform: Platform, call: Call): Promise<void> {
  const wallet = await openWallet(page, 'withdraw');
  await orderTo(wallet);
  await wallet.getByRole('button', { name: 'Withdraw 40.00 USDT' }).click();
  await expect(wallet.getByRole('status')).toContainText('Withdrawal requested');
  const row = wallet.locator('.movement');
  await expect(row).toContainText('40.00 USDT');
  await expectCash(page, await cashOf(call));
  const { data } = await call('GET', '/payments/withdraw');
  if (data[0].status === 'WAITING_FOR_APPROVAL') {
    const staff = await callAs(platform, await newStaff(platform, 'FINANCE'));
    await staff('POST', '/admin/payments/withdraw/approve', { id: data[0].id });
  }
  await expect(row.locator('summary')).toContainText('Completed', LIVE);
  await expect(row.getByRole('listitem').filter({ hasText: 'Sent' })).toBeVisible();
  await expectCash(page, await cashOf(call));
  await openWallet(page, 'withdraw');
  await expect(wallet.getByRole('button', { name: /^Network .*TRON/ })).toBeVisible();
}

const DEVICES = {
  desktop: {},
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

for (const [device, options] of Object.entries(DEVICES))
  test.describe(device, () => {
    test.use(options);

    test(`leads on a ${device} from a deposit through a bet and verification to a withdrawal`, async ({
      page,
      platform,
    }) => {
      const { call, id } = await newPlayer(platform, { page, money: '0' });
      await deposit(page, platform);
      await expectCash(page, '25');
      await useTheVault(page);
      await wager(page, call);
      await verifyIdentity(page, platform, id);
      await withdraw(page, platform, call);
    });
  });

test('says below the newest payments where the older ones are', async ({ page, platform }) => {
  await newPlayer(platform, { page, money: '0' });
  const wallet = await openWallet(page, 'deposit');
  await choose(wallet, 'USDT');
  await choose(wallet, 'TRON');
  const address = (await wallet.locator('.address code').first().innerText()).trim();
  const older = wallet.getByText('Older payments are listed under Deposits and Withdrawals.');
  for (let sent = 0; sent < 21; sent++)
    await tellSandbox(platform, '/payments/coins', {
      address,
      currencyId: 'USDT',
      networkId: 'tron',
      amount: '20',
    });
  await expectCash(page, '420');
  await openWallet(page, 'history');
  await expect(wallet.getByText('1–10 of 20')).toBeVisible();
  await expect(older).toBeHidden();
  await wallet.getByRole('button', { name: 'Next' }).click();
  await expect(older).toBeVisible();
  await choose(wallet, 'Deposits');
  await expect(wallet.getByText('1–10 of 21')).toBeVisible();
});

test('gives each part of the wallet an address above the page, so that Back works', async ({
  page,
  platform,
}) => {
  await newPlayer(platform, { page });
  await page.goto('/play/games');
  await page.getByRole('banner').getByRole('link', { name: 'Wallet' }).click();
  const wallet = walletOf(page);
  await wallet.getByRole('link', { name: 'History' }).click();
  await expect(page).toHaveURL(/\/play\/games\?wallet=history$/);
  await expect(wallet.getByRole('radio', { name: 'All', exact: true })).toBeChecked();
  await expect(wallet.getByText('Nothing here yet')).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/wallet=deposit$/);
  await expect(wallet.getByText('Recent deposits')).toBeVisible();
  await page.goBack();
  await expect(wallet).toBeHidden();
  await page.goForward();
  await expect(wallet).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(wallet).toBeHidden();
});

test('withdraws once on a device whose clock is ahead, although the first response is lost', async ({
  page,
  platform,
}) => {
  const { call } = await newPlayer(platform, { page });
  await page.clock.install({ time: Date.now() + 120_000 });
  const wallet = await openWallet(page, 'withdraw');
  await orderTo(wallet);
  let lost = 0;
  await page.route('**/payments/withdraw', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue();
    lost++;
    await route.fetch();
    await route.fulfill({ status: 502, body: '' });
  });
  const send = wallet.getByRole('button', { name: 'Withdraw 40.00 USDT' });
  await send.click();
  await expect(wallet.getByRole('alert')).toBeVisible();
  await wallet.getByRole('button', { name: 'Back' }).click();
  await wallet.getByRole('button', { name: 'Review withdrawal' }).click();
  await send.click();
  await expect(wallet.getByRole('status')).toContainText('Withdrawal requested');
  expect(await call('GET', '/payments/withdraw')).toMatchObject({ total: 1 });
});

test('drops the quote when the URL switches to another currency', async ({ page, platform }) => {
  await newPlayer(platform, { page, coins: [{ currencyId: 'BTC', amount: '1' }] });
  const wallet = await openWallet(page, 'withdraw');
  await orderTo(wallet);
  await page.evaluate(`history.pushState(null, '', '?wallet=withdraw&coin=BTC')`);
  await expect(wallet.getByRole('button', { name: 'Review withdrawal' })).toBeVisible();
  await page.goBack();
  await expect(wallet.getByLabel('Amount')).toHaveValue('');
});

test('shows the overview of the wallet for an unknown part', async ({ page, platform }) => {
  await newPlayer(platform, { page });
  for (const part of ['constructor', '__proto__', 'toString']) {
    const wallet = await openWallet(page, part);
    await expect(wallet.getByRole('link', { name: 'Overview' })).toHaveAttribute('aria-current', 'page');
  }
});
