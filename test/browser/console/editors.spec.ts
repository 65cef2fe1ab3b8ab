import { expect, test } from '../fixtures.ts';
import { card, complaintsOf, dialog, fact } from '../parts.ts';
import { checkEveryLook, DESKTOP } from '../screens/looks.ts';
import { betOnDice, callAs, newName, newPlayer, signUpPlayer } from '../users.ts';
import { enterConsole, row, title } from './console.ts';

test('shows values at the cursor and as a table, and opens the rows behind a figure', async ({
  page,
  platform,
  superadmin,
}) => {
  const { username, call } = await signUpPlayer(platform, await callAs(platform, superadmin));
  await betOnDice(call);
  await enterConsole(page, superadmin);
  const complaints = complaintsOf(page);
  await page.goto('/console/overview?range=TODAY');
  const chart = card(page, 'GGR');
  await chart.locator('.u-over').hover();
  await expect(chart.locator('.chart-tip')).toContainText('GGR');
  await chart.getByRole('button', { name: 'Show table' }).click();
  await expect(chart.getByRole('columnheader', { name: 'GGR' })).toBeVisible();
  await chart.getByRole('radio', { name: 'Turnover' }).check({ force: true });
  await expect(card(page, 'Turnover').getByRole('columnheader', { name: 'Turnover' })).toBeVisible();
  expect(await checkEveryLook(page)).toEqual([]);
  await page.setViewportSize(DESKTOP);
  await page.getByRole('link', { name: /^Turnover/ }).click();
  await expect(title(page, 'Bets')).toBeVisible();
  await expect(page).toHaveURL(/startDate=/);
  await expect(row(page, username).first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('shows the name of a typed id before the account becomes a bot', async ({
  page,
  platform,
  superadmin,
}) => {
  const { id, username } = await newPlayer(platform);
  await enterConsole(page, superadmin);
  await page.goto('/console/bots');
  const form = card(page, 'Turn an account into a bot');
  await form.getByLabel('User ID').fill(String(id));
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(fact(dialog(page), 'Account')).toHaveText(username);
  await expect(fact(dialog(page), 'Account type')).toHaveText('Bot');
});

test('shows the card and the cost of a promotion while its terms are typed, and its changes before saving', async ({
  page,
  superadmin,
}) => {
  const name = newName('Promotion');
  await enterConsole(page, superadmin);
  const complaints = complaintsOf(page);
  await page.goto('/console/promo/new');
  const [preview, cost] = [card(page, 'What players see'), card(page, 'What it can cost')];
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Amount', { exact: true }).fill('7.5');
  await expect(preview.getByRole('article')).toContainText(name);
  await expect(preview.getByRole('article')).toContainText('7.50 USDT');
  await expect(cost).toContainText('Nothing limits the number of grants');
  await page.getByLabel('Grant limit').fill('200');
  await expect(fact(cost, 'All grants, at most')).toHaveText(/^\$1,5\d\d/);
  await preview.getByRole('radio', { name: 'Light' }).check({ force: true });
  expect(await checkEveryLook(page)).toEqual([]);
  await page.setViewportSize(DESKTOP);
  await page.getByRole('button', { name: 'Create promotion' }).click();
  await expect(dialog(page)).toContainText('Start');
  await page.keyboard.press('Escape');
  await expect(title(page, name)).toBeVisible();
  await page.getByRole('link', { name: 'Terms', exact: true }).click();
  await page.getByLabel('Grant limit').fill('400');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog(page).locator('.changes')).toHaveText(/^Grant limit\s*200\s*→\s*400$/);
  await expect(fact(dialog(page), 'All grants, at most')).toHaveText(/^1,5\S*\sUSD → 3,0\S*\sUSD$/);
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByLabel('Grant limit')).toHaveValue('400');
  expect(complaints).toEqual([]);
});
