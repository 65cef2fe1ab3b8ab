/** The frame that the house games share: main button, hotkeys, autoplay, unknown outcomes and the proof of a bet. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { newPlayer, type Player } from '../users.ts';

async function open(page: Page, game: string, { isPlayable = true } = {}) {
  await page.goto(`/play/games/${game}`);
  const frame = {
    play: page.locator('.panel .play'),
    amount: page.locator('input[name=betAmount]'),
    said: page.locator('.arena > .said'),
    results: page.getByRole('list', { name: 'Recent results' }).getByRole('listitem'),
    foot: (name: string) => page.locator('.game-foot').getByRole('button', { name }),
  };
  await expect(frame.play).toBeEnabled({ enabled: isPlayable });
  return frame;
}

const countBets = async ({ call }: Player): Promise<number> => (await call('GET', '/bets?take=1')).total;

test('ignores hotkeys until the player turns them on, and while a field has the focus', async ({
  page,
  platform,
}) => {
  const player = await newPlayer(platform, { page });
  const { amount, foot, results } = await open(page, 'dice');
  await page.keyboard.press('s');
  await page.keyboard.press('Space');
  await expect(amount).toHaveValue('1.00');
  await foot('Hotkeys').click();
  await page.keyboard.press('s');
  await expect(amount).toHaveValue('2');
  await page.keyboard.press('Space');
  await expect(results).toHaveCount(1);
  await amount.focus();
  // The key is a letter of the text, which the field then rejects.
  await page.keyboard.press('s');
  await expect(amount).toHaveValue('2s');
  expect(await countBets(player)).toBe(1);
});

test('keeps the idempotency key of a bet with an unknown outcome when the page is reloaded', async ({
  page,
  platform,
}) => {
  const player = await newPlayer(platform, { page });
  const { play, said } = await open(page, 'dice');
  const keys = new Set<string | null>();
  const unknown = { statusCode: 503, code: 'BET_OUTCOME_UNKNOWN', message: 'unknown', requestId: 'none' };
  await page.route('**/house/dice/bet', async (route) => {
    keys.add(await route.request().headerValue('idempotency-key'));
    await route.fetch().catch(() => undefined);
    await route.fulfill({ status: 503, json: unknown }).catch(() => undefined);
  });
  await play.click();
  const note = page.getByText('We don’t know yet whether your last bet was placed');
  await expect(note).toBeVisible();
  await page.reload();
  await expect(note).toBeVisible();
  await expect(play).toBeDisabled();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await expect(said).toHaveText(/\S/);
  await expect(play).toBeEnabled();
  expect(keys.size).toBe(1);
  expect(await countBets(player)).toBe(1);
});

test('says why no bet is possible: at the field of autoplay, and with a way to the deposit', async ({
  page,
  platform,
}) => {
  await newPlayer(platform, { page, money: '0.5' });
  const { play, amount } = await open(page, 'dice', { isPlayable: false });
  await expect(amount).toHaveAccessibleDescription('Not enough balance');
  await page.locator('.panel').getByRole('link', { name: 'Deposit' }).click();
  await expect(page).toHaveURL(/wallet=deposit/);
  const wallet = page.getByRole('dialog', { name: 'Wallet' });
  await expect(wallet).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(wallet).toBeHidden();
  for (const [text, problem] of [
    ['0.000000001', 'At most 8 decimals'],
    ['999999999999', 'Enter 92,233,720,368.54775807 or less'],
    ['1e3', 'Enter an amount, like 12.50'],
    ['1,204', 'Enter an amount, like 12.50'],
  ] as const) {
    await amount.fill(text);
    await expect(amount).toHaveValue(text);
    await expect(amount).toHaveAccessibleDescription(problem);
    await expect(play).toBeDisabled();
  }
  await amount.fill('0.20');
  await page.getByText('Auto', { exact: true }).click();
  const loss = page.locator('input[name=loss]');
  await loss.fill('');
  await expect(loss).toHaveAccessibleDescription('Enter an amount, like 12.50');
  await expect(play).toBeDisabled();
});

test('proves a bet in the browser once its seed is revealed', async ({ page, platform }) => {
  await newPlayer(platform, { page });
  const { play, said, foot } = await open(page, 'limbo');
  await play.click();
  await expect(said).toHaveText(/\S/);
  await foot('Fair play').click();
  await expect(page.getByText('The server seed of this bet is still secret')).toBeVisible();
  await page.getByRole('button', { name: 'Go to seeds' }).click();
  await page.getByRole('button', { name: 'Reveal and change seeds' }).click();
  await expect(page.getByText('Revealed server seed')).toBeVisible();
  await page.getByRole('dialog').getByText('Last bet', { exact: true }).click();
  await expect(page.getByText('This bet checks out.')).toBeVisible();
});
