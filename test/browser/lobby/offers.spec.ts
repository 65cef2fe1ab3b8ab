import type { Locator, Page } from '@playwright/test';
import { picture } from '../files.ts';
import { expect, test } from '../fixtures.ts';
import { alert, card, dialog, expectLoaded, notice } from '../parts.ts';
import {
  betOnDice,
  type Call,
  callAs,
  cashOf,
  newAccount,
  newName,
  newPlayer,
  signUpPlayer,
} from '../users.ts';
import { fillSignUp, header, menuLink, openLive } from './lobby.ts';

const rowIn = (part: Page | Locator, text: string): Locator =>
  part.getByRole('row').filter({ hasText: text });

/** The value next to a label. */
const fact = (page: Page, name: string): Locator =>
  page.locator('.facts > div').filter({ has: page.locator('dt').getByText(name, { exact: true }) });

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
  await openLive(page, '/offers/promo');
  await redeem(page, 'no-such-code');
  await expect(alert(page, 'no such promotion or code')).toBeVisible();
  await redeem(page, barred.code);
  await expect(alert(page, 'a higher VIP level')).toBeVisible();
  await redeem(page, given.code);
  const bonus = card(page, given.name);
  await expect(bonus.getByText('0 / 10 USDT')).toBeVisible();
  await expect(bonus.getByText('2 USD')).toBeVisible();
  // The cash balance does not include the bonus.
  await expect(header(page).balance).toHaveText('0');
  await betOnDice(call, { threshold: 10 });
  await expect(bonus.getByText('1 / 10 USDT')).toBeVisible();
  await bonus.getByRole('button', { name: 'Give it up' }).click();
  await expect(dialog(page).getByText('You would lose bonus money')).toBeVisible();
  const [grant] = (await call('GET', '/promo/my')).data;
  await expect(dialog(page).getByText(`${grant.bonusBalance} USDT`)).toBeVisible();
  expect(grant.status).toBe('ACTIVE');
  await dialog(page).getByRole('button', { name: 'Give it up' }).click();
  await expect(notice(page, 'The bonus is given up')).toBeVisible();
  await expect(rowIn(page, given.name).getByText('given up')).toBeVisible();
});

test('pays rakeback when it is claimed', async ({ page, platform }) => {
  const { call } = await newPlayer(platform, { page });
  await betOnDice(call, { betAmount: '20', threshold: 10 });
  const accrued = async () => (await call('GET', '/rakeback')).totalsUsd.instant;
  await expect.poll(accrued, { timeout: 60_000 }).not.toBe('0');
  await openLive(page, '/offers/rakeback');
  const before = Number(await cashOf(call));
  const claim = page.getByRole('button', { name: 'Claim: At once' });
  await claim.click();
  await expect(notice(page, /Claimed: \S+ USDT/)).toBeVisible();
  expect(Number(await cashOf(call))).toBeGreaterThan(before);
  await expect(claim).toHaveCount(0);
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
    description: 'Whoever wagers most.',
    endDate: new Date(Date.now() + 86_400_000).toISOString(),
    currencyId: 'USDT',
    prizes: [{ place: 1, usdAmount: '50' }],
  });
  await openLive(page, `/offers/leaderboards/${id}`);
  await expect(page.getByText('You are not in it')).toBeVisible();
  await betOnDice(call, { betAmount: '2', threshold: 10 });
  await expect(rowIn(page, username).getByText('2 USD')).toBeVisible({ timeout: 60_000 });
  await expect(fact(page, 'Place').getByText('1', { exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Leaderboards', exact: true }).click();
  await expect(card(page, 'Where you took part').getByRole('link', { name })).toBeVisible();
});

test('lists a player who signed up with a referral link', async ({ page, openPage, platform }) => {
  await newPlayer(platform, { page });
  await openLive(page, '/offers/affiliate');
  const code = newName('c');
  await page.getByLabel('New code').fill(code);
  await page.getByRole('button', { name: 'Make the code' }).click();
  const link = await rowIn(card(page, 'Your codes'), code).locator('code').innerText();
  const account = newAccount();
  const other = await openPage();
  await other.goto(link);
  await fillSignUp(other, account);
  await expect(header(other).user(account.username)).toBeVisible();
  await page.reload();
  await expect(rowIn(card(page, 'Who came by your links'), account.username)).toBeVisible();
});

test('sends a tip after a confirmation, which its receiver sees without a reload', async ({
  page,
  openPage,
  platform,
}) => {
  const other = await openPage();
  const sender = await newPlayer(platform, { page });
  const receiver = await newPlayer(platform, { page: other });
  const received = card(other, 'Received');
  await openLive(other, '/offers/tips');
  await expect(received.getByText('No tips yet')).toBeVisible();
  await openLive(page, '/offers/tips');
  await page.getByLabel('To', { exact: true }).fill(receiver.username);
  await page.getByLabel('Amount', { exact: true }).fill('5');
  await page.getByLabel('Message').fill('Well played');
  await page.getByRole('button', { name: 'Give', exact: true }).click();
  await expect(dialog(page).getByText(receiver.username)).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Give', exact: true }).click();
  await expect(notice(page, 'The tip is given')).toBeVisible();
  await expect(rowIn(card(page, 'Sent'), receiver.username)).toBeVisible();
  await expect(rowIn(received, sender.username).getByText('5').first()).toBeVisible();
});

test('submits a VIP application with an image', async ({ page, platform }) => {
  const { call } = await newPlayer(platform, { page });
  await openLive(page, '/offers/vip');
  await page.getByText('Apply for a level').click();
  await page.getByLabel('Where you played').fill('Another casino');
  await page.getByLabel('Your name there').fill('highroller');
  await page.getByLabel('Wagered there, in USD').fill('250000');
  await page.getByLabel('Your rank there').fill('Platinum');
  await page.getByLabel('Your address there').fill('me@mail.example');
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await expect(notice(page, 'Your application is here')).toBeVisible();
  await page.getByLabel('Image as proof').setInputFiles(await picture());
  await page.getByRole('button', { name: 'Add the image' }).click();
  const proof = page.locator('img.proof');
  await expect(proof).toBeVisible();
  await expectLoaded(proof);
  const [application] = await call('GET', '/vip-application');
  expect(application.images).toHaveLength(1);
});

test('shows no offers to a player who self-excludes', async ({ page, platform }) => {
  const { call } = await newPlayer(platform, { page });
  await openLive(page, '/offers/promo');
  await call('POST', '/user-limits/self-exclusion', { durationDays: 180 });
  await expect(notice(page, 'You are shown no offers')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Redeem' })).toHaveCount(0);
  await menuLink(page, 'Chat').click();
  await expect(page.getByText('you can read here, but not write')).toBeVisible();
});
