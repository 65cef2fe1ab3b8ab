import type { Page, Route, WebSocketRoute } from 'playwright-core';
import { insist } from '../verify.ts';
import { agree, listen, newPlayer, ok, outcome } from './play.ts';
import type { Place, Steps } from './steps.ts';

const PLAY = 'button[type=submit].play';

async function openGame(page: Page, { api }: { api: string }, game: string): Promise<void> {
  await page.goto(`${api}/play/games/${game}`);
  await page.locator(PLAY).waitFor();
}

const bet = (page: Page) => page.locator(`${PLAY}:enabled`).click();

/**
 * The first response is lost or reports an unknown outcome. In both cases the page sends the bet again with the same idempotency key, and
 * the bet is placed once.
 */
async function lostAnswers(page: Page, { platform }: Place): Promise<void> {
  const { books } = await newPlayer(page, platform);
  await openGame(page, platform, 'dice');
  const unknown = { statusCode: 503, code: 'BET_OUTCOME_UNKNOWN', message: 'unknown', requestId: 'none' };
  const losses: ((route: Route) => Promise<void>)[] = [
    (route) => route.abort('connectionreset'),
    (route) => route.fulfill({ status: 503, json: unknown }),
  ];
  let said = '';
  for (const [n, lose] of losses.entries()) {
    const keys: (string | undefined)[] = [];
    await page.route('**/house/dice/bet', async (route) => {
      keys.push(
        await route
          .request()
          .headerValue('idempotency-key')
          .then((key) => key ?? undefined),
      );
      if (keys.length > 1) return route.continue();
      // The server receives the bet, but its response is lost.
      await route.fetch();
      await lose(route);
    });
    await bet(page);
    said = await outcome(page, said);
    ok(keys.length === 2 && keys[0] !== undefined && keys[0] === keys[1], `sent with the keys ${keys}`);
    const { bets } = await agree(page, books);
    ok(bets.length === n + 1, `${bets.length} bets after ${n + 1} presses`);
    await page.unroute('**/house/dice/bet');
  }
}

/** The access tokens of two tabs expire at the same time. One tab renews the session, and both continue. */
async function expiredInTwoTabs(page: Page, { platform }: Place): Promise<void> {
  const { books } = await newPlayer(page, platform);
  const other = await page.context().newPage();
  const tabs = [page, other];
  for (const tab of tabs) await openGame(tab, platform, 'dice');
  for (let n = 1; n <= 3; n++) {
    await page.context().clearCookies({ name: 'access_token' });
    const before = await Promise.all(tabs.map((tab) => tab.locator('.said').innerText()));
    await Promise.all(tabs.map(bet));
    await Promise.all(tabs.map((tab, i) => outcome(tab, before[i]!.trim())));
    const { bets } = await agree(page, books);
    ok(bets.length === 2 * n, `${bets.length} bets of ${2 * n}`);
    await agree(other, books);
  }
}

/** Events missed while the socket is disconnected appear after it reconnects. Until then the page shows that it is not up to date. */
async function cutSocket(page: Page, { platform }: Place): Promise<void> {
  const { call, books } = await newPlayer(page, platform);
  let isCut = false;
  const open: WebSocketRoute[] = [];
  await page.routeWebSocket(/socket\.io/, (socket) => {
    if (isCut) return void socket.close();
    socket.connectToServer();
    open.push(socket);
  });
  await openGame(page, platform, 'dice');
  const state = page.locator('.sitting');
  await state.filter({ hasText: '● live' }).waitFor();
  isCut = true;
  for (const socket of open.splice(0)) await socket.close();
  await state.filter({ hasText: '○ not live' }).waitFor();
  const stake = { currencyId: 'USDT', betAmount: '7' };
  await call('POST', '/casino/games/house/dice/bet', { ...stake, threshold: 50, above: true });
  isCut = false;
  await state.filter({ hasText: '● live' }).waitFor({ timeout: 60_000 });
  await agree(page, books);
}

