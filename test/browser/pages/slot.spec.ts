/** The slot of the sandbox's aggregator. */
import type { Page } from '@playwright/test';
import { formatUnits, units } from '../../../src/platform/money.ts';
import type { AggregatorBooks } from '../../kit/games/provider-books.ts';
import { expect, test } from '../fixtures.ts';
import { complaintsOf, tabTo } from '../parts.ts';
import { type Platform, tellSandbox } from '../platform.ts';
import { betsOf, type Call, cashOf, importedSlot, newPlayer } from '../users.ts';

const SPINS = 50;
const STAKE = '0.5';
/** A time that is longer than the animation of a spin on the page. */
const ANIMATION_MS = 1500;

const slot = (page: Page) => ({
  balance: page.locator('#balance'),
  stake: page.locator('#stake'),
  spin: page.locator('#spin'),
  won: page.locator('#won'),
});

/** Launches the slot and opens it. */
async function openSlot(page: Page, call: Call, launch: object): Promise<void> {
  const { slug } = await importedSlot(call);
  const { url } = await call('POST', `/casino/games/${slug}/launch`, launch);
  // Skips the animation of the reels.
  await page.clock.install();
  await page.goto(url);
  await expect(slot(page).spin).toBeEnabled();
}

/** Spins once. Returns the server's result, which the page must show. */
async function spinOnce(page: Page, start: () => Promise<unknown>): Promise<{ stake: string; won: string }> {
  const { spin, won } = slot(page);
  const response = page.waitForResponse((one) => one.url().endsWith('/games/spin'));
  await start();
  const spun = await (await response).json();
  expect(spun.status).toBe('PLAYED');
  while (!(await spin.isEnabled())) await page.clock.fastForward(ANIMATION_MS);
  const [shown = ''] = (await won.innerText()).split(' ');
  expect(units(shown)).toBe(units(spun.won));
  return spun;
}

const booksOf = async ({ sandbox }: Platform) =>
  (await fetch(`${sandbox}/games/books`)).json() as Promise<AggregatorBooks>;

test('keeps page, balance, bets and books equal when every third callback response is lost', async ({
  page,
  platform,
}) => {
  const complaints = complaintsOf(page);
  const { balance, stake, spin } = slot(page);
  const { call, id } = await newPlayer(platform, { money: '100' });
  await openSlot(page, call, { currencyId: 'USDT' });
  await expect(balance).toHaveText('100 USDT');
  await tellSandbox(platform, '/games/behaviour', { lost: { every: 3 } });
  await tabTo(stake);
  while ((await stake.inputValue()) !== STAKE) await page.keyboard.press('ArrowUp');
  await tabTo(spin);
  for (let n = 0; n < SPINS; n++) {
    // The button has the focus again after each spin.
    await spinOnce(page, () => (n === 0 ? spin.click() : page.keyboard.press(n % 2 ? 'Enter' : 'Space')));
    await expect(balance).toHaveText(`${await cashOf(call)} USDT`);
  }
  await tellSandbox(platform, '/games/behaviour', {});
  const bets = await betsOf(call);
  expect(bets).toHaveLength(SPINS);
  const net = bets.reduce((sum, { amount, payout }) => sum + units(payout) - units(amount), 0n);
  expect(await cashOf(call)).toBe(formatUnits(units('100') + net));
  const { books, pending, oddities } = await booksOf(platform);
  expect(books.generic.net[id]?.USDT).toBe(formatUnits(net));
  expect(books.generic.transactions.some(({ tries }) => tries > 1)).toBe(true);
  expect({ pending, oddities, complaints }).toEqual({ pending: 0, oddities: [], complaints: [] });
});

test('moves no money in a demo of the slot', async ({ page, platform }) => {
  const complaints = complaintsOf(page);
  const { balance, spin } = slot(page);
  const { call } = await newPlayer(platform, { money: '100' });
  const state = async () => [await cashOf(call), await betsOf(call), await booksOf(platform)];
  const before = await state();
  await openSlot(page, call, { demo: true });
  await expect(page.locator('#mode')).toContainText('Demo');
  await expect(balance).toHaveText('1000 DEMO');
  let funds = units('1000');
  for (let n = 0; n < 10; n++) {
    const { stake, won } = await spinOnce(page, () => spin.click());
    funds += units(won) - units(stake);
    await expect(balance).toHaveText(`${formatUnits(funds)} DEMO`);
  }
  expect(await state()).toEqual(before);
  expect(complaints).toEqual([]);
});
