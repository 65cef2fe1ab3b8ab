/**
 * npm exec -- node scripts/shots.ts: takes screenshots of the console and the lobby for README and docs, in docs/images. Starts a separate platform in a
 * temporary folder with demo data from a fixed seed. Opens the screens of SHOTS in a real browser. `npm exec -- node scripts/shots.ts overview` takes only
 * the screenshots whose name matches that pattern. Needs Chromium, either at the path in CHROMIUM or in a standard location.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import sharp from 'sharp';
import { installedChromium } from '../test/browser/chromium.ts';
import { fillWithDemo, type SignIn, startPlatform } from '../test/browser/platform.ts';

type Shot = {
  name: string;
  path: string;
  app?: 'console' | 'play';
  theme?: 'dark' | 'light';
  width?: number;
  height?: number;
  /** Name of a button to press before the screenshot. */
  press?: string;
};

/** The screens. `path` is relative to the application. To add a screen, add a line. */
const SHOTS: readonly Shot[] = [
  { name: 'overview', path: '/overview?range=LAST_30_DAYS' },
  { name: 'users', path: '/users?isStaff=false' },
  { name: 'withdrawals', path: '/withdrawals' },
  { name: 'kyc', path: '/kyc' },
  { name: 'bets', path: '/bets' },
  { name: 'play', path: '/play-report?range=LAST_30_DAYS' },
  { name: 'games', path: '/games' },
  { name: 'promo', path: '/promo' },
  { name: 'deposits', path: '/deposits', theme: 'light' },
  { name: 'overview-phone', path: '/overview?range=LAST_30_DAYS', width: 390, height: 844 },
  { name: 'lobby-games', app: 'play', path: '/games' },
  { name: 'lobby-plinko', app: 'play', path: '/games/plinko', press: 'Drop ball' },
  { name: 'lobby-roulette', app: 'play', path: '/games/roulette', theme: 'light' },
  { name: 'lobby-wallet', app: 'play', path: '/games?wallet=deposit' },
  { name: 'lobby-mines-phone', app: 'play', path: '/games/mines', width: 390, height: 844 },
  { name: 'lobby-protection', app: 'play', path: '/protection' },
];

const IMAGES = resolve(import.meta.dirname, '../docs/images');
const MAX_BYTES = 120_000;

const only = new RegExp(process.argv[2] ?? '');
const platform = await startPlatform();
let browser: Browser | undefined;
try {
  const { superadmin, player } = await fillWithDemo(platform, { players: 100, days: 30, seed: 7 });
  browser = await chromium.launch(installedChromium());
  mkdirSync(IMAGES, { recursive: true });
  for (const shot of SHOTS)
    if (only.test(shot.name)) await take(browser, shot, shot.app === 'play' ? player : superadmin);
} finally {
  await browser?.close();
  await platform.stop();
}

async function take(where: Browser, shot: Shot, { email, password }: SignIn): Promise<void> {
  const { name, path, app = 'console', theme = 'dark', width = 1280, height = 800, press } = shot;
  const context = await where.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const base = `${platform.api}/${app}`;
  await page.goto(`${base}/sign-in`);
  await page.evaluate(`localStorage.setItem('theme', '${theme}')`);
  await page.fill('input[name=email]', email);
  await page.fill('input[name=password]', password);
  await page.locator('form').getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('input[name=password]').waitFor({ state: 'detached' });
  await page.goto(base + path);
  await page.locator('main h1').waitFor();
  await page.waitForLoadState('networkidle');
  if (press) {
    await page.getByRole('button', { name: press, exact: true }).click();
    await page.locator('main [role=status]').filter({ hasText: /\w/ }).first().waitFor();
  }
  writeFileSync(join(IMAGES, `${name}.png`), await small(await page.screenshot()));
  await context.close();
}

/** Compresses the image with as many colours as fit into the size limit. */
async function small(png: Buffer): Promise<Buffer> {
  for (const colours of [128, 64, 32, 16]) {
    const made = await sharp(png).png({ palette: true, colours, effort: 10, dither: 0 }).toBuffer();
    if (made.length <= MAX_BYTES) return made;
  }
  throw new Error('the picture is too large with 16 colours');
}
