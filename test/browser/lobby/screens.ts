import { ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Staff } from '../entry.ts';
import { inEveryLook, refused, SIZES, scrollsSideways, visit } from '../looks.ts';
import { type Call, insist } from '../verify.ts';
import { spinASlot } from './games.ts';

type Platform = { api: string };

/** The narrowest supported screen. German and Spanish words are longer than English ones. */
const NARROW = { width: 360, height: 740 };
/** Matches the errors that the browser logs when a page checks whether something exists and it does not. */
const NOTED = /status of 40[149]/;

/** Returns every page in the lobby's menu file, with example parameters. */
async function addresses(call: Call, username: string): Promise<string[]> {
  const source = readFileSync('web/lobby/menu.ts', 'utf8');
  const paths = [...source.matchAll(/path: '([^']+)'/g)].map((match) => match[1]!);
  ok(paths.length > 30, `the lobby has ${paths.length} pages`);
  const examples = await examplesOf(call, username);
  return paths.map((path) => {
    if (!path.includes(':')) return path;
    const example = examples[path];
    ok(example, `test/browser/lobby/screens.ts has no example for ${path}`);
    return example;
  });
}

async function examplesOf(call: Call, username: string): Promise<Readonly<Record<string, string>>> {
  const { betId: id } = await call('POST', '/casino/games/house/dice/bet', {
    currencyId: 'USDT',
    betAmount: '1',
    threshold: 50,
    above: true,
  });
  const slug = await insist(async () => {
    const { data } = await call('GET', '/casino/games?name=Seven%20Orchards');
    return data.find(({ provider }: { provider: { slug: string } }) => provider.slug === 'sandbox').slug;
  });
  const spin = await insist(async () => {
    const { data } = await call('GET', '/bets?take=20');
    return data.find(({ game }: { game: { type: string } }) => game.type !== 'HOUSE_GAME').id;
  });
  const {
    data: [board],
  } = await call('GET', '/leaderboards');
  const {
    data: [challenge],
  } = await call('GET', '/challenge');
  return {
    '/offers/leaderboards/:id': `/offers/leaderboards/${board.id}`,
    '/offers/challenges/:id': `/offers/challenges/${challenge.id}`,
    '/bets/slots/:betId': `/bets/slots/${spin}`,
    '/games/:slug': `/games/${slug}`,
    '/bets/house/:betId': `/bets/house/${id}`,
    '/players/:username': `/players/${username}`,
  };
}

/**
 * Checks every screen of the lobby, signed in and signed out, in all sizes and themes. Expects no errors and no accessibility problems. In
 * every language, expects complete translations and no horizontal scrolling on a narrow screen.
 */
export async function everyLobbyScreen(browser: Browser, { api }: Platform, player: Staff): Promise<void> {
  const complaints: string[] = [];
  const entered = await browser.newContext();
  const first = await entered.newPage();
  await enterLobby(first, { api }, player);
  await spinASlot(first, api);
  const state = await entered.storageState();
  const call: Call = async (method, path, body) => {
    const answer = await entered.request.fetch(api + path, { method, data: body, headers: { origin: api } });
    ok(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`);
    return answer.json();
  };
  const { username } = await call('GET', '/user/me');
  const pages = await addresses(call, username);
  const noted = { complaints, isNoted: NOTED };
  const at = (paths: readonly string[]) => paths.map((path) => `${api}/play${path}`);
  for (const [language, isIn] of [
    ['de', true],
    ['es', true],
    ['de', false],
  ] as const) {
    const context = await browser.newContext({ viewport: NARROW, ...(isIn && { storageState: state }) });
    await inLanguage(context, language);
    await visit(
      context,
      at(pages),
      async (page, path) => {
        const problems = await refused(page);
        if (await scrollsSideways(page)) problems.push('scrolls sideways');
        if (/undefined|\[object|NaN/.test(await page.innerText('body')))
          problems.push('has no word for something');
        complaints.push(...problems.map((problem) => `${language} ${path} ${problem}`));
      },
      noted,
    );
    await context.close();
  }
  for (const isIn of [true, false]) {
    const context = await browser.newContext({
      viewport: SIZES[0]!,
      ...(isIn && { storageState: state }),
    });
    await inLanguage(context, 'en');
    const some = isIn
      ? pages
      : pages.filter((path) => /^\/(sign|forgot|reset|verify|confirm|help|games$)/.test(path));
    await visit(
      context,
      at(some),
      async (page, path) => {
        complaints.push(...(await inEveryLook(page)).map((problem) => `${path} ${problem}`));
      },
      noted,
    );
    await context.close();
  }
  await entered.close();
  ok(complaints.length === 0, complaints.join('\n'));
}

const inLanguage = (context: BrowserContext, language: string) =>
  context.addInitScript(`localStorage.setItem('language', '${language}')`);

/** Signs in to the lobby. */
async function enterLobby(page: Page, { api }: Platform, { email, password }: Staff): Promise<void> {
  await page.goto(`${api}/play/sign-in`);
  await page.fill('input[name=email]', email);
  await page.fill('input[name=password]', password);
  await page.click('main button[type=submit]');
  await page.locator('.account a[href="/play/profile"]').waitFor();
}
