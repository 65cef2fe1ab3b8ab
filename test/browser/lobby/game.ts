/** The page of a house game. */
import { expect, type Locator, type Page } from '@playwright/test';
import { tabTo } from '../parts.ts';

/** The text of a bet's outcome. */
export const OUTCOME = /Lost\.|You get/;

export function gamePage(page: Page) {
  const stage = page.getByRole('region', { name: 'Game', exact: true });
  const buttonsOf = (group: string | RegExp): Locator =>
    page.getByRole('group', { name: group }).getByRole('button');
  const autoplay = page.locator('details.series');
  const fairness = page.locator('details.fairness');
  return {
    stage,
    /** The outcome as text, which screen readers announce. */
    outcome: stage.locator('.said'),
    stake: page.getByLabel('Stake'),
    /** The main button. Its name depends on the game and on the round. */
    play: page.locator('button[type=submit].play'),
    quickPlay: page.getByLabel('Quick play'),
    cashOut: page.getByRole('button', { name: /^Cash out/ }),
    kenoNumbers: buttonsOf('Numbers from 1 to 40'),
    rouletteTable: buttonsOf(/^The table/),
    rouletteChips: page.locator('.table .chip'),
    minesCells: buttonsOf(/^The field/),
    openedCell: page.getByRole('button', { name: /^Row \d+, column \d+ gem/ }),
    monkeyTile: (tile: number): Locator =>
      page.getByRole('button', { name: new RegExp(`^Tile ${tile},.*monkey`) }),
    blackjackActions: buttonsOf('Your turn'),
    blackjackCards: page.locator('.hands').getByRole('img'),
    colours: buttonsOf('Colour'),
    countdown: page.locator('.countdown'),
    everybodysBets: page.locator('.everybody').getByRole('listitem'),
    autoplay: {
      open: autoplay.locator('summary'),
      count: autoplay.getByLabel('Number of bets'),
      lossLimit: autoplay.getByLabel('Stop when I have lost'),
      profitLimit: autoplay.getByLabel('Stop when I have won'),
      start: autoplay.getByRole('button'),
      reason: autoplay.locator('strong'),
      remaining: autoplay.locator('p'),
    },
    fairness: {
      open: fairness.locator('summary'),
      commitment: fairness.locator('code').first(),
      reveal: fairness.getByRole('button'),
      revealed: fairness.locator('form code'),
      check: fairness.getByRole('link', { name: 'Check the last bet' }),
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

/** Presses a key that calls the server, and waits until the response is displayed. */
export async function pressAndWait(page: Page, key: string): Promise<void> {
  const response = page.waitForResponse(
    (one) => one.url().includes('/casino/games/house/') && one.request().method() !== 'GET',
  );
  await page.keyboard.press(key);
  await response;
  await expect(gamePage(page).play).toHaveAttribute('aria-busy', 'false');
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

/** A round of mines, monkey run or blackjack is open. The stake then cannot be changed. */
export const isRoundOpen = (page: Page): Promise<boolean> => gamePage(page).stake.isDisabled();

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
      const places = 'ArrowDown Enter ArrowDown ArrowDown Space ArrowDown Enter'.split(' ');
      for (const key of [...places, 'Backspace']) await page.keyboard.press(key);
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
      await tabTo(play);
      await pressAndWait(page, 'Enter');
    },
  },
  'monkey-run': {
    async during(page) {
      const { play, cashOut } = gamePage(page);
      await tabTo(play);
      await pressAndWait(page, 'Space');
      if (!(await isRoundOpen(page))) return;
      await tabTo(cashOut, 'Shift+Tab');
      await pressAndWait(page, 'Enter');
    },
  },
  blackjack: {
    async during(page) {
      const stand = gamePage(page).blackjackActions.filter({ hasText: 'Stand' });
      while (await isRoundOpen(page)) {
        await tabTo(stand);
        await pressAndWait(page, 'Enter');
      }
    },
  },
};
