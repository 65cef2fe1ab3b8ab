import { setTimeout } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { card, dialog, notice, pressAndConfirm } from '../parts.ts';
import { callFrom, importedSlot, newPlayer, rejection } from '../users.ts';
import { enterConsole } from './console.ts';

/** Delays the reads of house games. */
const holdReads = (page: Page, ms: number) =>
  page.route('**/admin/casino/games/house**', async (route) => {
    if (route.request().method() === 'GET') await setTimeout(ms);
    await route.continue();
  });

test.beforeEach(({ page, superadmin }) => enterConsole(page, superadmin));

test('disables an original, which then rejects bets until it is enabled again', async ({
  page,
  platform,
}) => {
  const { call } = await newPlayer(platform);
  const bet = { currencyId: 'USDT', betAmount: '1', multiplier: 2 };
  const place = () => rejection(call('POST', '/casino/games/house/limbo/bet', bet));
  expect(await place()).toBe('accepted');
  await page.goto('/console/house-games/limbo');
  const reason = page.getByLabel('Reason (for the audit log)');
  await reason.fill('a test of the console');
  await holdReads(page, 1000);
  await pressAndConfirm(page, 'Disable game');
  await expect(notice(page, 'Game disabled')).toBeVisible();
  // The page does not clear a text that is typed while it reads the new state.
  await reason.fill('a test of the console');
  expect(await place()).toContain('GAME_DISABLED');
  await pressAndConfirm(page, 'Enable game');
  await expect(notice(page, 'Game enabled')).toBeVisible();
  expect(await place()).toBe('accepted');
});

test("disables a provider's game, which no player can then open", async ({ page, platform }) => {
  const { call } = await newPlayer(platform);
  const { slug, name } = await importedSlot(call);
  const launch = () => rejection(call('POST', `/casino/games/${slug}/launch`, { currencyId: 'USDT' }));
  expect(await launch()).toBe('accepted');
  await page.goto(`/console/games/${slug}`);
  await pressAndConfirm(page, 'Disable game');
  await expect(notice(page, `${name} disabled`)).toBeVisible();
  expect(await launch()).toMatch(/GAME_DISABLED|GAME_NOT_FOUND/);
  await pressAndConfirm(page, 'Enable game');
  await expect(notice(page, `${name} enabled`)).toBeVisible();
  expect(await launch()).toBe('accepted');
});

test('shows the change of a setting before saving and in the history, and rejects an invalid value', async ({
  page,
  platform,
}) => {
  const call = callFrom(page, platform.api);
  await call('PATCH', '/admin/config/COMMON', { minimumAge: 18 });
  await page.goto('/console/configuration');
  const site = card(page, 'The site');
  await site.getByLabel('Minimum age').fill('21');
  await site.getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page)).toContainText(/18\s*→\s*21/);
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  const last = page.locator('.history').getByRole('listitem').first();
  for (const part of ['Minimum age', 'console_boss', /18\s*→\s*21/]) await expect(last).toContainText(part);
  expect(await call('GET', '/config/USER')).toMatchObject({ minimumAge: 21 });
  await site.getByLabel('Default language').fill('de');
  await saveAndConfirm(page);
  await expect(site.locator('.problem')).toContainText(['needs to be one of languages']);
  await call('PATCH', '/admin/config/COMMON', { minimumAge: 18 });
});

const saveAndConfirm = (page: Page) => pressAndConfirm(card(page, 'The site'), 'Save');

test('finds a setting by its label on any tab, and moves the focus to its field', async ({ page }) => {
  await page.goto('/console/configuration');
  await page.getByLabel('Find a setting').fill('second appr');
  await page.getByRole('option', { name: /^Second approver/ }).click();
  await expect(page).toHaveURL(/configuration\/withdrawals$/);
  await expect(page.locator('main input:focus')).toHaveAttribute('name', /fourEyes/);
});

test('chooses the first games of the lobby by name, and orders them by dragging or with the keyboard', async ({
  page,
  platform,
}) => {
  const call = callFrom(page, platform.api);
  const chosen = async () => {
    const sections = await call('GET', '/admin/casino/games/main');
    return sections.find(({ category }: { category: string }) => category === 'HOUSE_GAME').slugs;
  };
  await page.goto('/console/front-page');
  const section = card(page, 'Original');
  const items = section.getByRole('listitem');
  for (const name of ['Dice', 'Keno', 'Limbo']) {
    await section.getByPlaceholder('Add a game').fill(name.toLowerCase());
    await page.getByRole('option', { name: new RegExp(`^${name}`) }).click();
    await expect(items.filter({ hasText: name })).toBeVisible();
  }
  await items.filter({ hasText: 'Limbo' }).dragTo(items.filter({ hasText: 'Dice' }));
  await expect(items).toContainText(['Limbo', 'Dice', 'Keno']);
  await section.getByRole('button', { name: 'Move Keno up' }).press('Alt+ArrowUp');
  await expect(items).toContainText(['Limbo', 'Keno', 'Dice']);
  await expect(section.getByRole('button', { name: 'Move Keno up' })).toBeFocused();
  await section.getByRole('button', { name: 'Move Limbo down' }).click();
  await expect(items).toContainText(['Keno', 'Limbo', 'Dice']);
  await pressAndConfirm(section, 'Save games');
  await expect(notice(page, 'Lobby layout saved')).toBeVisible();
  expect(await chosen()).toEqual(['keno', 'limbo', 'dice']);
  for (const name of ['Keno', 'Limbo', 'Dice'])
    await section.getByRole('button', { name: `Remove ${name}` }).click();
  await pressAndConfirm(section, 'Save games');
  await expect.poll(chosen).toEqual([]);
});

test('shows another game with its own tags, and discards input typed for the previous game', async ({
  page,
  platform,
}) => {
  const call = callFrom(page, platform.api);
  for (const slug of ['dice', 'limbo'])
    await call('PUT', `/admin/casino/games/${slug}/tags`, { tags: [`tag of ${slug}`] });
  const tags = card(page, 'Tags').getByLabel('Tags');
  await page.goto('/console/games/dice');
  await expect(tags).toHaveValue('tag of dice');
  await tags.fill('typed for dice');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill('limbo');
  await page
    .getByRole('option', { name: /^Limbo/ })
    .first()
    .click();
  await expect(page).toHaveURL(/games\/limbo$/);
  await expect(tags).toHaveValue('tag of limbo');
});
