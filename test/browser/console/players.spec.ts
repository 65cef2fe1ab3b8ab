import { expect, test } from '../fixtures.ts';
import { card, notice, pressAndConfirm } from '../parts.ts';
import { newPlayer, rejection } from '../users.ts';
import { enterConsole, row, title } from './console.ts';

test('finds a player by keyboard, bans them, and shows the ban in the audit log', async ({
  page,
  platform,
  superadmin,
}) => {
  const { username, call } = await newPlayer(platform);
  await enterConsole(page, superadmin);
  await page.goto('/console/users');
  await expect(page.getByRole('main').getByRole('table')).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type(username);
  await page.keyboard.press('Enter');
  await expect(row(page, username)).toBeVisible();
  await expect(row(page, '')).toHaveCount(1);
  await expect(page).toHaveURL(new RegExp(`search=${username}`));
  await title(page, 'Users').click();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(title(page, username)).toBeVisible();
  const ban = card(page, 'Ban');
  await ban.getByLabel('Reason').fill('a test of the console');
  await pressAndConfirm(ban, 'Ban user');
  await expect(notice(page, 'Banned')).toBeVisible();
  expect(await rejection(call('GET', '/user/me'))).toMatch(/401|UNAUTHORIZED/);
  await page.goto('/console/audit');
  await expect(row(page, '/ban').first()).toBeVisible();
});

test('shows an error in the form and keeps the input', async ({ page, superadmin }) => {
  await enterConsole(page, superadmin);
  await page.goto('/console/staff');
  const form = card(page, 'An account for a colleague');
  await form.getByLabel('Username').fill('a');
  await form.getByLabel('E-mail').fill('colleague@mail.example');
  await form.getByLabel('Temporary password').fill('short');
  await form.getByRole('button', { name: 'Open it' }).click();
  await expect(form.locator('.problem, .refusal').first()).toBeVisible();
  await expect(form.getByLabel('E-mail')).toHaveValue('colleague@mail.example');
  await expect(form.getByLabel('Temporary password')).toHaveValue('short');
});
