import { readFile } from 'node:fs/promises';
import { expect, test } from '../fixtures.ts';
import { dialog } from '../parts.ts';
import { betOnDice, callAs, newName, newPlayer, signUpPlayer } from '../users.ts';
import { enterConsole, menu, row, title } from './console.ts';

test('applies filters as they are typed, sorts by heads, and keeps both in the address', async ({
  page,
  platform,
  superadmin,
}) => {
  const { username } = await newPlayer(platform);
  await enterConsole(page, superadmin);
  await page.goto('/console/users');
  await page.getByRole('searchbox', { name: 'Search users' }).fill(username);
  await expect(row(page, '')).toHaveCount(1);
  await expect(page).toHaveURL(new RegExp(`search=${username}`));
  await page.getByRole('button', { name: 'VIP', exact: true }).click();
  await expect(page.getByRole('columnheader', { name: 'VIP' })).toHaveAttribute('aria-sort', 'descending');
  await expect(page).toHaveURL(/sortBy=vipLevel/);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(page).not.toHaveURL(/search=/);
});

test('names the people in the lists of referrals, streamers and rakeback', async ({
  page,
  platform,
  superadmin,
}) => {
  const staff = await callAs(platform, superadmin);
  const owner = await newPlayer(platform);
  const { id: affiliateCode } = await owner.call('POST', '/affiliate/code', { id: newName('c') });
  await staff('PATCH', `/admin/user/${owner.id}`, { isStreamer: true });
  const player = await signUpPlayer(platform, staff, { affiliateCode });
  await betOnDice(player.call);
  await enterConsole(page, superadmin);
  for (const list of ['affiliates/referrals', 'streamers/referrals']) {
    await page.goto(`/console/${list}?affiliateUserId=${owner.id}`);
    const name = row(page, player.username).getByRole('link', { name: owner.username });
    await expect(name).toHaveAttribute('href', `/console/users/${owner.id}`);
  }
  await page.goto(`/console/streamers/${owner.id}`);
  await expect(title(page, `Streamer ${owner.username}`)).toBeVisible();
  await expect(async () => {
    await page.goto(`/console/rakeback?userId=${player.id}`);
    await expect(row(page, 'USDT').getByRole('link', { name: player.username })).toBeVisible({
      timeout: 2000,
    });
  }).toPass();
});

test('saves a view and the columns for the member of staff, also after a reload', async ({
  page,
  superadmin,
}) => {
  const name = newName('View');
  await enterConsole(page, superadmin);
  await page.goto('/console/users?isStreamer=true');
  await page.getByRole('button', { name: 'Save view' }).click();
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByRole('button', { name: 'Save view' }).click();
  const view = page.getByRole('link', { name });
  await expect(view).toHaveAttribute('aria-current', 'page');
  await page.getByRole('button', { name: 'Columns' }).click();
  const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
  // The box follows the stored columns, a moment after the press.
  await page.getByRole('checkbox', { name: 'Deposited' }).click();
  await stored;
  await page.keyboard.press('Escape');
  await page.goto('/console/users');
  await expect(page.getByRole('columnheader', { name: 'Deposited' })).toBeAttached();
  await view.click();
  await expect(page).toHaveURL(/isStreamer=true/);
});

test('adds a note to each ticked user, and says what failed', async ({ page, platform, superadmin }) => {
  const { username } = await newPlayer(platform);
  await enterConsole(page, superadmin);
  await page.goto(`/console/users?search=${username}`);
  await row(page, username).getByRole('checkbox').check();
  const bar = page.getByRole('toolbar', { name: 'Selected users' });
  await expect(bar).toContainText('1 selected');
  await bar.getByRole('button', { name: 'Add note' }).click();
  await expect(dialog(page)).toContainText(username);
  await dialog(page).getByLabel('Note').fill('Seen in a list.');
  await dialog(page).getByRole('button', { name: 'Add note 1' }).click();
  await expect(dialog(page)).toContainText('1 row done');
});

test('adds tags to ticked users, filters by a tag, and removes it on the page of a user', async ({
  page,
  platform,
  superadmin,
}) => {
  const first = await newPlayer(platform);
  const second = await newPlayer(platform);
  await enterConsole(page, superadmin);
  await page.goto('/console/users');
  for (const { username } of [first, second]) await row(page, username).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Add tags' }).click();
  const add = dialog(page).filter({ hasText: 'Add tags' });
  await add.getByPlaceholder('Find or add a tag').fill('Slow Payer');
  await page.getByRole('option', { name: 'slow payer' }).click();
  await expect(add.getByRole('listitem')).toHaveText('slow payer');
  await add.getByRole('button', { name: 'Add tags 2' }).click();
  await expect(add).toContainText('2 rows done');
  await add.getByRole('button', { name: 'Close', exact: true }).last().click();

  await page.goto('/console/users?tag=slow+payer');
  await expect(page.locator('tbody').getByRole('row')).toHaveCount(2);
  await row(page, first.username).getByRole('link').first().click();
  const summary = page.getByRole('region', { name: 'Summary' });
  await expect(summary).toContainText('slow payer');
  await summary.getByRole('button', { name: 'Tags' }).click();
  await dialog(page).getByRole('button', { name: 'Remove slow payer' }).click();
  await dialog(page).getByRole('button', { name: 'Save tags' }).click();
  await expect(summary).not.toContainText('slow payer');
});

