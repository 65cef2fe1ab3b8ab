/** Lost files, lost connections, restarts, and how browsers and other sites show the lobby. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { dialog } from '../parts.ts';
import { cashOf, newPlayer } from '../users.ts';
import { openGame } from './game.ts';
import { expectBalance, header, menuLink, playHasEnded } from './lobby.ts';

const HELP = /assets\/help-.*js/;
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

test('keeps the frame and the session when a page cannot be loaded, and loads it later', async ({
  page,
  platform,
}) => {
  const { username } = await newPlayer(platform, { page });
  await page.goto('/play/protection');
  await expect(title(page, 'Safer play')).toBeVisible();
  await page.route(HELP, (route) => route.abort('internetdisconnected'));
  await menuLink(page, 'Help').click();
  await expect(title(page, 'This page didn’t load')).toBeVisible();
  await expect(header(page).user(username)).toBeVisible();
  await page.unroute(HELP);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(title(page, 'Help')).toBeVisible();
});

test('reloads the page once when a new version has replaced a file', async ({ page, platform }) => {
  const { username } = await newPlayer(platform, { page });
  await page.goto('/play/protection');
  await expect(title(page, 'Safer play')).toBeVisible();
  let isGone = true;
  let reloads = 0;
  await page.route(HELP, (route) => (isGone ? route.fulfill({ status: 404 }) : route.continue()));
  page.on('request', (request) => {
    if (!request.isNavigationRequest()) return;
    reloads++;
    isGone = false;
  });
  await menuLink(page, 'Help').click();
  await expect(title(page, 'Help')).toBeVisible();
  await expect(header(page).user(username)).toBeVisible();
  expect(reloads).toBe(1);
});

test('says that the visitor is offline, and goes on when the connection is back', async ({
  page,
  context,
  platform,
}) => {
  const player = await newPlayer(platform, { page });
  await openGame(page, 'dice');
  await expect(header(page).live).toBeVisible();
  await context.setOffline(true);
  const banner = page.getByRole('status').filter({ hasText: 'You’re offline' });
  await expect(banner).toBeVisible();
  await context.setOffline(false);
  await expect(banner).toHaveCount(0);
  await expect(header(page).live).toBeVisible({ timeout: 60_000 });
  await expectBalance(page, () => cashOf(player.call));
});

test('opens and closes what is above a page with Back and Forward', async ({ page }) => {
  await page.goto('/play/help');
  await header(page).signUp.click();
  const signUp = page.getByRole('dialog', { name: 'Create your account' });
  await expect(signUp).toBeVisible();
  await signUp.getByRole('link', { name: 'Sign in' }).click();
  const signIn = page.getByRole('dialog', { name: 'Sign in' });
  await expect(signIn).toBeVisible();
  await signIn.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('dialog', { name: 'Reset your password' })).toBeVisible();
  await page.goBack();
  await expect(signIn).toBeVisible();
  await page.goBack();
  await expect(signUp).toBeVisible();
  await page.goBack();
  await expect(dialog(page)).toHaveCount(0);
  await expect(title(page, 'Help')).toBeVisible();
  await page.goForward();
  await expect(signUp).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  expect(new URL(page.url()).search).toBe('');
  await page.keyboard.press('/');
  await expect(page.getByRole('dialog', { name: 'Search games' })).toBeVisible();
});

test('shows the same state in two tabs: a sign-out, and an exclusion', async ({
  page,
  context,
  platform,
}) => {
  const player = await newPlayer(platform, { page });
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await openGame(tab, 'dice');
    await expect(header(tab).live).toBeVisible();
  }
  await player.call('POST', '/user-limits/self-exclusion', { durationDays: 1 });
  for (const tab of [page, other]) await expect(playHasEnded(tab)).toBeVisible();
  await header(page).menu.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  for (const tab of [page, other]) await expect(header(tab).signIn).toBeVisible();
});

test('describes each page to search engines, link previews and browsers', async ({ page, platform }) => {
  await page.goto('/play/help');
  await expect(page).toHaveTitle('Help – Croupier');
  const description = page.locator('meta[name=description]');
  await expect(description).toHaveAttribute('content', 'Answers to common questions, and how to reach us.');
  await menuLink(page, 'Home').click();
  await expect(description).toHaveAttribute('content', /Originals, slots and live casino/);
  const address = async (selector: string, name: string) =>
    new URL((await page.locator(selector).getAttribute(name))!, platform.api).href;
  const pictures = [
    await address('meta[property="og:image"]', 'content'),
    await address('link[rel=icon]', 'href'),
    await address('link[rel=apple-touch-icon]', 'href'),
  ];
  const manifest = await (await page.request.get(await address('link[rel=manifest]', 'href'))).json();
  expect(manifest).toMatchObject({ name: 'Croupier', start_url: '/play/', display: 'standalone' });
  for (const { src } of manifest.icons) pictures.push(new URL(src, platform.api).href);
  for (const picture of pictures) {
    const response = await page.request.get(picture);
    expect([response.status(), response.headers()['content-type']], picture).toEqual([
      200,
      expect.stringContaining('image/'),
    ]);
  }
});

test.describe('restart', () => {
  test('returns to an open round and the balance after the server has restarted', async ({
    page,
    platform,
  }) => {
    const player = await newPlayer(platform, { page });
    await player.call('POST', '/casino/games/house/mines/play', {
      currencyId: 'USDT',
      betAmount: '1',
      gridCellsCount: 25,
      bombsCount: 1,
    });
    const { cashOut } = await openGame(page, 'mines');
    await expect(header(page).live).toBeVisible();
    await platform.restart(() => expect(header(page).notLive).toBeVisible());
    await expect(header(page).live).toBeVisible({ timeout: 120_000 });
    await expectBalance(page, () => cashOf(player.call));
    await page.reload();
    await expect(cashOut).toBeVisible();
  });
});