/** After a reload in the middle of a round, the player can continue the round. Each round is then finished. */
async function reloadInARound(page: Page, { platform }: Place): Promise<void> {
  const complaints = listen(page);
  const { call, books } = await newPlayer(page, platform);
  const house = (path: string) => `/casino/games/house/${path}`;
  const stake = { currencyId: 'USDT', betAmount: '1' };

  await call('POST', house('mines/play'), { ...stake, gridCellsCount: 25, bombsCount: 1 });
  const { proceed } = await call('POST', house('mines/open'), { cellIndex: 7 });
  if (proceed) {
    await openGame(page, platform, 'mines');
    for (let n = 0; n < 2; n++) {
      await page.locator('.grid .gem[data-cell="7"]').waitFor();
      await page.locator(`${PLAY}:enabled`).filter({ hasText: 'Cash out' }).waitFor();
      if (n === 0) await page.reload();
    }
    await bet(page);
    await page.locator('.said').filter({ hasText: 'Out at' }).waitFor();
  }

  await call('POST', house('monkey-run/bet'), { ...stake, difficulty: 'EASY' });
  const run = await call('POST', house('monkey-run/play'), { makeStep: 2 });
  if (!run.isFinished) {
    await openGame(page, platform, 'monkey-run');
    for (let n = 0; n < 2; n++) {
      await page.locator('.here[data-cell="1"]').waitFor();
      if (n === 0) await page.reload();
    }
    await page.getByRole('button', { name: /^Cash out/ }).click();
    await page.locator('.said').filter({ hasText: 'You get' }).waitFor();
  }

  await openGame(page, platform, 'blackjack');
  await bet(page);
  await page.locator('.hand').first().waitFor();
  const hands = () => page.locator('.hands .card-face').evaluateAll((all) => all.length);
  while ((await page.locator('.felt .actions').count()) > 0) {
    const cards = await hands();
    await page.reload();
    await page.locator('.felt .actions button').first().waitFor();
    ok((await hands()) === cards, 'the cards are others after a reload');
    await page.getByRole('button', { name: 'Stand' }).click();
    await page.locator(`${PLAY}:enabled`).waitFor();
  }
  const { bets } = await agree(page, books);
  ok(bets.length === 3 && bets.every(({ status }) => status === 'SETTLED'), 'three rounds are over');
  ok(complaints.length === 0, complaints.join('\n'));
}

/** A player who self-excludes in the middle of a round may finish it, and then sees that play is blocked. */
async function excludedInARound(page: Page, { platform }: Place): Promise<void> {
  const { call, books } = await newPlayer(page, platform);
  const begin = { currencyId: 'USDT', betAmount: '1', gridCellsCount: 64, bombsCount: 1 };
  await insist(async () => {
    await call('POST', '/casino/games/house/mines/play', begin);
    const { proceed } = await call('POST', '/casino/games/house/mines/open', { cellIndex: 0 });
    ok(proceed !== null, 'a bomb at once');
  });
  await openGame(page, platform, 'mines');
  await page.locator('.grid .gem').waitFor();
  await call('POST', '/user-limits/self-exclusion', { durationDays: 200, reason: 'a test' });
  await page.getByText('You may finish this round').waitFor();
  await page.goto(`${platform.api}/play/games`);
  await page.locator('.notice').getByRole('link', { name: 'Mines' }).click();
  await page.locator(`${PLAY}:enabled`).filter({ hasText: 'Cash out' }).click();
  await page.locator('.notice').waitFor();
  ok(/Out at/.test(await page.locator('.said').innerText()), 'the outcome of the round stays');
  ok((await page.locator(PLAY).count()) === 0, 'nothing new can be bet');
  const { bets } = await agree(page, books);
  ok(bets[0]!.status === 'SETTLED', 'the round is over');
  await page.goto(`${platform.api}/play/games/dice`);
  await page.locator('.notice').waitFor();
  ok((await page.locator(PLAY).count()) === 0, 'dice is closed');
}

export const badDaysSteps: Steps = {
  'an answer that is lost or unknown leaves one bet, under one key': lostAnswers,
  'the session runs out in two tabs at once, and both play on': expiredInTwoTabs,
  'a socket that was cut comes back with the right balance': cutSocket,
  'a reload in an open round of mines, monkey-run and blackjack goes on where it was': reloadInARound,
  'an excluded player may finish the open round, and nothing else': excludedInARound,
};