test('unticks the rows when the filters change, but not when the order does', async ({
  page,
  platform,
  superadmin,
}) => {
  const { username } = await newPlayer(platform);
  await enterConsole(page, superadmin);
  await page.goto(`/console/users?search=${username}`);
  await row(page, username).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'VIP', exact: true }).click();
  await expect(page).toHaveURL(/sortBy=vipLevel/);
  await expect(row(page, username).getByRole('checkbox')).toBeChecked();
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(page.getByRole('toolbar', { name: 'Selected users' })).toHaveCount(0);
  await expect(row(page, username).getByRole('checkbox')).not.toBeChecked();
});

test('exports ticked rows alone, with the names of players', async ({ page, platform, superadmin }) => {
  const { username } = await newPlayer(platform);
  await newPlayer(platform);
  await enterConsole(page, superadmin);
  await page.goto('/console/statement');
  await row(page, username).first().getByRole('checkbox').check();
  await page.getByRole('toolbar').getByRole('button', { name: 'Export' }).click();
  const answered = page.waitForResponse((response) => response.url().includes('ids='));
  const download = page.waitForEvent('download');
  await dialog(page).getByRole('button', { name: 'Export CSV' }).click();
  expect((await answered).headers()['x-row-count']).toBe('1');
  const [head, line, ...others] = (await readFile(await (await download).path(), 'utf8'))
    .trim()
    .split('\r\n');
  expect(head!.split(',')[line!.split(',').indexOf(username)]).toBe('user.username');
  expect(others).toEqual([]);
});

test('moves one row with each press of J and K', async ({ page, platform, superadmin }) => {
  for (let i = 0; i < 3; i++) await newPlayer(platform);
  await enterConsole(page, superadmin);
  await page.goto('/console/users');
  const links = page.locator('tbody [data-row]');
  await links.first().focus();
  for (const [key, at] of [
    ['j', 1],
    ['j', 2],
    ['k', 1],
  ] as const) {
    await page.keyboard.press(key);
    await expect(links.nth(at)).toBeFocused();
  }
});

test('keeps the dialog open and shows an error while the saved views have not loaded', async ({
  page,
  superadmin,
}) => {
  await enterConsole(page, superadmin);
  await page.route('**/admin/views/**', (route) => route.abort());
  await page.goto('/console/users?isStreamer=true');
  await page.getByRole('button', { name: 'Save view' }).click();
  await dialog(page).getByLabel('Name').fill(newName('View'));
  await dialog(page).getByRole('button', { name: 'Save view' }).click();
  await expect(page.getByText('Your saved views have not loaded')).toBeVisible();
  await expect(dialog(page).getByRole('button', { name: 'Save view' })).toBeVisible();
});

test('keeps the chosen entry of the palette when hits arrive above it', async ({ page, superadmin }) => {
  await enterConsole(page, superadmin);
  const held = Promise.withResolvers<void>();
  await page.route('**/admin/search?**', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill('console_boss');
  const users = page.getByRole('option', { name: /Users matching/ });
  await expect(users).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(users).toHaveAttribute('aria-selected', 'true');
  held.resolve();
  await expect(page.getByRole('option')).toHaveCount(2);
  await expect(users).toHaveAttribute('aria-selected', 'true');
});

test('finds pages and actions in the palette by other words for them', async ({ page, superadmin }) => {
  await enterConsole(page, superadmin);
  await page.keyboard.press('Control+k');
  const search = page.getByRole('combobox', { name: 'Search or jump to' });
  for (const [words, found] of [
    ['profit', /^Revenue/],
    ['GGR', /^Performance/],
    ['won most', /^Top players/],
    ['retention', /^Players Performance/],
    ['most profitable', /^Games Performance/],
    ['turn off game', 'Disable a game'],
    ['kyc', /^Verification/],
  ] as const) {
    await search.fill(words);
    await expect(page.getByRole('option', { name: found })).toBeVisible();
  }
});

test('opens pages and the palette with the keyboard', async ({ page, superadmin }) => {
  await enterConsole(page, superadmin);
  await expect(menu(page).getByRole('link', { name: 'Users' })).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await expect(title(page, 'Bets')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill('audit');
  await page.keyboard.press('Enter');
  await expect(title(page, 'Audit log')).toBeVisible();
  await page.keyboard.press('?');
  await expect(dialog(page)).toContainText('Next row');
});
