/** Games stay steady: memory during a long series of bets, and the layout on a phone while bets are placed and revealed. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { newPlayer } from '../users.ts';
import { type GamePage, isRoundOpen, openGame } from './game.ts';
import { expectBooks, expectNet, header } from './lobby.ts';

const PHONE = { width: 390, height: 844 };
/** The bar at the foot of a phone. */
const BAR = 64;
/** Largest growth between bet 50 and the last request of a series of 200 bets. */
const MOST_GROWTH = { nodes: 100, heapKb: 1024 };

/** Measures the page after a garbage collection: all DOM nodes, also those outside the document, and the size of the heap. */
async function memoryOf(page: Page) {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable');
  await devTools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devTools.send('Performance.getMetrics');
  await devTools.detach();
  const metric = (name: string) => metrics.find((one) => one.name === name)!.value;
  return { nodes: metric('Nodes'), heapKb: Math.round(metric('JSHeapUsedSize') / 1024) };
}

/** Measures the memory before the request that follows each of these numbers of bets. */
async function sampleSeries(page: Page, at: readonly number[]) {
  const samples: Awaited<ReturnType<typeof memoryOf>>[] = [];
  let bets = 0;
  await page.route('**/house/dice/series', async (route) => {
    if (at.includes(bets)) samples.push(await memoryOf(page));
    bets += route.request().postDataJSON().count;
    await route.continue();
  });
  return samples;
}

test('plays 200 bets on auto, whose memory does not grow', async ({ page, platform }) => {
  const player = await newPlayer(platform, { page });
  const game = await openGame(page, 'dice');
  const { count, lossLimit, tally } = game.autoplay;
  const samples = await sampleSeries(page, [50, 195]);
  await game.quickPlay.click();
  await page.getByText('Auto', { exact: true }).click();
  await count.fill('200');
  await lossLimit.fill('900');
  await game.play.click();
  await expect(tally).toContainText('Autoplay finished', { timeout: 120_000 });
  await expect(game.results).toHaveCount(8);
  const [early, late] = samples;
  expect(late!.nodes - early!.nodes, JSON.stringify(samples)).toBeLessThan(MOST_GROWTH.nodes);
  expect(late!.heapKb - early!.heapKb, JSON.stringify(samples)).toBeLessThan(MOST_GROWTH.heapKb);
  const bets = await expectBooks(page, player);
  expect(bets).toHaveLength(200);
  await expectNet(page, bets);
});

/** Records every part that moves, also after a press, which the browser would excuse. */
const RECORD_SHIFTS = `{
  window.shifts = [];
  const nameOf = (node) => (node?.nodeType === 1 ? node.tagName + '.' + node.className : String(node?.textContent));
  const boxOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      shifts.push({
        value,
        hadRecentInput,
        parts: sources.map((of) => nameOf(of.node) + ': ' + boxOf(of.previousRect) + ' → ' + boxOf(of.currentRect)),
      });
  }).observe({ type: 'layout-shift', buffered: true });
}`;
type Shift = { value: number; hadRecentInput: boolean; parts: string[] };

const MAX_SHIFT = 0.02;

for (const [screen, size] of Object.entries({ phone: PHONE, desktop: { width: 1440, height: 900 } }))
  test(`keeps the layout of the first page on a ${screen} while it loads, and reads nothing twice`, async ({
    page,
    platform,
  }) => {
    await page.setViewportSize(size);
    const reads: string[] = [];
    page.on('request', (request) => {
      if (['fetch', 'xhr'].includes(request.resourceType())) reads.push(request.url());
    });
    await page.addInitScript(RECORD_SHIFTS);
    await page.goto(`${platform.api}/play/`);
    await expect(
      page.getByRole('region', { name: 'Originals' }).getByRole('link', { name: 'Dice' }),
    ).toBeVisible();
    await page.waitForLoadState('networkidle');
    const shifts = await page.evaluate<Shift[]>('shifts');
    expect(
      shifts.reduce((sum, { value }) => sum + value, 0),
      JSON.stringify(shifts),
    ).toBeLessThan(MAX_SHIFT);
    expect(reads).toEqual([...new Set(reads)]);
  });

/** Presses a button by script. The browser does not excuse shifts after it, as it does after the input of a player. */
async function press(button: Locator): Promise<void> {
  await expect(button.page().locator('.play.revealing')).toHaveCount(0);
  await expect(button).toBeEnabled({ timeout: 60_000 });
  await button.dispatchEvent('click');
}

/** Waits until the last step has been revealed. Returns whether the round goes on. */
async function goesOn({ play, blackjackMoves, stage }: GamePage): Promise<boolean> {
  const page = stage.page();
  await expect(play.or(blackjackMoves)).toHaveAttribute('aria-busy', 'false');
  await expect(page.locator('.play.revealing')).toHaveCount(0);
  return isRoundOpen(page);
}

/** The steps that some games need before a bet can be placed, and those that end its round. */
type Steps = { before?: (game: GamePage) => Promise<void>; during?: (game: GamePage) => Promise<void> };

const GAMES: Readonly<Record<string, Steps>> = {
  dice: {},
  limbo: {},
  plinko: {},
  keno: {
    async before({ kenoNumbers }) {
      for (const at of [3, 14, 25]) await press(kenoNumbers.nth(at));
    },
  },
  roulette: { before: ({ rouletteTable }) => press(rouletteTable.first()) },
  'speed-roulette': {},
  mines: {
    async during(game) {
      await press(game.minesCells.nth(12));
      if (await goesOn(game)) await press(game.play);
    },
  },
  'monkey-run': {
    async during(game) {
      await press(game.more);
      if (await goesOn(game)) await press(game.play);
    },
  },
  blackjack: {
    async during(game) {
      while (await goesOn(game)) await press(game.blackjackMoves.getByRole('button', { name: 'Stand' }));
    },
  },
};

async function expectInView(button: Locator): Promise<void> {
  const { x, y, width, height } = (await button.boundingBox())!;
  expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(PHONE.width);
  expect(y + height).toBeLessThanOrEqual(PHONE.height - BAR);
}

for (const [name, { before, during }] of Object.entries(GAMES))
  test(`keeps the layout of ${name} on a phone during three bets, with the bet button in view`, async ({
    page,
    platform,
  }) => {
    const player = await newPlayer(platform, { page });
    await page.setViewportSize(PHONE);
    const game = await openGame(page, name);
    await expectInView(game.play);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await expect(header(page).live).toBeAttached();
    await before?.(game);
    await page.evaluate(RECORD_SHIFTS);
    for (let bets = 1; bets <= 3; bets++) {
      await press(game.play);
      await goesOn(game);
      await during?.(game);
      // The balance changes when the outcome has been revealed.
      await expect(async () => expect(await expectBooks(page, player)).toHaveLength(bets)).toPass();
    }
    await expectNet(page, await expectBooks(page, player));
    await expectInView(game.play);
    const shifts = await page.evaluate<Shift[]>('shifts');
    expect(shifts.filter(({ value }) => value >= 0.0001)).toEqual([]);
  });
