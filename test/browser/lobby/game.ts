/** The page of a house game. */
import { expect, type Locator, type Page } from '@playwright/test';
import { units } from '../../../src/platform/money.ts';
import { tabTo } from '../parts.ts';
import { expectBooks, type Owner } from './lobby.ts';

/** The text of a bet's outcome. */
export const OUTCOME = /No win|returned|You won/;

export function gamePage(page: Page) {
  const stage = page.locator('.arena');
  const buttonsOf = (group: string | RegExp): Locator =>
    page.getByRole('group', { name: group }).getByRole('button');
  const foot = page.locator('.game-foot');
  const proof = page.getByRole('dialog');
  return {
    stage,
    /** The outcome as text, which screen readers announce. */
    outcome: stage.locator('> .said'),
    stake: page.locator('input[name=betAmount]'),
    /** The main button. Its name depends on the game and on the round. */
    play: page.locator('.panel .play'),
    /** The second move of an open round. */
    more: page.locator('.panel .more').getByRole('button'),
    results: page.getByRole('list', { name: 'Recent results' }).getByRole('listitem'),
    quickPlay: foot.getByRole('button', { name: 'Quick play' }),
    cashOut: page.getByRole('button', { name: /^Cash out/ }),
    kenoNumbers: buttonsOf(/^Numbers 1 to 40/),
    rouletteTable: buttonsOf(/^Betting table/),
    rouletteChips: page.locator('.felt .jeton'),
    minesCells: buttonsOf(/^Tiles\./),
    openedCell: page.getByRole('button', { name: /^Row \d+, column \d+: gem$/ }),
    monkeyTile: (tile: number): Locator =>
      page.getByRole('button', { name: new RegExp(`^Tile ${tile},.*monkey`) }),
    /** The moves of an open round of blackjack. They replace the main button. */
    blackjackMoves: page.getByRole('group', { name: 'Your move' }),
    monkeyTiles: buttonsOf(/^Tiles in the river/),
    autoplay: {
      tabs: page.getByRole('radio', { name: 'Manual', exact: true }),
      count: page.locator('input[name=count]'),
      lossLimit: page.locator('input[name=loss]'),
      profitLimit: page.locator('input[name=profit]'),
      tally: page.locator('.tally'),
    },
    proof: {
      open: foot.getByRole('button', { name: 'Fair play' }),
      seeds: proof.getByRole('button', { name: 'Go to seeds' }),
      reveal: proof.getByRole('button', { name: 'Reveal and change seeds' }),
      revealed: proof.getByText('Revealed server seed'),
      lastBet: proof.getByText('Last bet', { exact: true }),
      verdict: proof.getByText('This bet checks out.'),
      check: proof.getByRole('link', { name: 'Independent check' }),
    },
    /** Replaces the bet panel of a player who may not play. */
    closed: page.locator('.notice'),
  };
}

export type GamePage = ReturnType<typeof gamePage>;

export async function openGame(page: Page, name: string): Promise<GamePage> {
  await page.goto(`/play/games/${name}`);
  const game = gamePage(page);
  await expect(game.play).toBeVisible();
  return game;
}

/** Presses a key that calls the server, and waits until the response is displayed: its reveal has ended. */
export async function pressAndWait(page: Page, key: string): Promise<void> {
  const response = page.waitForResponse(
    (one) => one.url().includes('/casino/games/house/') && one.request().method() !== 'GET',
  );
  await page.keyboard.press(key);
  await response;
  const { play, blackjackMoves } = gamePage(page);
  await expect(play.or(blackjackMoves)).toHaveAttribute('aria-busy', 'false');
  await expect(page.locator('.play.revealing')).toHaveCount(0);
}

/** Waits for an outcome that differs from the previous one. */
export async function nextOutcome(page: Page, previous: string): Promise<string> {
  let text = '';
  await expect(async () => {
    text = await outcomeNow(page);
    expect(['', previous]).not.toContain(text);
  }).toPass({ intervals: [50] });
  return text;
}

export const outcomeNow = async (page: Page): Promise<string> =>
  (await gamePage(page).outcome.innerText()).trim();

/** A round of mines, monkey run or blackjack is open. The fields of the panel then cannot be changed. */
export const isRoundOpen = async (page: Page): Promise<boolean> =>
  (await page.locator('.panel fieldset.choices:disabled').count()) > 0;

/** Steps by keyboard in addition to pressing the main button: before the bet, and during the round. */
type ByKeyboard = { before?: (page: Page) => Promise<void>; during?: (page: Page) => Promise<void> };

export const BY_KEYBOARD: Readonly<Record<string, ByKeyboard>> = {
  dice: {},
  limbo: {},
  plinko: {},
  keno: {
    async before(page) {
      const numbers = gamePage(page).kenoNumbers;
      const chosen = numbers.and(page.locator('[aria-pressed=true]'));
      if ((await chosen.count()) > 0) return;
      await tabTo(numbers);
      for (const key of ['Enter', 'ArrowRight', 'Space', 'ArrowDown', 'Enter'])
        await page.keyboard.press(key);
      await expect(chosen).toHaveCount(3);
    },
  },
  roulette: {
    async before(page) {
      const { rouletteTable, rouletteChips } = gamePage(page);
      if ((await rouletteChips.count()) > 0) return;
      await tabTo(rouletteTable);
      for (const key of 'Enter ArrowRight Space ArrowRight Enter Backspace'.split(' '))
        await page.keyboard.press(key);
      await expect(rouletteChips).toHaveCount(2);
    },
  },
  mines: {
    async during(page) {
      const { minesCells, play } = gamePage(page);
      await tabTo(minesCells);
      await page.keyboard.press('ArrowRight');
      await pressAndWait(page, 'Enter');
      if (!(await isRoundOpen(page))) return;
      await tabTo(play, 'Shift+Tab');
      await pressAndWait(page, 'Enter');
    },
  },
  'monkey-run': {
    async during(page) {
      const { more, play } = gamePage(page);
      await expect(more).toBeFocused();
      await pressAndWait(page, 'Space');
      if (!(await isRoundOpen(page))) return;
      await tabTo(play, 'Shift+Tab');
      await pressAndWait(page, 'Enter');
    },
  },
  blackjack: {
    async during(page) {
      const stand = gamePage(page).blackjackMoves.getByRole('button', { name: 'Stand' });
      while (await isRoundOpen(page)) {
        await tabTo(stand);
        await pressAndWait(page, 'Enter');
      }
    },
  },
};

/** Plays one bet to its end. Its displayed outcome and the balance must match the API. */
export async function playOnce(page: Page, game: string, player: Owner): Promise<void> {
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
  expect(/No win|not reached/.test(text), `"${text}" for a payout of ${payout}`).toBe(units(payout) === 0n);
}
