import { expect, test } from '../fixtures.ts';
import { card, dialog, fact, notice } from '../parts.ts';
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
  await page.getByRole('button', { name: 'Ban…' }).click();
  await dialog(page).getByLabel('Reason').fill('a test of the console');
  await dialog(page).getByRole('button', { name: 'Ban user' }).click();
  await expect(notice(page, 'Banned')).toBeVisible();
  expect(await rejection(call('GET', '/user/me'))).toMatch(/401|UNAUTHORIZED/);
  await expect(card(page, 'What the player can do now')).toContainText('The account is banned.');
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect(timeline.getByText('Banned', { exact: true })).toBeVisible();
  await page.goto('/console/audit');
  await expect(row(page, '/ban').first()).toBeVisible();
});

test('gives money only after a confirmation with the player, the amount and the currency', async ({
  page,
  platform,
  superadmin,
}) => {
  const { id, username } = await newPlayer(platform);
  await enterConsole(page, superadmin);
  await page.goto(`/console/users/${id}/money`);
  await page.getByRole('button', { name: 'Give money…' }).click();
  const form = page.getByRole('dialog', { name: 'Give money', exact: true });
  await form.getByLabel('Amount').fill('12.5');
  await form.getByLabel('Reason').fill('Goodwill.');
  await form.getByRole('button', { name: 'Give money', exact: true }).click();
  const confirmation = page.getByRole('dialog', { name: 'Give this money?' });
  await expect(fact(confirmation, 'Player')).toHaveText(`${username} (#${id})`);
  await expect(fact(confirmation, 'Amount')).toHaveText('12.50 USDT');
  await confirmation.getByRole('button', { name: 'Give money', exact: true }).click();
  await expect(notice(page, 'Money given')).toBeVisible();
});

test('says nothing about what a player may do if it cannot be read', async ({
  page,
  platform,
  superadmin,
}) => {
  const { id } = await newPlayer(platform);
  await enterConsole(page, superadmin);
  const failing = /\/admin\/(users\/\d+\/gate|withdrawals-block\/\d+)/;
  await page.route(failing, (route) =>
    route.fulfill({ status: 500, json: { statusCode: 500, code: 'INTERNAL_ERROR', message: 'Failed.' } }),
  );
  await page.goto(`/console/users/${id}/money`);
  const block = card(page, 'Withdrawal block');
  await expect(block.getByRole('button', { name: 'Try again' })).toBeVisible();
  await expect(block).not.toContainText('not blocked');
  await expect(block.getByRole('button', { name: 'Block withdrawals…' })).toHaveCount(0);
  await page.goto(`/console/users/${id}`);
  const gate = card(page, 'What the player can do now');
  await expect(gate.getByRole('button', { name: 'Try again' })).toBeVisible();
  await expect(gate.getByRole('listitem')).toHaveCount(0);
  await page.unroute(failing);
  await gate.getByRole('button', { name: 'Try again' }).click();
  await expect(gate.getByRole('listitem').first()).toBeVisible();
});

test('shows an error in the form and keeps the input', async ({ page, superadmin }) => {
  await enterConsole(page, superadmin);
  await page.goto('/console/staff');
  await page.getByRole('button', { name: 'Add colleague' }).click();
  const form = page.getByRole('dialog', { name: 'Add a colleague' });
  await form.getByLabel('Username').fill('a');
  await form.getByLabel('Email').fill('colleague@mail.example');
  await form.getByLabel('Temporary password').fill('short');
  await form.getByRole('button', { name: 'Create account' }).click();
  await expect(form.locator('.problem, .refusal').first()).toBeVisible();
  await expect(form.getByLabel('Email')).toHaveValue('colleague@mail.example');
  await expect(form.getByLabel('Temporary password')).toHaveValue('short');
});

test('creates, changes and deletes a role', async ({ page, superadmin }) => {
  await enterConsole(page, superadmin);
  await page.goto('/console/staff/roles');
  await page.getByRole('button', { name: 'Create role' }).click();
  const creating = page.getByRole('dialog', { name: 'Create a role' });
  await creating.getByLabel('Title').fill('VIP host');
  await creating.getByLabel('Reason').fill('a test of the console');
  await creating.getByRole('button', { name: 'Create role' }).click();
  await expect(title(page, 'VIP host')).toBeVisible();
  await page.getByRole('switch', { name: 'View notes about users' }).click();
  await expect(page.getByText('1 unsaved change')).toBeVisible();
  await page.getByRole('button', { name: 'Review changes' }).click();
  const review = page.getByRole('dialog', { name: 'Save changes?' });
  await expect(review.getByText('View notes about users')).toBeVisible();
  await review.getByLabel('Reason').fill('hosts read notes');
  await review.getByRole('button', { name: 'Save changes' }).click();
  await expect(notice(page, 'Role saved')).toBeVisible();
  await page.goto('/console/staff/roles/VIP_HOST');
  await expect(page.getByRole('switch', { name: 'View notes about users' })).toBeChecked();
  await page.getByRole('button', { name: 'Delete' }).click();
  const deleting = page.getByRole('dialog', { name: 'Delete VIP host?' });
  await deleting.getByLabel('Reason').fill('only a test');
  await deleting.getByRole('button', { name: 'Delete role' }).click();
  await expect(title(page, 'Roles')).toBeVisible();
});
