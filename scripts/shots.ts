/**
 * npm exec -- node scripts/shots.ts: takes screenshots of the console and the lobby for README and docs, in docs/images. Starts a separate platform in a
 * temporary folder with demo data from a fixed seed. Opens the screens of SHOTS in a real browser. `npm exec -- node scripts/shots.ts overview` takes only
 * the screenshots whose name contains that word. Needs Chromium, either at the path in CHROMIUM or in a standard location.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import sharp from 'sharp';
import { platformPorts } from '../test/kit/processes/ports.ts';

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
  { name: 'lobby-plinko', app: 'play', path: '/games/plinko', press: 'Bet' },
  { name: 'lobby-roulette', app: 'play', path: '/games/roulette', theme: 'light' },
  { name: 'lobby-wallet', app: 'play', path: '/wallet' },
  { name: 'lobby-mines-phone', app: 'play', path: '/games/mines', width: 390, height: 844 },
  { name: 'lobby-protection', app: 'play', path: '/protection' },
];

const ROOT = resolve(import.meta.dirname, '..');
const IMAGES = join(ROOT, 'docs/images');
const MOST_BYTES = 120_000;
const DEMO = ['--seed', '7', '--players', '100', '--days', '30'];
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];

const executablePath = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));
if (!executablePath) {
  console.error('no Chromium found: install it (Debian: apt-get install chromium), or set CHROMIUM');
  process.exit(1);
}
const only = process.argv[2] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'croupier-shots-'));
// The embedded PostgreSQL runs as another user, who must be able to enter the folder.
chmodSync(folder, 0o755);
const { PATH = '', HOME = '' } = process.env;
const env: Record<string, string> = {
  PATH,
  HOME,
  DATA_DIR: join(folder, 'data'),
  LOG_LEVEL: 'error',
  RATE_LIMIT_READ: '0',
  RATE_LIMIT_PUBLIC: '0',
  ...(await platformPorts()),
};
const platform = spawn(process.execPath, ['src/bin/croupier.ts', 'start'], {
  cwd: ROOT,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(platform, 'exit');
let browser: Browser | undefined;
try {
  await isReady();
  const logIns = await fillIt();
  browser = await chromium.launch({ executablePath, args: FLAGS });
  mkdirSync(IMAGES, { recursive: true });
  for (const shot of SHOTS) if (shot.name.includes(only)) await take(browser, shot, logIns);
} finally {
  await browser?.close();
  platform.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

async function isReady(): Promise<void> {
  for await (const line of createInterface(platform.stdout)) if (line.startsWith('ready')) return;
  throw new Error('the platform did not start');
}

async function fillIt(): Promise<Readonly<Record<'console' | 'play', LogIn>>> {
  const { stdout } = await promisify(execFile)(process.execPath, ['src/bin/croupier.ts', 'demo', ...DEMO], {
    cwd: ROOT,
    env,
  });
  const logIn = (who: string) => {
    const [, email = '', password = ''] = new RegExp(`${who}\\s+(\\S+)\\s+(\\S+)`).exec(stdout) ?? [];
    return { email, password };
  };
  return { console: logIn('SUPERADMIN'), play: logIn('  player') };
}

type LogIn = { email: string; password: string };

async function take(where: Browser, shot: Shot, logIns: Awaited<ReturnType<typeof fillIt>>): Promise<void> {
  const { name, path, app = 'console', theme = 'dark', width = 1280, height = 800, press } = shot;
  const { email, password } = logIns[app];
  const context = await where.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const base = `http://127.0.0.1:${env.PORT}/${app}`;
  await page.goto(`${base}/sign-in`);
  await page.evaluate(`localStorage.setItem('theme', '${theme}')`);
  await page.fill('input[name=email]', email);
  await page.fill('input[name=password]', password);
  await page.click('main button[type=submit]');
  await page
    .locator('nav[aria-label=Console], .account a[href$=profile]')
    .first()
    .waitFor({ state: 'attached' });
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
    if (made.length <= MOST_BYTES) return made;
  }
  throw new Error('the picture is too large with 16 colours');
}
