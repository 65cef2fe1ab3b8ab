import type { Locator, Page } from '@playwright/test';
import { picture } from '../files.ts';
import { expect, test } from '../fixtures.ts';
import { alert, card, dialog, expectLoaded, fact, notice } from '../parts.ts';
import {
  betOnDice,
  type Call,
  callAs,
  callFrom,
  cashOf,
  newAccount,
  newName,
  newPlayer,
  signUpPlayer,
} from '../users.ts';

const rowIn = (part: Page | Locator, text: string): Locator =>
  part.getByRole('row').filter({ hasText: text });

const bonusCard = (page: Page, name: string): Locator =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name, exact: true }) });

/** A region with this name. */
const region = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** Creates and starts a promotion with a code. */
async function newCode(staff: Call, conditions: object = {}): Promise<{ name: string; code: string }> {
  const name = newName('Bonus');
  const { id } = await staff('POST', '/admin/promo', {
    name,
    type: 'CODE',
    reward: { kind: 'BONUS', currencyId: 'USDT', amount: '5' },
    wagerMultiplier: 2,
    validityHours: 72,
    maxBetUsd: '2',
    conditions,
  });
  await staff('POST', `/admin/promo/${id}/status`, { status: 'ACTIVE', reason: 'It begins.' });
  const code = newName('code');
  await staff('POST', `/admin/promo/${id}/codes`, { kind: 'UNIVERSAL', code, maxUses: 10 });
  return { name, code };
}

async function redeem(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Redeem' }).click();
}

test('grants a bonus for a code, shows its wagering, and forfeits it after a confirmation', async ({
  page,
  platform,
  superadmin,
}) => {
  const staff = await callAs(platform, superadmin);
  const { call } = await newPlayer(platform, { page, money: '0' });
  const [given, barred] = [await newCode(staff), await newCode(staff, { minVipLevel: 3 })];
  await page.goto('/play/offers/promo');
  await redeem(page, 'no-such-code');
  await expect(alert(page, /code/)).toBeVisible();
  await redeem(page, barred.code);
  await expect(alert(page, 'a higher VIP level')).toBeVisible();
  await redeem(page, given.code);
  const bonus = bonusCard(page, given.name);
  await expect(bonus.getByText('0.00 USDT of 10.00 USDT')).toBeVisible();
  await expect(bonus.getByText('10.00 USDT left to wager')).toBeVisible();
  await expect(fact(bonus, 'Max bet')).toHaveText('$2.00');
  await betOnDice(call, { threshold: 10 });
  await expect(bonus.getByText('1.00 USDT of 10.00 USDT')).toBeVisible();
  await bonus.getByRole('button', { name: 'Forfeit' }).click();
  const [grant] = (await call('GET', '/promo/my')).data;
  expect(grant.status).toBe('ACTIVE');
  const loss = Number(grant.bonusBalance).toFixed(2);
  await expect(dialog(page).getByText(`You’ll lose ${loss} USDT of bonus money.`)).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Forfeit' }).click();
  await expect(notice(page, 'Bonus forfeited')).toBeVisible();
  await expect(rowIn(card(page, 'Bonus history'), given.name).getByText('Forfeited')).toBeVisible();
});

test('claims a promotion in a dialog that contains its terms', async ({ page, platform, superadmin }) => {
  const staff = await callAs(platform, superadmin);
  await newPlayer(platform, { page });
  const name = newName('Deposit');
  const { id } = await staff('POST', '/admin/promo', {
    name,
    type: 'DEPOSIT',
    reward: { kind: 'BONUS', currencyId: 'USDT', percent: 25, maxAmount: '100' },
    wagerMultiplier: 15,
    validityHours: 96,
    maxBetUsd: '5',
    conditions: { minDepositUsd: '20' },
    budget: { maxGrants: 2 },
  });
  await staff('POST', `/admin/promo/${id}/status`, { status: 'ACTIVE', reason: 'It begins.' });
  await page.goto('/play/offers/promo');
  await page.getByRole('article').filter({ hasText: name }).getByRole('button', { name: 'Claim' }).click();
  const asked = dialog(page);
  await expect(fact(asked, 'You get')).toHaveText('25% up to 100.00 USDT');
  await expect(fact(asked, 'Minimum deposit')).toHaveText('$20.00');
  await expect(fact(asked, 'Wagering')).toHaveText('15× bonus');
  await expect(fact(asked, 'Time to wager')).toHaveText('4 days');
  await expect(fact(asked, 'Max bet')).toHaveText('$5.00');
  await expect(asked.getByText('you can’t withdraw the currency you deposit')).toBeVisible();
  await asked.getByRole('button', { name: 'Claim' }).click();
  await expect(notice(page, 'Bonus added')).toBeVisible();
  await expect(bonusCard(page, name).getByText('next deposit')).toBeVisible();
  await page.goto('/play/offers');
  await expect(region(page, 'Your bonus').getByText(name)).toBeVisible();
});

test('pays all rakeback that is ready', async ({ page, platform }) => {
  const { call } = await newPlayer(platform, { page });
  await betOnDice(call, { betAmount: '20', threshold: 10 });
  const accrued = async () => (await call('GET', '/rakeback')).totalsUsd.instant;
  await expect.poll(accrued, { timeout: 60_000 }).not.toBe('0');
  await page.goto('/play/offers');
  const before = Number(await cashOf(call));
  const claim = page.getByRole('button', { name: 'Claim all' });
  await claim.click();
  await expect(notice(page, /\$\d+\.\d\d claimed/)).toBeVisible();
  expect(Number(await cashOf(call))).toBeGreaterThan(before);
  await expect(claim).toHaveCount(0);
  await page.goto('/play/offers/rakeback');
  await expect(page.getByRole('button', { name: 'Claim: Instant' })).toBeDisabled();
});

