import type { Page } from '@playwright/test';
import { units } from '../../../src/platform/money.ts';
import { expect, test } from '../fixtures.ts';
import { complaintsOf, tabTo } from '../parts.ts';
import { newPlayer, type Player } from '../users.ts';
import { openSlot } from './catalogue.ts';
import {
  BY_KEYBOARD,
  type GamePage,
  gamePage,
  isRoundOpen,
  nextOutcome,
  openGame,
  outcomeNow,
  pressAndWait,
} from './game.ts';
import { expectBooks, header } from './lobby.ts';

/** Plays one bet to its end. Its displayed outcome and the balance must match the API. */
async function playOnce(page: Page, game: string, player: Player): Promise<void> {
  const { before, during } = BY_KEYBOARD[game]!;
  const earlier = await expectBooks(page, player);
  await before?.(page);
  await tabTo(gamePage(page).play);
  await pressAndWait(page, 'Enter');
  await during?.(page);
  expect(await isRoundOpen(page)).toBe(false);
  const bets = await expectBooks(page, player);
  expect(bets).toHaveLength(earlier.length + 1);
  expectOutcome(await outcomeNow(page), bets[0]!);
}

function expectOutcome(text: string, { status, payout }: { status: string; payout: string }): void {
  expect(status).toBe('SETTLED');
  expect(text.includes('Lost.'), `"${text}" for a payout of ${payout}`).toBe(units(payout) === 0n);
}

async function toggleQuickPlay(page: Page, { quickPlay }: GamePage): Promise<void> {
  await tabTo(quickPlay);
  await page.keyboard.press('Space');
}

for (const name of Object.keys(BY_KEYBOARD))
  test(`plays ${name} by keyboard, with and without animations`, async ({ page, platform }) => {
    const complaints = complaintsOf(page, isMissingRound);
    const player = await newPlayer(platform, { page });
    const game = await openGame(page, name);
    await expect(game.quickPlay).not.toBeChecked();
    await playOnce(page, name, player);
    await toggleQuickPlay(page, game);
    await playOnce(page, name, player);
    expect(complaints).toEqual([]);
  });

/** The browser reports a 404 if the player has no open round. */
const isMissingRound = (_: string, url: string) => /house\/(mines\/board|monkey-run\/game)$/.test(url);

test('plays a shared round of speed-roulette by keyboard, and keeps its commitment', async ({
  page,
  platform,
}) => {
  const complaints = complaintsOf(page);
  const player = await newPlayer(platform, { page });
  const { play, colours, everybodysBets, fairness, countdown } = await openGame(page, 'speed-roulette');
  await expect(header(page).live).toBeVisible();
  await tabTo(colours.and(page.locator('[aria-pressed=false]')));
  await page.keyboard.press('Enter');
  // Enough time is left to place the bet.
  await expect(countdown).toHaveText(/Bets are open (\d\d|[5-9]) s/, { timeout: 60_000 });
  await expect(play).toBeEnabled();
  await tabTo(play);
  await pressAndWait(page, 'Enter');
  const placed = await nextOutcome(page, '');
  await expect(everybodysBets.filter({ hasText: 'You' })).toBeVisible();
  await tabTo(fairness.open);
  await page.keyboard.press('Enter');
  const seedHash = await fairness.commitment.innerText();
  const outcome = await nextOutcome(page, placed);
  expect(outcome).toMatch(/^\d+ (red|black|green)\. \S/);
  const bets = await expectBooks(page, player);
  expect(bets).toHaveLength(1);
  expectOutcome(outcome, bets[0]!);
  expect(await player.call('GET', `/fairness/bets/${bets[0]!.id}`)).toMatchObject({ round: { seedHash } });
  expect(complaints).toEqual([]);
});

test('stops dice autoplay after the bet that meets a stop condition', async ({ page, platform }) => {
  const player = await newPlayer(platform, { page });
  const game = await openGame(page, 'dice');
  await expect(game.play).toBeEnabled();
  await toggleQuickPlay(page, game);
  const { open, count, lossLimit, profitLimit, start, reason, remaining } = game.autoplay;
  await tabTo(open, 'Shift+Tab');
  await page.keyboard.press('Enter');
  for (const [field, text] of [
    [count, '1000'],
    [lossLimit, '2.5'],
    [profitLimit, '2.5'],
  ] as const) {
    await tabTo(field);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(text);
  }
  await tabTo(start);
  await page.keyboard.press('Enter');
  await expect(reason).toBeVisible({ timeout: 60_000 });
  const bets = await expectBooks(page, player);
  const nets = bets.toReversed().map(({ amount, payout }) => units(payout) - units(amount));
  const most = units('2.5');
  const sums = nets.map((_, last) => nets.slice(0, last + 1).reduce((sum, net) => sum + net, 0n));
  expect(sums.findIndex((sum) => sum >= most || -sum >= most)).toBe(nets.length - 1);
  await expect(remaining).toHaveText(new RegExp(`^${1000 - nets.length} left`));
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
  const { fairness, play } = await openGame(page, 'dice');
  await expect(play).toBeEnabled();
  await tabTo(fairness.open);
  await page.keyboard.press('Enter');
  const commitment = await fairness.commitment.innerText();
  await tabTo(play, 'Shift+Tab');
  await playOnce(page, 'dice', player);
  await tabTo(fairness.reveal);
  await page.keyboard.press('Enter');
  await expect(fairness.revealed).toBeVisible();
  await expect(fairness.check).toHaveAttribute('href', /%22serverSeed%22%3A%22/);
  await tabTo(fairness.check);
  const [verifier] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')]);
  await expect(verifier.locator('#verdict')).toHaveAttribute('data-result', 'VERIFIED');
  await expect(verifier.locator('#pasted')).toHaveValue(new RegExp(commitment));
});

test("opens a provider's slot, whose spin changes the balance", async ({ page, platform }) => {
  const complaints = complaintsOf(page);
  const player = await newPlayer(platform, { page });
  const slot = await openSlot(page);
  await slot.locator('#spin').click();
  await expect(async () => expect(await expectBooks(page, player)).toHaveLength(1)).toPass();
  expect(complaints).toEqual([]);
});
