import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { alert, card, dialog, notice } from '../parts.ts';
import { betsOf, newPlayer } from '../users.ts';
import { OUTCOME, openGame } from './game.ts';
import { header, playHasEnded, signIn, signOut } from './lobby.ts';

/** Maximum time after a self-exclusion during which a game may still be visible. */
const MAX_DELAY_MS = 1000;
const MINUTE_MS = 60_000;

const limits = (page: Page) => {
  const part = card(page, 'Limits');
  return {
    row: part.locator('tbody').getByRole('row').filter({ hasText: 'Stakes per day' }),
    async set(amount: string) {
      await part.getByLabel('Limit on').selectOption('WAGER');
      await part.getByLabel('US dollars').fill(amount);
      await part.getByRole('button', { name: 'Set the limit' }).click();
    },
  };
};
const remaining = (page: Page, amount: string) =>
  page.getByText(`Left of the limit of stakes for the day: ${amount} USD`);

test('lowers a limit immediately, raises it after a day, and rejects a bet beyond it', async ({
  page,
  platform,
}) => {
  const { call } = await newPlayer(platform, { page });
  await page.goto('/play/protection');
  const { row, set } = limits(page);
  await set('10');
  await expect(notice(page, 'The limit holds from now on')).toBeVisible();
  await expect(row).toContainText('10 USD');
  await set('5');
  await expect(row).toContainText('5 USD');
  await set('100');
  await expect(notice(page, 'The change waits for a day')).toBeVisible();
  await expect(row.getByText('Asked for: 100 USD')).toBeVisible();
  await row.getByRole('button', { name: 'Keep the present limit' }).click();
  await expect(notice(page, 'The present limit stays')).toBeVisible();

  const { stake, play } = await openGame(page, 'dice');
  await expect(remaining(page, '5')).toBeVisible();
  await stake.fill('6');
  await play.click();
  await expect(alert(page, 'limit')).toBeVisible();
  expect(await betsOf(call)).toEqual([]);
  await stake.fill('4');
  await play.click();
  await expect(notice(page, OUTCOME)).toBeVisible();
  await expect(remaining(page, '1')).toBeVisible({ timeout: 40_000 });
});

test('ends play in every tab and on every device when a player self-excludes, and allows withdrawals', async ({
  page,
  context,
  openPage,
  platform,
}) => {
  const player = await newPlayer(platform, { page });
  const otherTab = await context.newPage();
  const otherDevice = await openPage();
  await signIn(otherDevice, player);
  for (const game of [otherTab, otherDevice]) {
    await openGame(game, 'dice');
    await expect(header(game).live).toBeVisible();
  }
  await page.goto('/play/protection');
  await page.getByRole('button', { name: '6 months' }).click();
  await dialog(page).getByLabel('I understand this and want it').check();
  // A web-first assertion polls too rarely to measure this.
  const ended = [otherTab, otherDevice].map(async (game) => {
    await playHasEnded(game).waitFor();
    return Date.now();
  });
  const response = page.waitForResponse((one) => one.request().method() === 'POST');
  await dialog(page).getByRole('button', { name: 'Stop play for 6 months' }).click();
  expect((await response).status()).toBe(201);
  const began = Date.now();
  expect(await betFrom(otherTab)).toMatchObject({ code: 'SELF_EXCLUDED' });
  for (const at of await Promise.all(ended)) expect(at - began).toBeLessThan(MAX_DELAY_MS);
  await expect(page.getByRole('heading', { name: 'You are excluded from play' })).toBeVisible();

  await page.goto('/play/wallet/deposit');
  await expect(playHasEnded(page)).toBeVisible();
  await page.getByRole('link', { name: 'Withdraw' }).click();
  await expect(page.getByRole('button', { name: 'See the fee' })).toBeVisible();
  await signOut(page);
  await signIn(page, player);
  await page.goto('/play/games');
  await expect(playHasEnded(page)).toBeVisible();
});

/** Places a bet through the API with the page's session. */
const betFrom = (page: Page) =>
  page.evaluate(async () => {
    const response = await fetch('/casino/games/house/dice/bet', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
      body: JSON.stringify({ currencyId: 'USDT', betAmount: '1', threshold: 50, above: true }),
    });
    return response.json();
  });

/** Time passes only on the browser's clock. */
test('stops play at a reality check until the player responds', async ({ page, platform }) => {
  const { call } = await newPlayer(platform, { page });
  await page.clock.install();
  await page.goto('/play/protection');
  await page.getByLabel('15 min').check();
  const { play } = await openGame(page, 'dice');
  await expect(page.getByText('USD since you came')).toBeVisible();
  await page.clock.fastForward(15 * MINUTE_MS);
  const question = dialog(page).filter({ hasText: 'A moment to look' });
  await expect(question.getByText('You have been here for 15 minutes')).toBeVisible();
  // While the reality check is open, not even a scripted click on the button places a bet.
  await play.dispatchEvent('click');
  await question.getByRole('button', { name: 'Go on playing' }).click();
  await expect(question).toBeHidden();
  expect(await betsOf(call)).toEqual([]);
  await play.click();
  await expect(notice(page, OUTCOME)).toBeVisible();
  expect(await betsOf(call)).toHaveLength(1);
});
