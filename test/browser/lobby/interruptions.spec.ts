import type { Page, Route, WebSocketRoute } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { complaintsOf } from '../parts.ts';
import { betOnDice, type Call, newPlayer } from '../users.ts';
import { gamePage, nextOutcome, openGame, outcomeNow } from './game.ts';
import { expectBooks, fillSignIn, header, signOut } from './lobby.ts';

const BET = '**/house/dice/bet';
const UNKNOWN = { statusCode: 503, code: 'BET_OUTCOME_UNKNOWN', message: 'unknown', requestId: 'none' };

const LOSSES: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  'is lost': (route) => route.abort('connectionreset'),
  'reports an unknown outcome': (route) => route.fulfill({ status: 503, json: UNKNOWN }),
};

for (const [happening, lose] of Object.entries(LOSSES))
  test(`places a bet on dice once when the first response ${happening}`, async ({ page, platform }) => {
    const player = await newPlayer(platform, { page });
    const { play } = await openGame(page, 'dice');
    const keys: (string | null)[] = [];
    await page.route(BET, async (route) => {
      keys.push(await route.request().headerValue('idempotency-key'));
      if (keys.length > 1) return route.continue();
      // The server receives the bet, but the page does not get the response.
      await route.fetch();
      await lose(route);
    });
    await play.click();
    await nextOutcome(page, '');
    expect(keys).toEqual([expect.any(String), keys[0]]);
    expect(await expectBooks(page, player)).toHaveLength(1);
  });

test('does not place a bet of the previous player when another player signs in', async ({
  page,
  platform,
}) => {
  await newPlayer(platform, { page });
  const { play } = await openGame(page, 'dice');
  await page.route(BET, (route) => route.fulfill({ status: 503, json: UNKNOWN }));
  await play.click();
  await expect(page.getByText('We don’t know yet whether your last bet was placed')).toBeVisible();
  await signOut(page);
  const next = await newPlayer(platform);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await header(page).signIn.click();
  await fillSignIn(page, next);
  await expect(header(page).user(next.username)).toBeVisible();
  await openGame(page, 'dice');
  expect(await expectBooks(page, next)).toEqual([]);
});

test('continues in two tabs whose session expires at the same time', async ({ page, context, platform }) => {
  const player = await newPlayer(platform, { page });
  const tabs = [page, await context.newPage()];
  for (const tab of tabs) await openGame(tab, 'dice');
  for (let n = 1; n <= 3; n++) {
    await context.clearCookies({ name: 'access_token' });
    const previous = await Promise.all(tabs.map(outcomeNow));
    await Promise.all(tabs.map((tab) => gamePage(tab).play.click()));
    await Promise.all(tabs.map((tab, i) => nextOutcome(tab, previous[i]!)));
    for (const tab of tabs) expect(await expectBooks(tab, player)).toHaveLength(2 * n);
  }
});

test('shows missed events when a socket reconnects', async ({ page, platform }) => {
  const player = await newPlayer(platform, { page });
  let isCut = false;
  const open: WebSocketRoute[] = [];
  await page.routeWebSocket(/socket\.io/, (socket) => {
    if (isCut) return void socket.close();
    socket.connectToServer();
    open.push(socket);
  });
  await openGame(page, 'dice');
  await expect(header(page).live).toBeVisible();
  isCut = true;
  for (const socket of open.splice(0)) await socket.close();
  await expect(header(page).notLive).toBeVisible();
  await betOnDice(player.call, { betAmount: '7' });
  isCut = false;
  await expect(header(page).live).toBeVisible({ timeout: 60_000 });
  expect(await expectBooks(page, player)).toHaveLength(1);
});

const house = (path: string) => `/casino/games/house/${path}`;
const STAKE = { currencyId: 'USDT', betAmount: '1' };

/** Begins a round of mines and opens a cell that has no bomb. */
async function openMines(call: Call, gridCellsCount: number): Promise<void> {
  await expect(async () => {
    await call('POST', house('mines/play'), { ...STAKE, gridCellsCount, bombsCount: 1 });
    const { proceed } = await call('POST', house('mines/open'), { cellIndex: 7 });
    expect(proceed).toBeDefined();
  }).toPass();
}

/** Opens a game, reloads it, and expects the open round both times. */
async function openAndReload(page: Page, name: string, expectRound: () => Promise<void>): Promise<void> {
  await openGame(page, name);
  await expectRound();
  await page.reload();
  await expectRound();
}

test('continues a round of mines after a reload', async ({ page, platform }) => {
  const complaints = complaintsOf(page);
  const player = await newPlayer(platform, { page });
  await openMines(player.call, 25);
  const { cashOut, openedCell, outcome } = gamePage(page);
  await openAndReload(page, 'mines', async () => {
    await expect(openedCell).toHaveAccessibleName('Row 2, column 3: gem');
    await expect(cashOut).toBeEnabled();
  });
  await cashOut.click();
  await expect(outcome).toContainText('You won');
  expect((await expectBooks(page, player))[0]).toMatchObject({ status: 'SETTLED' });
  expect(complaints).toEqual([]);
});

test('continues a round of monkey-run after a reload', async ({ page, platform }) => {
  const complaints = complaintsOf(page);
  const player = await newPlayer(platform, { page });
  const begin = () => player.call('POST', house('monkey-run/bet'), { ...STAKE, difficulty: 'EASY' });
  await expect(async () => {
    await begin();
    const { isFinished } = await player.call('POST', house('monkey-run/play'), { makeStep: 1 });
    expect(isFinished).toBe(false);
  }).toPass();
  const { cashOut, monkeyTile, outcome } = gamePage(page);
  await openAndReload(page, 'monkey-run', () => expect(monkeyTile(1)).toBeVisible());
  await cashOut.click();
  await expect(outcome).toContainText('First trap');
  expect((await expectBooks(page, player))[0]).toMatchObject({ status: 'SETTLED' });
  expect(complaints).toEqual([]);
});

test('lets a player who self-excludes finish an open round of mines, but place no further bet', async ({
  page,
  platform,
}) => {
  const player = await newPlayer(platform, { page });
  await openMines(player.call, 64);
  const { play, cashOut, openedCell, closed, outcome } = await openGame(page, 'mines');
  await expect(openedCell).toBeVisible();
  await player.call('POST', '/user-limits/self-exclusion', { durationDays: 200, reason: 'a test' });
  await expect(page.getByText('You can finish this round')).toBeVisible();
  await page.goto('/play/games');
  await closed.getByRole('link', { name: 'Mines' }).click();
  await cashOut.click();
  await expect(closed).toBeVisible();
  await expect(outcome).toContainText('You won');
  await expect(play).toHaveCount(0);
  expect((await expectBooks(page, player))[0]).toMatchObject({ status: 'SETTLED' });
  await page.goto('/play/games/dice');
  await expect(closed).toBeVisible();
  await expect(play).toHaveCount(0);
});
