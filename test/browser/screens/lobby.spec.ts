import { readFileSync } from 'node:fs';
import type { BrowserContext } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { openSlot } from '../lobby/catalogue.ts';
import { enterPassword, header } from '../lobby/lobby.ts';
import { betOnDice, type Call, callFrom } from '../users.ts';
import { checkEveryLook, checkWords, DESKTOP, expectNoProblems } from './looks.ts';

/** The narrowest supported screen. German and Spanish words are longer than English ones. */
const NARROW = { width: 360, height: 740 };
/** The browser reports these when a page checks whether something exists and it does not. */
const EXPECTED_ERRORS = /status of 40[149]/;
/** Pages for visitors. The others lead them to the sign-in. */
const FOR_VISITORS =
  /^\/(sign|forgot|reset|verify|confirm|help|games$|games\/seven|casino|live|bets$|fairness|coming-soon)/;

/** The parts of the wallet, which are shown above a page. */
const WALLET = ['overview', 'deposit', 'withdraw', 'vault', 'skins', 'history'];

/** The paths of all pages, and the session of a player with a bet on a slot. */
let paths: string[];
let storageState: Awaited<ReturnType<BrowserContext['storageState']>>;

test.beforeAll(async ({ browser, platform, demo }) => {
  const context = await browser.newContext({ baseURL: platform.api });
  const page = await context.newPage();
  await enterPassword(page, demo.player);
  await expect(header(page).menu).toBeVisible();
  await (await openSlot(page)).locator('#spin').click();
  paths = await pathsOfEveryPage(callFrom(page, platform.api));
  storageState = await context.storageState();
  await context.close();
});

/** Returns every page in the lobby's menu file, with example parameters. */
async function pathsOfEveryPage(call: Call): Promise<string[]> {
  const source = readFileSync('web/lobby/menu.ts', 'utf8');
  const paths = [...source.matchAll(/path: '([^']+)'/g)].map((match) => match[1]!);
  expect(paths.length).toBeGreaterThan(30);
  const examples = await examplesOf(call);
  expect(Object.keys(examples)).toEqual(expect.arrayContaining(paths.filter((path) => path.includes(':'))));
  return [...paths.map((path) => examples[path] ?? path), ...WALLET.map((part) => `/games?wallet=${part}`)];
}

async function examplesOf(call: Call): Promise<Readonly<Record<string, string>>> {
  const { betId } = await betOnDice(call);
  const slotBet = async () =>
    (await call('GET', '/bets?take=20')).data.find(
      ({ game }: { game: { type: string } }) => game.type !== 'HOUSE_GAME',
    )?.id;
  await expect.poll(slotBet, { timeout: 60_000 }).toBeDefined();
  const [board] = (await call('GET', '/leaderboards')).data;
  const [challenge] = (await call('GET', '/challenge')).data;
  const { username } = await call('GET', '/user/me');
  const slots = await call('GET', '/casino/games/seven-orchards');
  return {
    '/offers/leaderboards/:id': `/offers/leaderboards/${board.id}`,
    '/offers/challenges/:id': `/offers/challenges/${challenge.id}`,
    '/bets/slots/:betId': `/bets/slots/${await slotBet()}`,
    '/games/:slug': '/games/seven-orchards',
    '/casino/:list': '/casino/slots',
    '/casino/providers/:id': `/casino/providers/${slots.provider.id}`,
    '/live/:kind': '/live/big-wins',
    '/bets/house/:betId': `/bets/house/${betId}`,
    '/players/:username': `/players/${username}`,
  };
}

/** `qps` is a language for tests: English with accents, from right to left. */
const LANGUAGES = {
  en: 'in English',
  de: 'in German',
  es: 'in Spanish',
  pt: 'in Portuguese',
  qps: 'from right to left',
};

for (const { language, user, isWide } of [
  { language: 'de', user: 'player', isWide: false },
  { language: 'es', user: 'player', isWide: false },
  { language: 'pt', user: 'player', isWide: false },
  { language: 'qps', user: 'player', isWide: false },
  { language: 'de', user: 'visitor', isWide: false },
  { language: 'en', user: 'player', isWide: true },
  { language: 'en', user: 'visitor', isWide: true },
] as const)
  test(`shows a ${user} every page ${LANGUAGES[language]} ${isWide ? 'accessibly in every size and theme' : 'on a narrow screen'}`, async ({
    browser,
  }) => {
    const context = await browser.newContext({
      viewport: isWide ? DESKTOP : NARROW,
      ...(user === 'player' && { storageState }),
    });
    await context.addInitScript(`localStorage.setItem('language', '${language}')`);
    const shown = isWide && user === 'visitor' ? paths.filter((path) => FOR_VISITORS.test(path)) : paths;
    await expectNoProblems(
      context,
      shown.map((path) => `/play${path}`),
      {
        check: isWide ? checkEveryLook : checkWords,
        expectedErrors: EXPECTED_ERRORS,
        isReloaded: isWide,
      },
    );
    await context.close();
  });
