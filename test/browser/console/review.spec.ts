import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { card, dialog, fact, notice } from '../parts.ts';
import type { Platform } from '../platform.ts';
import { callAs, newPlayer, newStaff, type Player } from '../users.ts';
import { enterConsole, menu, row, signOut } from './console.ts';

const queue = (page: Page): Locator => page.getByRole('navigation', { name: 'Queue', exact: true });
/** The heading of the open case, which contains the amount. */
const heading = (page: Page): Locator => page.getByRole('main').getByRole('heading', { level: 2 }).first();
const withdrawalsOf = async ({ call }: Player) => (await call('GET', '/payments/withdraw')).data;

/** Creates a player with a withdrawal that waits for approval. */
async function withdraw(platform: Platform, amount: string): Promise<Player & { withdrawal: string }> {
  const player = await newPlayer(platform);
  const { id } = await player.call('POST', '/payments/withdraw', {
    currencyId: 'USDT',
    networkId: 'tron',
    recipientAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    amount,
  });
  return { ...player, withdrawal: id };
}

test('reviews withdrawals with the keyboard alone', async ({ page, platform, superadmin }) => {
  const first = await withdraw(platform, '101');
  const second = await withdraw(platform, '102');
  const third = await withdraw(platform, '103');
  await enterConsole(page, superadmin);
  await page.goto(`/console/withdrawals/${first.withdrawal}`);
  await expect(heading(page)).toContainText('101');
  const current = queue(page).locator('[aria-current]');
  await expect(current).toContainText(first.username);

  await page.keyboard.press('j');
  await expect(queue(page).getByRole('link', { name: second.username })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(heading(page)).toContainText('102');
  await expect(heading(page)).toBeFocused();
  await expect(current).toContainText(second.username);

  await page.keyboard.press('a');
  await expect(dialog(page)).toContainText(second.username);
  await page.keyboard.press('Enter');
  await expect(notice(page, 'Approved')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(third.withdrawal));
  await expect(heading(page)).toContainText('103');
  await expect(heading(page)).toBeFocused();
  expect(await withdrawalsOf(second)).not.toContainEqual(
    expect.objectContaining({ status: 'WAITING_FOR_APPROVAL' }),
  );

  await page.keyboard.press('r');
  await expect(dialog(page).getByLabel('Reason (shown to player)')).toBeFocused();
  await page.keyboard.type('a test of the console');
  await page.keyboard.press('Tab');
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(notice(page, 'Rejected')).toBeVisible();
  await expect(heading(page)).toBeFocused();
  expect(await withdrawalsOf(third)).toMatchObject([
    { status: 'REJECTED', rejectReason: 'a test of the console' },
  ]);
});

test('stays on the case that staff open while a decision is sent', async ({ page, platform, superadmin }) => {
  const first = await withdraw(platform, '111');
  const second = await withdraw(platform, '112');
  await withdraw(platform, '113');
  const answered = Promise.withResolvers<void>();
  await page.route('**/admin/payments/withdraw/approve', async (route) => {
    await answered.promise;
    await route.continue();
  });
  const pending = new Set<unknown>();
  page.on('request', (request) => /\/admin\//.test(request.url()) && pending.add(request));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  await enterConsole(page, superadmin);
  await page.goto(`/console/withdrawals/${first.withdrawal}`);
  await expect(heading(page)).toContainText('111');
  await page.keyboard.press('a');
  await expect(dialog(page)).toContainText(first.username);
  await page.keyboard.press('Enter');
  await queue(page).getByRole('link', { name: second.username }).click();
  await expect(heading(page)).toContainText('112');
  answered.resolve();
  await expect(notice(page, 'Approved')).toBeVisible();
  await expect(queue(page).getByRole('link', { name: first.username })).toHaveCount(0);
  // The console opens the next case once everything on the page has been read again.
  await expect.poll(() => pending.size).toBe(0);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await expect(page).toHaveURL(new RegExp(second.withdrawal));
  await expect(heading(page)).toContainText('112');
});

test('shows only the state of withdrawals and deposits to staff who may only read them', async ({
  page,
  platform,
  superadmin,
}) => {
  const { withdrawal } = await withdraw(platform, '51');
  const boss = await callAs(platform, superadmin);
  const { id } = await newPlayer(platform);
  await boss('PATCH', `/admin/user/${id}/ban`, { banReason: 'a test of the console' });
  const deposit = await boss('POST', `/debug/deposit/emulate-success/${id}`);
  const foot = page.locator('.case-foot');
  const expectOnlyState = async (path: string, state: string) => {
    await page.goto(`/console/${path}`);
    await expect(foot).toContainText(state);
    await expect(foot).toContainText('You can view this case, but not decide it.');
    await expect(foot.getByRole('button')).toHaveCount(0);
  };
  await enterConsole(page, await newStaff(platform, 'SUPPORT'));
  await expectOnlyState(`withdrawals/${withdrawal}`, 'Pending approval');
  await expect(card(page, 'Four eyes')).toContainText('You can’t, because you don’t have this permission.');
  await signOut(page);
  await enterConsole(page, await newStaff(platform, 'RISK'));
  await expectOnlyState(`deposit-reviews/${deposit.id}`, 'On hold');
  await boss('PATCH', `/admin/user/${id}/unban`);
});

test('shows why a withdrawal is risky, and the earlier ones to its address', async ({
  page,
  platform,
  superadmin,
}) => {
  const { username, withdrawal } = await withdraw(platform, '50');
  await enterConsole(page, superadmin);
  await page.goto(`/console/withdrawals?username=${username}`);
  await row(page, username).getByRole('link').first().click();
  await expect(page).toHaveURL(new RegExp(withdrawal));
  const checks = page.getByRole('main').getByRole('listitem');
  for (const name of ['No two-step verification', 'New address', 'First withdrawal'])
    await expect(checks.filter({ hasText: name }).filter({ hasText: '+10 points' })).toBeVisible();
  await expect(checks.filter({ hasText: 'May withdraw now' })).toBeVisible();
  await expect(card(page, 'Earlier withdrawals to this address')).toContainText('None');
  await expect(card(page, 'Player')).toContainText('Active');
});

test('counts withdrawals on hold as waiting, links to the notes, and names failed checks before the approval', async ({
  page,
  platform,
  superadmin,
}) => {
  const boss = await callAs(platform, superadmin);
  const player = await newPlayer(platform);
  await boss('POST', '/admin/user-notes', { userId: player.id, note: 'Shares a card.', riskLevel: 'HIGH' });
  const { id, status } = await player.call('POST', '/payments/withdraw', {
    currencyId: 'USDT',
    networkId: 'tron',
    recipientAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    amount: '120',
  });
  expect(status).toBe('ON_HOLD');
  const { total } = await boss('GET', '/admin/payments/withdraw?isWaiting=true');
  await enterConsole(page, superadmin);
  const entry = menu(page).getByRole('link', { name: /^Withdrawals/ });
  await expect(entry).toContainText(String(total));
  await entry.click();
  const view = page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name: /^Waiting/ });
  await expect(view).toHaveText(`Waiting${total}`);
  await row(page, player.username).getByRole('link').first().click();
  await expect(page).toHaveURL(new RegExp(id));
  await expect(queue(page)).toContainText(`${total} in this queue`);
  const check = page.getByRole('main').getByRole('listitem').filter({ hasText: 'High-severity staff note' });
  await expect(check.getByRole('link')).toHaveAttribute('href', `/console/users/${player.id}/notes`);
  await expect(card(page, 'Four eyes')).toContainText(
    'Roles that can approve by default: Superadmin, Admin, Finance',
  );
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect(dialog(page).getByRole('listitem')).toHaveText('High-severity staff note');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: /^Unknown outcome/ }).click();
  await expect(queue(page)).toContainText('Nothing in “Unknown outcome”');
});

