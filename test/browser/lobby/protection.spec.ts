import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { card, dialog, notice } from '../parts.ts';
import { betOnDice, betsOf, newPlayer, rejection } from '../users.ts';
import { gamePage, OUTCOME, openGame } from './game.ts';
import { header, playHasEnded, signIn, signOut } from './lobby.ts';

/** Maximum time after a self-exclusion during which a game may still be visible. */
const MAX_DELAY_MS = 1000;
const MINUTE_MS = 60_000;

const limits = (page: Page) => {
  const part = card(page, 'Limits');
  const row = part.getByRole('listitem').filter({ hasText: 'Bets per day' });
  const save = async (amount: string) => {
    await dialog(page).getByLabel('Limit in US dollars').fill(amount);
    await dialog(page).getByRole('button', { name: 'Set limit' }).click();
    await expect(dialog(page)).toHaveCount(0);
  };
  return {
    row,
    async set(amount: string) {
      await part.getByRole('button', { name: 'Set a limit' }).click();
      await dialog(page).getByText('Bets', { exact: true }).click();
      await save(amount);
    },
    async change(amount: string) {
      await row.getByRole('button', { name: 'Change the limit' }).click();
      await save(amount);
    },
  };
};
/** The tightest limit, beside the bet. */
const remaining = (page: Page, amount: string) => page.getByText(`${amount} of $5.00 left`);

test('lowers a limit immediately, raises it after a day, and rejects a bet beyond it', async ({
  page,
  platform,
}) => {
  const { call } = await newPlayer(platform, { page });
  await page.goto('/play/protection');
  const { row, set, change } = limits(page);
  await set('10');
  await expect(notice(page, 'Your limit applies from now on')).toBeVisible();
  await expect(row).toContainText('$0.00 of $10.00');
  await change('5');
  await expect(row).toContainText('$0.00 of $5.00');
  await expect(row).toContainText('Resets');
  await change('100');
  await expect(notice(page, 'Request saved')).toBeVisible();
  await expect(row.getByText('Requested: $100.00')).toBeVisible();
  await row.getByRole('button', { name: 'Keep current limit' }).click();
  await expect(notice(page, 'You keep your current limit')).toBeVisible();

  const { stake, play } = await openGame(page, 'dice');
  await expect(remaining(page, '$5.00')).toBeVisible();
  await stake.fill('6');
  await expect(play).toBeDisabled();
  expect(await rejection(betOnDice(call, { betAmount: '6' }))).toContain('LIMIT_REACHED');
  expect(await betsOf(call)).toEqual([]);
  await stake.fill('4');
  await play.click();
  await expect(notice(page, OUTCOME)).toBeVisible();
  await expect(remaining(page, '$1.00')).toBeVisible({ timeout: 40_000 });
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
  await page.getByRole('button', { name: 'Exclude myself…' }).click();
  await dialog(page).getByLabel('I understand').check();
  // A web-first assertion polls too rarely to measure this.
  const ended = [otherTab, otherDevice].map(async (game) => {
    await playHasEnded(game).waitFor();
    return Date.now();
  });
  const response = page.waitForResponse((one) => one.request().method() === 'POST');
  await dialog(page).getByRole('button', { name: 'Stop playing for 6 months' }).click();
  expect((await response).status()).toBe(201);
  const began = Date.now();
  expect(await betFrom(otherTab)).toMatchObject({ code: 'SELF_EXCLUDED' });
  for (const at of await Promise.all(ended)) expect(at - began).toBeLessThan(MAX_DELAY_MS);
  await expect(page.getByRole('heading', { name: 'You’re on a break' })).toBeVisible();

  await page.goto('/play/games?wallet=deposit');
  const wallet = dialog(page);
  await expect(wallet.getByRole('status')).toContainText('You can’t play or deposit until');
  await wallet.getByRole('navigation').getByRole('link', { name: 'Withdraw' }).click();
  await expect(wallet.getByRole('button', { name: 'Review withdrawal' })).toBeVisible();
  await page.keyboard.press('Escape');
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
  await page.getByText('15 min', { exact: true }).click();
  const { play } = await openGame(page, 'dice');
  await expect(header(page).live).toBeVisible();
  await page.clock.fastForward(15 * MINUTE_MS);
  const question = dialog(page).filter({ hasText: 'Reality check' });
  await expect(question.getByText('You’ve been playing for 15 minutes')).toBeVisible();
  // While the reality check is open, not even a scripted click on the button places a bet.
  await gamePage(page).play.dispatchEvent('click');
  await page.keyboard.press('Escape');
  await expect(question, 'only a button answers it').toBeVisible();
  await question.getByRole('button', { name: 'Keep playing' }).click();
  await expect(question).toBeHidden();
  expect(await betsOf(call)).toEqual([]);
  await play.click();
  await expect(notice(page, OUTCOME)).toBeVisible();
  expect(await betsOf(call)).toHaveLength(1);
});