test("shows a player's new rank on a leaderboard without a reload", async ({
  page,
  platform,
  superadmin,
}) => {
  const staff = await callAs(platform, superadmin);
  const { call, username } = await signUpPlayer(platform, staff, { page });
  const name = newName('Race');
  const { id } = await staff('POST', '/admin/leaderboards', {
    name,
    description: 'The player who wagers most wins.',
    endDate: new Date(Date.now() + 86_400_000).toISOString(),
    currencyId: 'USDT',
    prizes: [{ place: 1, usdAmount: '50' }],
  });
  await page.goto(`/play/offers/leaderboards/${id}`);
  await expect(page.getByText('You’re not ranked yet')).toBeVisible();
  await betOnDice(call, { betAmount: '2', threshold: 10 });
  await expect(rowIn(page, username).getByText('$2.00')).toBeVisible({ timeout: 60_000 });
  await expect(fact(page.getByRole('status', { name: 'Your rank' }), 'Your rank')).toHaveText('#1');
  await expect(page.getByRole('list', { name: 'Top three' }).getByText(username)).toBeVisible();
  await page
    .getByRole('navigation', { name: 'Rewards' })
    .getByRole('link', { name: 'Leaderboards', exact: true })
    .click();
  await expect(card(page, 'Your results').getByRole('link', { name })).toBeVisible();
});

test('lists a player who signed up with a referral link', async ({ page, openPage, platform }) => {
  await newPlayer(platform, { page });
  await page.goto('/play/offers/affiliate');
  const code = newName('c');
  await page.getByRole('button', { name: 'New code' }).click();
  await dialog(page).getByLabel('Code', { exact: true }).fill(code);
  await dialog(page).getByRole('button', { name: 'Create code' }).click();
  const link = await card(page, 'Your links').locator('code').innerText();
  expect(link).toContain(code);
  const account = newAccount();
  const other = await openPage();
  await other.goto(link);
  await expect(other.getByRole('dialog', { name: 'Create your account' })).toBeVisible();
  await callFrom(other, platform.api)('POST', '/auth/sign-up', { ...account, affiliateCode: code });
  await page.reload();
  await expect(rowIn(card(page, 'Your referrals'), account.username)).toBeVisible();
});

test('sends a tip after a confirmation, which its receiver sees without a reload', async ({
  page,
  openPage,
  platform,
}) => {
  const other = await openPage();
  const sender = await newPlayer(platform, { page });
  const receiver = await newPlayer(platform, { page: other });
  await other.goto('/play/offers/tips');
  await expect(other.getByText('No tips received yet')).toBeVisible();
  await page.goto('/play/offers/tips');
  await page.getByLabel('To', { exact: true }).fill(receiver.username);
  await page.getByLabel('Amount', { exact: true }).fill('5');
  await page.getByRole('textbox', { name: /^Message/ }).fill('Well played');
  await page.getByRole('button', { name: 'Send tip', exact: true }).click();
  await expect(fact(dialog(page), 'To')).toHaveText(receiver.username);
  await dialog(page).getByRole('button', { name: 'Send tip', exact: true }).click();
  await expect(notice(page, 'Tip sent')).toBeVisible();
  await page.getByText('Sent', { exact: true }).click();
  await expect(rowIn(card(page, 'Tip history'), receiver.username)).toBeVisible();
  await expect(rowIn(card(other, 'Tip history'), sender.username).getByText('5.00 USDT').first()).toBeVisible(
    {
      timeout: 60_000,
    },
  );
});

test('submits a VIP application with an image', async ({ page, platform }) => {
  const { call } = await newPlayer(platform, { page });
  await page.goto('/play/offers/vip');
  await page.getByRole('button', { name: 'Apply for a level' }).click();
  const form = dialog(page);
  await form.getByLabel('Casino').fill('Another casino');
  await form.getByLabel('Your username there').fill('highroller');
  await form.getByLabel('Wagered there (USD)').fill('250000');
  await form.getByLabel('Your VIP level there').fill('Platinum');
  await form.getByRole('textbox', { name: 'Email', exact: true }).fill('me@mail.example');
  await form.getByRole('button', { name: 'Send application', exact: true }).click();
  await expect(notice(page, 'Application sent')).toBeVisible();
  await page.getByLabel('Screenshot').setInputFiles(await picture());
  await page.getByRole('button', { name: 'Add screenshot' }).click();
  const proof = page.locator('img.vip-proof');
  await expect(proof).toBeVisible();
  await expectLoaded(proof);
  const [application] = await call('GET', '/vip-application');
  expect(application.images).toHaveLength(1);
});

test('shows no rewards to a player who self-excludes', async ({ page, platform }) => {
  const { call } = await newPlayer(platform, { page });
  await page.goto('/play/offers');
  const rewards = page.getByRole('navigation', { name: 'Main menu' }).first().getByText('Promotions');
  await expect(rewards).toBeVisible();
  await call('POST', '/user-limits/self-exclusion', { durationDays: 180 });
  await expect(notice(page, 'We won’t show you any offers')).toBeVisible({ timeout: 60_000 });
  await expect(rewards).toHaveCount(0);
  await page.goto('/play/chat');
  await expect(page.getByText('You can read the chat during your break, but not write.')).toBeVisible();
});

test('scrolls the tabs of a phone to the current one', async ({ page, platform }) => {
  await newPlayer(platform, { page });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/play/offers/tips');
  const tabs = page.getByRole('navigation', { name: 'Rewards' });
  await expect(tabs.getByRole('link', { name: 'Tips' })).toBeInViewport({ ratio: 1 });
  await expect(tabs.getByRole('link', { name: 'Overview' })).not.toBeInViewport();
});
