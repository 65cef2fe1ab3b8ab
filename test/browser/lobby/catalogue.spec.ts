/** The lists of games and the live bets, for visitors and players. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { expectLoaded } from '../parts.ts';
import { betOnDice, callAs, newPlayer, signUpPlayer } from '../users.ts';
import { gameFrame, openSlot, tile } from './catalogue.ts';
import { menuLink } from './lobby.ts';

test('shows visitors the games, the live bets and how results are checked', async ({
  page,
  platform,
  superadmin,
}) => {
  // The list leaves out the bets of test accounts.
  const { call } = await signUpPlayer(platform, await callAs(platform, superadmin));
  await betOnDice(call);
  await page.goto('/play/');
  const main = page.getByRole('main');
  await expect(main.getByRole('link', { name: 'Sign up' })).toBeVisible();
  await expect(main.locator('.promo img')).not.toHaveCount(0);
  for (const picture of await main.locator('.promo img').all()) await expectLoaded(picture);
  await expect(tile(page, 'Dice')).toBeVisible();
  await expect(main.getByRole('table', { name: 'Bets' }).getByRole('link', { name: 'Dice' })).toBeVisible();
  await page.goto('/play/fairness');
  await expect(main.getByRole('link', { name: 'Open the bet verifier' })).toBeVisible();
  await page.goto('/play/bets');
  await expect(main.getByRole('heading', { name: 'Sign in to see your bets' })).toBeVisible();
});

test('applies filters as they are set, and keeps them in the address', async ({ page }) => {
  await page.goto('/play/casino/slots');
  const tiles = page.getByRole('main').locator('.tile');
  await expect(tiles.filter({ hasText: 'Amber Anchors' })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search this list' }).fill('orchards');
  await expect(page).toHaveURL(/name=orchards/);
  await expect(tiles.filter({ hasNotText: 'Orchards' })).toHaveCount(0);
  await expect(tile(page, 'Seven Orchards')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('searchbox')).toHaveValue('orchards');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/play/casino/slots');
  await expect(tiles.filter({ hasText: 'Amber Anchors' })).toBeVisible();
});

test('moves the focus to the heading of a page that a link opens', async ({ page }) => {
  await page.goto('/play/games');
  await expect(tile(page, 'Dice')).toBeVisible();
  const title = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  await menuLink(page, 'Originals').click();
  await expect(title('Originals')).toBeFocused();
  await tile(page, 'Dice').click();
  await expect(title('Dice')).toBeFocused();
});

test('offers a way on from games and pages that do not exist', async ({ page }) => {
  for (const path of ['/games/no-such-game', '/casino/no-such-list', '/no-such-page']) {
    await page.goto(`/play${path}`);
    await page.getByRole('link', { name: 'Browse games' }).click();
    await expect(tile(page, 'Dice')).toBeVisible();
  }
});

/** Returns what the browser says after the name of each button with this name. */
async function descriptionsOf(page: Page, name: string) {
  const devTools = await page.context().newCDPSession(page);
  const { nodes } = await devTools.send('Accessibility.getFullAXTree');
  await devTools.detach();
  return nodes
    .filter((one) => one.role?.value === 'button' && one.name?.value === name)
    .map(({ description }) => description?.value || undefined);
}

test('keeps favourites, and lists the games that were played last', async ({ page, platform }) => {
  const { call } = await newPlayer(platform, { page });
  await betOnDice(call);
  await page.goto('/play/casino/originals');
  const star = page.getByRole('button', { name: 'Favourite: Plinko', exact: true });
  await expect(star).toBeVisible();
  expect(await descriptionsOf(page, 'Favourite: Plinko')).toEqual([undefined]);
  await expect(page.getByRole('button', { name: 'Sort Popular', exact: true })).toBeVisible();
  await tile(page, 'Plinko').hover();
  await star.click();
  await expect(star).toHaveAttribute('aria-pressed', 'true');
  await page.goto('/play/casino/favourites');
  await expect(tile(page, 'Plinko')).toBeVisible();
  await page.goto('/play/casino/recent');
  await expect(tile(page, 'Dice')).toBeVisible();
});

test('opens the wallet above a game whose cashier button asks for it', async ({ page, platform }) => {
  await newPlayer(platform, { page });
  await openSlot(page);
  await expect(page.locator('iframe.frame')).toBeFocused();
  await gameFrame(page).locator('body').evaluate("parent.postMessage({ type: 'cashier' }, '*')");
  await expect(page).toHaveURL(/wallet=deposit/);
  await expect(page.locator('iframe.frame')).toBeVisible();
});
