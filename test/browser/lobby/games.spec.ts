import type { Page } from '@playwright/test';
import { units } from '../../../src/platform/money.ts';
import { expect, test } from '../fixtures.ts';
import { complaintsOf, tabTo } from '../parts.ts';
import { newPlayer } from '../users.ts';
import { openSlot } from './catalogue.ts';
import { BY_KEYBOARD, type GamePage, openGame, playOnce } from './game.ts';
import { expectBooks } from './lobby.ts';

async function toggleQuickPlay(page: Page, { quickPlay }: GamePage): Promise<void> {
  await tabTo(quickPlay);
  await page.keyboard.press('Space');
}

for (const name of Object.keys(BY_KEYBOARD))
  test(`plays ${name} by keyboard, with and without animations`, async ({ page, platform }) => {
    const complaints = complaintsOf(page, isMissingRound);
    const player = await newPlayer(platform, { page });
    const game = await openGame(page, name);
    await expect(game.quickPlay).toHaveAttribute('aria-pressed', 'false');
    await playOnce(page, name, player);
    await toggleQuickPlay(page, game);
    await playOnce(page, name, player);
    expect(complaints).toEqual([]);
  });

/** The browser reports a 404 if the player has no open round. */
const isMissingRound = (_: string, url: string) => /house\/(mines\/board|monkey-run\/game)$/.test(url);

test('stops dice autoplay after the bet that meets a stop condition', async ({ page, platform }) => {
  const player = await newPlayer(platform, { page });
  const game = await openGame(page, 'dice');
  await expect(game.play).toBeEnabled();
  await toggleQuickPlay(page, game);
  const { tabs, count, lossLimit, profitLimit, tally } = game.autoplay;
  await tabTo(tabs, 'Shift+Tab');
  await page.keyboard.press('ArrowRight');
  for (const [field, text] of [
    [count, '1000'],
    [lossLimit, '2.5'],
    [profitLimit, '2.5'],
  ] as const) {
    await tabTo(field);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(text);
  }
  await tabTo(game.play);
  await page.keyboard.press('Enter');
  await expect(tally).toContainText(/Stopped: (loss|profit) reached/, { timeout: 60_000 });
  const bets = await expectBooks(page, player);
  const nets = bets.toReversed().map(({ amount, payout }) => units(payout) - units(amount));
  const most = units('2.5');
  const sums = nets.map((_, last) => nets.slice(0, last + 1).reduce((sum, net) => sum + net, 0n));
  expect(sums.findIndex((sum) => sum >= most || -sum >= most)).toBe(nets.length - 1);
});

/** Records the requested duration of every animation of the page. */
const RECORD_ANIMATIONS = `{
  window.durations = [];
  const { animate } = Element.prototype;
  Element.prototype.animate = function (frames, options) {
    durations.push(options.duration);
    return animate.call(this, frames, options);
  };
}`;

for (const reducedMotion of ['reduce', 'no-preference'] as const)
  test(`${reducedMotion === 'reduce' ? 'skips' : 'shows'} animations with the preference ${reducedMotion}`, async ({
    page,
    platform,
  }) => {
    const player = await newPlayer(platform, { page });
    await page.emulateMedia({ reducedMotion });
    await page.addInitScript(RECORD_ANIMATIONS);
    for (const name of ['plinko', 'roulette']) {
      await openGame(page, name);
      await playOnce(page, name, player);
      const durations: number[] = await page.evaluate('durations');
      expect(durations.length, name).toBeGreaterThan(0);
      expect(
        durations.every((ms) => ms === 0),
        `${name}: ${durations} ms`,
      ).toBe(reducedMotion === 'reduce');
    }
  });

test('opens the proof of a bet on dice, which is valid once its seed is revealed', async ({
  page,
  platform,
}) => {
  const player = await newPlayer(platform, { page });
  const { proof, play } = await openGame(page, 'dice');
  await expect(play).toBeEnabled();
  await playOnce(page, 'dice', player);
  await tabTo(proof.open);
  await page.keyboard.press('Enter');
  await tabTo(proof.seeds);
  await page.keyboard.press('Enter');
  await tabTo(proof.reveal);
  await page.keyboard.press('Enter');
  await expect(proof.revealed).toBeVisible();
  await proof.lastBet.click();
  await expect(proof.verdict).toBeVisible();
  await tabTo(proof.check);
  const [verifier] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')]);
  await expect(verifier.locator('#verdict')).toHaveAttribute('data-result', 'VERIFIED');
});

test("opens a provider's slot, whose spin changes the balance", async ({ page, platform }) => {
  const complaints = complaintsOf(page);
  const player = await newPlayer(platform, { page });
  const slot = await openSlot(page);
  await slot.locator('#spin').click();
  await expect(async () => expect(await expectBooks(page, player)).toHaveLength(1)).toPass();
  expect(complaints).toEqual([]);
});
