import { applyForVip, picture } from '../files.ts';
import { expect, test } from '../fixtures.ts';
import { card, dialog, expectLoaded, fact, notice, pressAndConfirm } from '../parts.ts';
import { betOnDice, callAs, newName, signUpPlayer } from '../users.ts';
import { enterConsole, row, title } from './console.ts';

test('creates, starts and grants a promotion, then cancels the grant with a reason', async ({
  page,
  platform,
  superadmin,
}) => {
  const { call, id, username } = await signUpPlayer(platform, await callAs(platform, superadmin));
  const name = newName('Promotion');
  await enterConsole(page, superadmin);
  await page.goto('/console/promo/new');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Wagering multiplier').fill('20');
  await page.getByRole('button', { name: 'Create promotion' }).click();
  await expect(page.locator('.problem').filter({ hasText: 'Amount' })).toBeVisible();
  await page.getByLabel('Amount', { exact: true }).fill('7.5');
  await page.getByRole('button', { name: 'Create promotion' }).click();
  await dialog(page).getByLabel('Reason').fill('It begins.');
  await dialog(page).getByRole('button', { name: 'Start promotion' }).click();
  await expect(title(page, name)).toBeVisible();
  await expect(page.locator('.badge').filter({ hasText: 'Active' })).toBeVisible();
  const grant = card(page, 'Grant to players');
  await grant.getByLabel('User IDs').fill(String(id));
  await grant.getByLabel('Reason').fill('A guest.');
  await pressAndConfirm(grant, 'Grant promotion');
  await expect(notice(page, 'Granted: 1, skipped: 0')).toBeVisible();
  await page.getByRole('link', { name: 'Grants', exact: true }).click();
  const granted = row(page, username);
  await granted.locator('summary').click();
  await granted.getByLabel('Reason (shown to player)').fill('By mistake.');
  await pressAndConfirm(granted, 'Cancel grant');
  await expect(notice(page, 'Grant cancelled')).toBeVisible();
  expect((await call('GET', '/promo/my')).data).toMatchObject([
    { status: 'CANCELLED', closeReason: expect.stringContaining('By mistake.') },
  ]);
});

test('approves a VIP application that has an image, and the player gets the level', async ({
  page,
  platform,
  superadmin,
}) => {
  const { call, username } = await signUpPlayer(platform, await callAs(platform, superadmin));
  await applyForVip(call);
  await enterConsole(page, superadmin);
  await page.goto(`/console/vip?search=${username}`);
  await row(page, username).getByRole('link').first().click();
  const proof = page.getByRole('main').locator('img');
  await expect(proof).toBeVisible();
  await expectLoaded(proof);
  await page.getByRole('button', { name: 'Start review' }).click();
  await expect(notice(page, 'In review')).toBeVisible();
  await page.getByRole('button', { name: 'Approve…' }).click();
  const form = page.getByRole('dialog', { name: 'Approve this application?' });
  await form.getByLabel('VIP level').fill('3');
  await form.getByLabel('Reason (for staff)').fill('Known elsewhere.');
  await form.getByRole('button', { name: 'Approve', exact: true }).click();
  const confirmation = page.getByRole('dialog', { name: `Approve ${username}?` });
  await expect(fact(confirmation, 'VIP level')).toHaveText('3');
  await confirmation.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(notice(page, 'Approved')).toBeVisible();
  expect(await call('GET', '/user/me')).toMatchObject({ vipLevel: 3 });
});

test('creates a challenge with an image, and pays the reward to its winner', async ({
  page,
  platform,
  superadmin,
}) => {
  const { call, username } = await signUpPlayer(platform, await callAs(platform, superadmin));
  await enterConsole(page, superadmin);
  await page.goto('/console/challenges/new');
  await page.getByLabel('Game', { exact: true }).fill('dic');
  await page.getByRole('option', { name: /^Dice/ }).click();
  await page.getByLabel('Min bet (USD)').fill('0.1');
  await page.getByLabel('Min multiplier').fill('1.01');
  await page.getByLabel('Reward', { exact: true }).fill('11');
  await page.getByRole('button', { name: 'Create challenge' }).click();
  await expect(card(page, 'Bets that can win')).toBeVisible();
  await page.getByLabel('Image', { exact: true }).setInputFiles(await picture());
  await page.getByRole('button', { name: 'Save image' }).click();
  await expect(notice(page, 'Image saved')).toBeVisible();
  const betThatWins = async () => (await betOnDice(call, { threshold: 2 })).payout;
  await expect.poll(betThatWins).not.toBe('0');
  const winner = row(page, username).first();
  await expect(async () => {
    await page.reload();
    await expect(winner).toBeVisible({ timeout: 1000 });
  }).toPass();
  await pressAndConfirm(winner, 'Pay reward');
  await expect(card(page, 'Reverse reward')).toBeVisible();
  expect((await call('GET', '/challenge/my')).data).toMatchObject([{ isWon: true }]);
});
