/** Roulette, speed roulette and blackjack: what is special about their tables. The frame has its own tests. */
import type { Page } from '@playwright/test';
import { units } from '../../../src/platform/money.ts';
import { expect, test } from '../fixtures.ts';
import { complaintsOf, tabTo } from '../parts.ts';
import { newPlayer, type Player } from '../users.ts';

async function open(page: Page, game: string) {
  await page.goto(`/play/games/${game}`);
  const play = page.locator('.panel .play');
  await expect(page.locator('.panel')).toBeVisible();
  return {
    play,
    said: page.locator('.arena > .said'),
    results: page.getByRole('list', { name: 'Recent results' }).getByRole('listitem'),
    table: page.getByRole('group', { name: /^Betting table/ }),
    chips: page.locator('.felt .jeton'),
    total: page.locator('input[name=betAmount]'),
    button: (name: string | RegExp) => page.locator('.panel').getByRole('button', { name }),
    foot: (name: string) => page.locator('.game-foot').getByRole('button', { name }),
    moves: page.getByRole('group', { name: 'Your move' }),
    cards: page.locator('.hands').getByRole('img'),
  };
}

const betsOf = async ({ call }: Player) => (await call('GET', '/bets?take=1')).data;

test('plays roulette by keyboard: chips, undo, double, spin, and the last bet again', async ({
  page,
  platform,
}) => {
  const complaints = complaintsOf(page);
  const player = await newPlayer(platform, { page });
  const { play, said, table, chips, total, button, foot } = await open(page, 'roulette');
  await foot('Quick play').click();
  await expect(play).toBeDisabled();
  await tabTo(table.getByRole('button').and(page.locator('[tabindex="0"]')), 'Shift+Tab');
  for (const key of 'Enter ArrowRight Enter ArrowRight Enter Backspace'.split(' '))
    await page.keyboard.press(key);
  await expect(chips).toHaveCount(2);
  await expect(said).toHaveText('Total bet: $2.00');
  await expect(table.getByRole('button', { name: 'Number 17 black, 36.00×', exact: true })).toBeAttached();
  await expect(table.getByRole('button', { name: 'Split 0, 2, 18.00×, $1.00' })).toBeAttached();
  await button('2× Double all chips').click();
  await expect(total).toHaveValue('4.00');
  await button('Undo').click();
  await expect(total).toHaveValue('2.00');
  await play.click();
  await expect(said).toHaveText(/^\d+ (red|black|green) · /);
  await button('Clear').click();
  await expect(chips).toHaveCount(0);
  await button('Last bet').click();
  await expect(chips).toHaveCount(2);
  expect(await betsOf(player)).toMatchObject([{ status: 'SETTLED', amount: '2' }]);
  expect(complaints).toEqual([]);
});

test('places chips on neighbours of a number, and on the line between two numbers', async ({
  page,
  platform,
}) => {
  await newPlayer(platform, { page });
  const { table, chips, total, button } = await open(page, 'roulette');
  const number = table.getByRole('button', { name: /^Number 17 black,/ });
  await expect(number).toBeVisible();
  const { width, height } = (await number.boundingBox())!;
  await number.click({ position: { x: width - 3, y: height / 2 } });
  await expect(table.getByRole('button', { name: 'Split 17, 20, 18.00×, $1.00' })).toBeAttached();
  await button(/^Place chips on/).click();
  await page.getByRole('option', { name: 'Number and neighbours' }).click();
  await number.click();
  await expect(chips).toHaveCount(6);
  await expect(total).toHaveValue('6.00');
});

test('continues a round of blackjack after a reload, and plays it by hotkeys', async ({ page, platform }) => {
  const complaints = complaintsOf(page);
  const player = await newPlayer(platform, { page });
  const { play, moves, cards, foot, results } = await open(page, 'blackjack');
  await foot('Hotkeys').click();
  await play.click();
  await expect(cards.first()).toBeVisible();
  const isOpen = () => moves.isVisible();
  // With a blackjack the round is over immediately.
  if (await isOpen()) {
    await expect(moves).toHaveAttribute('aria-busy', 'false');
    await page.reload();
    await expect(moves.getByRole('button', { name: 'Stand' })).toBeEnabled();
    await expect(cards).toHaveCount(2);
    await page.keyboard.press('s');
  }
  await expect(play).toBeEnabled();
  await expect(results).toHaveCount(1);
  expect(await betsOf(player)).toMatchObject([{ status: 'SETTLED' }]);
  expect(complaints).toEqual([]);
});

test('plays a shared round of speed roulette, shows its outcome when the strip stops, and keeps its seed hash', async ({
  page,
  platform,
}) => {
  const complaints = complaintsOf(page);
  const player = await newPlayer(platform, { page });
  // A platform that has just started has no round yet.
  const round = () => player.call('GET', '/casino/games/house/speed-roulette/info').catch(() => undefined);
  await expect.poll(round).toBeDefined();
  const { play, said, results, foot } = await open(page, 'speed-roulette');
  await page.locator('.speed-colors').getByText('Black').click();
  await expect(play).toBeEnabled({ timeout: 60_000 });
  await play.click();
  await expect(said).toHaveText('$1.00 on black');
  await expect(page.locator('.speed-bets .own')).toHaveText(/You\s*\$1\.00/);
  await foot('Fair play').click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Seeds', { exact: true }).click();
  const seedHash = await drawer.locator('code').first().innerText();
  await page.keyboard.press('Escape');
  await expect(said).toHaveText(/^\d+ (red|black|green) · /, { timeout: 60_000 });
  // The next round removes the text.
  const outcome = await said.innerText();
  await expect(results).toHaveCount(1);
  const [bet] = await betsOf(player);
  const hasWon = units(bet.payout) > 0n;
  expect(outcome).toMatch(hasWon ? /You won/ : /No win/);
  expect(await player.call('GET', `/fairness/bets/${bet.id}`)).toMatchObject({ round: { seedHash } });
  expect(complaints).toEqual([]);
});

test('says on the stage that a bet of speed roulette was too late', async ({ page, platform }) => {
  await newPlayer(platform, { page });
  const { play, said } = await open(page, 'speed-roulette');
  const json = { statusCode: 409, code: 'BETTING_CLOSED', message: 'Betting is closed' };
  await page.route('**/speed-roulette/bet', (route) => route.fulfill({ status: 409, json }));
  await expect(play).toBeEnabled({ timeout: 60_000 });
  await play.click();
  await expect(said).toHaveText('Too late: betting is closed');
});
