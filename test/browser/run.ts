/**
 * npm run ci -- browser: tests in a real browser.
 * - On the sandbox's site, a user adds a passkey with Chromium's virtual authenticator, and signs in with it alone and after a password.
 * - The public verification page verifies bets on every game, online and offline.
 * - A player plays the slot of the sandbox's aggregator, also by keyboard, while every third response of the wallet is lost.
 * - The documentation site and its search work under its policy, without requests to other hosts.
 * - Staff use the console.
 * - Players use the lobby, from sign-up (also through both identity providers of the sandbox) and emails in the sandbox's inbox to a
 * withdrawal.
 *
 * Everything runs as with `npm start`, on free ports and a separate database. Needs Chromium, either at the path in CHROMIUM or in a
 * standard location. `npm run ci -- browser -- passkey` runs only the steps whose name contains that word.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { banAPlayer, everyScreen, keepWhatWasTyped } from './console.ts';
import { consolePasskey } from './console-passkey.ts';
import { changeASetting, stopAGame, switchASlotOff } from './console-site.ts';
import { readTheDocumentation } from './documentation.ts';
import { appoint, enter } from './entry.ts';
import { decideAnApplication, grantAPromotion, payAChallenge } from './growth.ts';
import { everyLobbyScreen } from './lobby/screens.ts';
import { LOBBY } from './lobby/steps.ts';
import { passkeys } from './passkeys.ts';
import { booksAgree, run, type Started, startPlatform } from './platform.ts';
import { roles } from './roles.ts';
import { playDemo, playSlot } from './slot.ts';
import { staffWay } from './staff-way.ts';
import { betOnEveryGame, verifyChain, verifyEveryBet } from './verify.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];

const DEBUG_TOKEN = randomBytes(12).toString('hex');

const executablePath = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));
if (!executablePath) {
  console.error('no Chromium found: install it (Debian: apt-get install chromium), or set CHROMIUM');
  process.exit(1);
}

const only = process.argv[2] ?? '';
const platform = await startPlatform({ DEBUG_TOKEN });
let betting: ReturnType<typeof betOnEveryGame> | undefined;
const everyGame = () => {
  betting ??= betOnEveryGame(platform.api);
  return betting;
};
const browser = await chromium.launch({ executablePath, args: FLAGS });
let failed = 0;
try {
  await step('a passkey is made, signs in alone, and completes a sign-in with a password', (page) =>
    passkeys(page, platform),
  );
  const { api } = platform;
  await step(
    'a bet on every game is verified, also from a saved page without network; a tampered one is not',
    async (page) => verifyEveryBet(page, { api, ...(await everyGame()) }),
  );
  await step('a round of speed-roulette leads up to the commitment of its chain', async (page) =>
    verifyChain(page, { api, ...(await everyGame()) }),
  );
  await step(
    '50 spins of the slot with every third answer lost: page, balance, bets and books agree',
    (page) => playSlot(page, platform),
  );
  await step('a demo of the slot moves nothing', (page) => playDemo(page, platform));
  await step('documentation: pages and the search work, without a complaint of the browser', (page) =>
    readTheDocumentation(page, platform),
  );
  await everyScreenOfADemo();
  await staffConsole();
  for (const [name, work] of Object.entries(LOBBY))
    await step(`lobby: ${name}`, (page) =>
      work(page, { browser, platform: { ...platform, debugToken: DEBUG_TOKEN } }),
    );
  await provesBooks(platform);
} finally {
  await browser.close();
  await platform.stop(failed > 0);
}
process.exit(failed === 0 ? 0 : 1);

/** Checks every screen of both applications with demo data. */
async function everyScreenOfADemo(): Promise<void> {
  const names = ['console', 'lobby'].map(
    (app) => `${app}: every screen with the data of a demo, every size and theme: no complaint, no barrier`,
  );
  if (!names.some((name) => name.includes(only))) return;
  await withPlatform({}, async (full) => {
    const said = await run(
      'src/bin/croupier.ts',
      full.env,
      'demo',
      '--players',
      '30',
      '--days',
      '10',
      '--seed',
      '3',
    );
    const logIn = (who: string) => {
      const [, email = '', password = ''] = new RegExp(`${who}\\s+(\\S+)\\s+(\\S+)`).exec(said)!;
      return { email, password };
    };
    await step(names[0]!, () => everyScreen(browser, full, logIn('SUPERADMIN')));
    await step(names[1]!, () => everyLobbyScreen(browser, full, logIn('  player')));
  });
}

async function staffConsole(): Promise<void> {
  const staff = await appoint(platform);
  await step('console: a player is found by keys and banned, and the audit shows it', (page) =>
    banAPlayer(page, platform, staff),
  );
  await step('console: what is refused stands beside its field, and nothing is lost', (page) =>
    keepWhatWasTyped(page, platform, staff),
  );
  const open = { ...platform, debugToken: DEBUG_TOKEN };
  await step('console: a passkey is added, signs in, completes a password, and is removed', () =>
    consolePasskey(browser, open),
  );
  await step('console: each role sees what it may do, and the server refuses the rest', () =>
    roles(browser, open),
  );
  await step('console: two members of staff, with second factors, from a proof of identity to a ban', () =>
    withPlatform({ STAFF_MFA_REQUIRED: 'true' }, async (strict) =>
      staffWay(browser, { ...strict, debugToken: DEBUG_TOKEN }, await appoint(strict)),
    ),
  );
  const site = {
    'console: a house game is stopped, and bets on it are refused until it goes on': stopAGame,
    'console: a game of a provider is switched off, and nobody can open it': switchASlotOff,
    'console: a setting is changed, and its history shows who did it': changeASetting,
  };
  for (const [name, work] of Object.entries(site))
    await step(name, async (page) => {
      await enter(page, platform, staff);
      await work(page, platform);
    });
  await step('console: a promotion is set up, started, granted and taken back', (page) =>
    grantAPromotion(page, platform, staff),
  );
  await step('console: a VIP application with an image is approved, and the level is there', (page) =>
    decideAnApplication(page, platform, staff),
  );
  await step('console: a challenge is set up with an image, and the reward paid', (page) =>
    payAChallenge(page, platform, staff),
  );
}

/** Runs `work` on a separate platform. The platform's books must balance when `work` has ended. */
async function withPlatform(
  settings: Record<string, string>,
  work: (own: Started) => Promise<void>,
): Promise<void> {
  const own = await startPlatform({ DEBUG_TOKEN, ...settings });
  try {
    await work(own);
    await provesBooks(own);
  } finally {
    await own.stop(false);
  }
}

async function provesBooks(of: Started): Promise<void> {
  if (!(await booksAgree(of))) failed++;
}

/** In CI each step has two attempts. A shared machine may miss a deadline once, but a real fault makes both attempts fail. */
async function step(name: string, work: (page: Page) => Promise<void>): Promise<void> {
  if (!name.includes(only)) return;
  const isDone = (await attempt(name, work)) || (process.env.CI !== undefined && (await attempt(name, work)));
  if (!isDone) failed++;
}

/** Every attempt uses a new browser context without cookies. */
async function attempt(name: string, work: (page: Page) => Promise<void>): Promise<boolean> {
  const context: BrowserContext = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const began = performance.now();
  try {
    await work(page);
    console.log(`ok      ${name}  ${((performance.now() - began) / 1000).toFixed(0)} s`);
    return true;
  } catch (error) {
    console.log(`FAILED  ${name}\n        at ${page.url()}\n${(error as Error).stack}`);
    console.log(await page.innerText('body').catch(() => ''));
    return false;
  } finally {
    await context.close();
  }
}