test('explains why a deposit of a banned player is on hold, and shows who acknowledged it', async ({
  page,
  platform,
  superadmin,
}) => {
  const boss = await callAs(platform, superadmin);
  const player = await newPlayer(platform);
  await boss('PATCH', `/admin/user/${player.id}/ban`, { banReason: 'a test of the console' });
  const { id } = await boss('POST', `/debug/deposit/emulate-success/${player.id}`);
  await enterConsole(page, superadmin);
  await page.goto(`/console/deposit-reviews/${id}`);
  const checks = page.getByRole('main').getByRole('listitem');
  await expect(checks.filter({ hasText: 'The player was banned' })).toContainText('until the ban is lifted');
  await expect(checks.filter({ hasText: 'Confirmed by the network' })).toBeVisible();
  await page.getByRole('button', { name: 'Acknowledge…' }).click();
  await dialog(page).getByLabel('Reason').fill('The ban is right.');
  await dialog(page).getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await expect(notice(page, 'Done')).toBeVisible();
  for (const path of ['deposit-reviews', 'deposits']) {
    await page.goto(`/console/${path}/${id}`);
    const decisions = card(page, 'Decisions');
    await expect(decisions).toContainText('Acknowledged by console_boss');
    await expect(decisions).toContainText('The ban is right.');
    await expect(fact(decisions, 'Decided')).toContainText(/\d/);
  }
  await boss('PATCH', `/admin/user/${player.id}/unban`);
});
