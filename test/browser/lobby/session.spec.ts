/** The playing session in the frame: its net result is the sum of all payouts minus the sum of all stakes. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { betOnDice, newPlayer } from '../users.ts';
import { openSlot } from './catalogue.ts';
import { type GamePage, nextOutcome, openGame, outcomeNow } from './game.ts';
import { expectBooks, expectNet, header } from './lobby.ts';

async function play(page: Page, game: GamePage, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const previous = await outcomeNow(page);
    await game.play.click();
    await nextOutcome(page, previous);
  }
}

test('counts every bet of the session once, whatever reports it', async ({ page, platform }) => {
  const player = await newPlayer(platform, { page, money: '10000' });
  const game = await openGame(page, 'dice');
  await game.stake.fill('50');
  await expect(header(page).live).toBeVisible();
  // The page reads the statistics again when the socket opens. Some of these bets are then settled, but not revealed.
  await play(page, game, 8);
  await expectNet(page, await expectBooks(page, player));

  await page.reload();
  await play(page, game, 2);
  await betOnDice(player.call, { betAmount: '7' });
  const bets = await expectBooks(page, player);
  expect(bets).toHaveLength(11);
  await expectNet(page, bets);

  const slot = await openSlot(page);
  for (let spins = 1; spins <= 3; spins++) {
    await slot.locator('#spin').click();
    await expect(async () => expect(await expectBooks(page, player)).toHaveLength(11 + spins)).toPass();
  }
  await expectNet(page, await expectBooks(page, player));
});

/** Records the session and the outcome as they are displayed, after each change of the page. */
const RECORD = `{
  const text = (selector) => document.querySelector(selector)?.textContent ?? '';
  const now = () => ({ net: text('.session.pill'), outcome: text('.arena > .said') });
  window.seen = [now()];
  new MutationObserver(() => seen.push(now())).observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
  });
}`;

test('does not tell an outcome by the net result before its animation ends', async ({ page, platform }) => {
  const player = await newPlayer(platform, { page });
  const { play } = await openGame(page, 'plinko');
  await expect(header(page).live).toBeVisible();
  await expectNet(page, []);
  await page.evaluate(RECORD);
  await Promise.all([page.waitForResponse(/\/house\/plinko\/bet$/), play.click()]);
  const bets = await expectBooks(page, player);
  expect(bets).toHaveLength(1);
  await expectNet(page, bets);
  const seen = await page.evaluate<{ net: string; outcome: string }[]>('seen');
  expect(seen.at(-1)!.outcome).not.toBe(seen[0]!.outcome);
  const early = seen.filter(({ outcome }) => outcome === seen[0]!.outcome).map(({ net }) => net);
  expect(new Set(early).size, early.join(', ')).toBe(1);
});
