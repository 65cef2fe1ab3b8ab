import { ok } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { siteScreens } from './console-site.ts';
import { enter, type Platform, type Staff } from './entry.ts';
import { growthScreens } from './growth.ts';
import { inEveryLook, SIZES, visit } from './looks.ts';
import { signIn } from './verify.ts';

/** Matches the 404 error that the browser logs when a player has no withdrawal block. */
const NOTED = /status of 404/;

/**
 * Checks every screen of the menu and of one player, in all sizes and themes. Expects no errors, no accessibility problems and no
 * horizontal scrolling.
 */
export async function everyScreen(browser: Browser, platform: Platform, staff: Staff): Promise<void> {
  const player = await signIn(platform.api);
  const { id } = await player('GET', '/user/me');
  await player('POST', '/casino/games/house/dice/bet', {
    currencyId: 'USDT',
    betAmount: '1',
    threshold: 50,
    above: true,
  });
  const own = [
    `/users/${id}`,
    `/users/${id}/money`,
    `/users/${id}/protection`,
    `/users/${id}/notes`,
    `/staff/${id}`,
    ...(await growthScreens(platform, staff)),
  ];
  const preparing = await browser.newContext();
  const desk = await preparing.newPage();
  await enter(desk, platform, staff);
  own.push(...(await siteScreens(desk, platform)));
  await preparing.close();
  const refusals: string[] = [];
  const context = await browser.newContext({ viewport: SIZES[0]! });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await enter(page, platform, staff);
  const menu = await page
    .locator('nav[aria-label=Console] a')
    .evaluateAll((links) => links.map((a) => a.getAttribute('href')!));
  ok(menu.length > 10, `the menu has ${menu.length} entries`);
  const screens = [...menu.map((href) => href.replace('/console', '')), ...own, `/kyc/${id}`];
  await visit(
    context,
    screens.map((screen) => `${platform.api}/console${screen}`),
    async (tab, screen) => {
      refusals.push(...(await inEveryLook(tab)).map((problem) => `${screen} ${problem}`));
    },
    { complaints: refusals, isNoted: NOTED },
  );
  await context.close();
  ok(refusals.length === 0, refusals.join('\n'));
}

/**
 * A staff member finds a player by keyboard, sees the player's bet, bans the player and finds the ban in the audit log. The player's
 * session ends immediately.
 */
export async function banAPlayer(page: Page, platform: Platform, staff: Staff): Promise<void> {
  const player = await signIn(platform.api);
  const { username } = await player('GET', '/user/me');
  await enter(page, platform, staff);
  await page.goto(`${platform.api}/console/users`);
  await page.locator('main table').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(username);
  await page.keyboard.press('Enter');
  await page.locator('tbody tr').filter({ hasText: username }).waitFor();
  await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
  ok(page.url().includes(`search=${username}`), `the filter is not in the address: ${page.url()}`);
  await page.locator('h1').click();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.locator('h1').filter({ hasText: username }).waitFor();
  const ban = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Ban' }) });
  await ban.getByLabel('Reason').fill('a test of the console');
  await ban.getByRole('button', { name: 'Ban', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Ban' }).click();
  await page.getByRole('status').filter({ hasText: 'Banned' }).waitFor();
  const answer = await player('GET', '/user/me').catch((error: Error) => error.message);
  ok(
    typeof answer === 'string' && /401|UNAUTHORIZED/.test(answer),
    `a banned player goes on: ${JSON.stringify(answer)}`,
  );
  await page.goto(`${platform.api}/console/audit`);
  await page.locator('tbody tr').filter({ hasText: '/ban' }).first().waitFor();
}

/** A server error about a field appears next to the field, and no input is lost. */
export async function keepWhatWasTyped(page: Page, platform: Platform, staff: Staff): Promise<void> {
  await enter(page, platform, staff);
  await page.goto(`${platform.api}/console/staff`);
  const form = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'An account for a colleague' }) });
  await form.getByLabel('Username').fill('a');
  await form.getByLabel('E-mail').fill('colleague@mail.example');
  await form.getByLabel('Temporary password').fill('short');
  await form.getByRole('button', { name: 'Open it' }).click();
  await form.locator('.problem, .refusal').first().waitFor();
  ok((await form.getByLabel('E-mail').inputValue()) === 'colleague@mail.example', 'the address was lost');
  ok((await form.getByLabel('Temporary password').inputValue()) === 'short', 'the password was lost');
}
