/** Keno, plinko, mines and monkey run: bets and rounds by keyboard, autoplay, and rounds that go on after a reload. */
import { expect, test } from '../fixtures.ts';
import { complaintsOf, tabTo } from '../parts.ts';
import { newPlayer, type Player } from '../users.ts';
import { openGame } from './game.ts';

const PHONE = { width: 390, height: 844 };
const BAR = 64;

const countBets = async ({ call }: Player): Promise<number> => (await call('GET', '/bets?take=1')).total;
/** The browser reports a 404 if the player has no open round. */
const isMissingRound = (_: string, url: string) => /house\/(mines\/board|monkey-run\/game)$/.test(url);

for (const game of ['keno', 'plinko', 'mines', 'monkey-run'])
  test(`shows the bet button of ${game} above the bar of a phone`, async ({ page, platform }) => {
    await newPlayer(platform, { page });
    await page.setViewportSize(PHONE);
    const { play } = await openGame(page, game);
    const { y, height } = (await play.boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(PHONE.height - BAR);
  });

test('plays keno by keyboard', async ({ page, platform }) => {
  const complaints = complaintsOf(page);
  const player = await newPlayer(platform, { page });
  const { play, kenoNumbers: numbers, outcome: said } = await openGame(page, 'keno');
  await expect(play).toBeDisabled();
  await tabTo(numbers);
  for (const key of ['Enter', 'ArrowRight', 'Space', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await expect(numbers.and(page.locator('[aria-pressed=true]'))).toHaveCount(3);
  await tabTo(play, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(said).toHaveText(/^\d of 3 hit/);
  expect(await countBets(player)).toBe(1);
  await page.getByRole('button', { name: 'Auto pick' }).click();
  await expect(said).toHaveText(/^Picked: \d+, \d+, /);
  await expect(page.getByRole('button', { name: /^Check the bet of \d/ })).toHaveCount(1);
  expect(complaints).toEqual([]);
});

test('drops several balls of plinko at once', async ({ page, platform }) => {
  const complaints = complaintsOf(page);
  const player = await newPlayer(platform, { page });
  const { play, results } = await openGame(page, 'plinko');
  await expect(play).toBeEnabled();
  for (let ball = 1; ball <= 3; ball++) {
    await play.click();
    await page.waitForTimeout(400);
  }
  await expect(results).toHaveCount(3);
  expect(await countBets(player)).toBe(3);
  expect(complaints).toEqual([]);
});

test('plays a round of mines by keyboard, and goes on with it after a reload', async ({ page, platform }) => {
  const complaints = complaintsOf(page, isMissingRound);
  const player = await newPlayer(platform, { page });
  const { play, minesCells: cells, cashOut, outcome: said, more } = await openGame(page, 'mines');
  await expect(async () => {
    await play.press('Enter');
    await expect(more).toBeFocused();
    await tabTo(cells);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect(said).toHaveText(/^Gem/, { timeout: 3000 });
  }).toPass();
  await page.reload();
  await expect(said).toHaveText('Your round is still open');
  await expect(page.getByRole('button', { name: /: gem$/ })).toHaveCount(1);
  await cashOut.press('Enter');
  await expect(said).toContainText('×');
  await expect(page.getByRole('button', { name: /: mine, shown after the round$/ })).toHaveCount(3);
  expect(await countBets(player)).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
});

test('plays mines on auto with chosen tiles', async ({ page, platform }) => {
  const player = await newPlayer(platform, { page });
  const { play, minesCells: cells, autoplay, quickPlay } = await openGame(page, 'mines');
  await quickPlay.click();
  await page.getByText('Auto', { exact: true }).click();
  await expect(play).toBeDisabled();
  await cells.nth(3).click();
  await cells.nth(12).click();
  await autoplay.count.fill('5');
  await autoplay.lossLimit.fill('100');
  await play.click();
  await expect(autoplay.tally).toContainText('Autoplay finished', { timeout: 30_000 });
  expect(await countBets(player)).toBe(5);
});

test('plays a monkey run by keyboard, and goes on with it after a reload', async ({ page, platform }) => {
  const complaints = complaintsOf(page, isMissingRound);
  const player = await newPlayer(platform, { page });
  const { play, monkeyTile, cashOut, outcome: said, more } = await openGame(page, 'monkey-run');
  await expect(async () => {
    await play.press('Enter');
    await expect(more).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(said).toHaveText(/^Safe/, { timeout: 3000 });
  }).toPass();
  await page.reload();
  await expect(monkeyTile(1)).toBeVisible();
  await cashOut.press('Enter');
  await expect(said).toContainText('First trap');
  expect(await countBets(player)).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
});

test('plays monkey run on auto up to a chosen tile', async ({ page, platform }) => {
  const player = await newPlayer(platform, { page });
  const { play, autoplay, quickPlay } = await openGame(page, 'monkey-run');
  await quickPlay.click();
  await page.getByText('Auto', { exact: true }).click();
  await page.locator('input[name=tile]').fill('2');
  await autoplay.count.fill('5');
  await autoplay.lossLimit.fill('100');
  await play.click();
  await expect(autoplay.tally).toContainText('Autoplay finished', { timeout: 30_000 });
  expect(await countBets(player)).toBe(5);
});
