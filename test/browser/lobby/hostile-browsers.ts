import { equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { insist } from '../verify.ts';
import { arrive, balanceAgrees, isIn, newAccount } from './kit.ts';
import type { Place, Steps } from './steps.ts';

export const hostileBrowserSteps: Steps = {
  'blocked storage: an account is opened and a bet is made': (page, place) => playWith(page, place, BLOCKED),
  'full storage: an account is opened and a bet is made': (page, place) => playWith(page, place, FULL),
  'a page that the browser translates shows every new balance': playTranslated,
  'every kind of Home button in a game leaves its frame': leaveAGame,
  'a referral code is remembered until sign-up, from any page and in other tabs': followALink,
};

const BLOCKED = `for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { get() { throw new DOMException('blocked', 'SecurityError'); } });
window.BroadcastChannel = class { constructor() { throw new DOMException('blocked', 'SecurityError'); } };`;
const FULL = `Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };`;

const PLAY = 'button[type=submit].play';

/** Opens a separate context, because a script added to every page cannot be removed. */
async function playWith(_page: Page, { browser, platform: { api } }: Place, script: string): Promise<void> {
  const context = await browser.newContext();
  try {
    await context.addInitScript(script);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    const { username } = await arrive(page, api);
    await page.goto(`${api}/play/games/dice`);
    await isIn(page, username);
    const before = await balanceAgrees(page, api);
    await page.locator(`${PLAY}:enabled`).click();
    await insist(async () => ok((await balanceAgrees(page, api)) !== before));
    await page.goto(`${api}/console/`);
    await page.getByText('which is not a staff account').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
    equal(errors.join(), '');
  } finally {
    await context.close();
  }
}

/** Changes a page like a translation tool, which wraps every translatable text in a new element. */
const TRANSLATE = `{
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    if (!text.data.trim() || text.parentElement.closest('[translate=no], script, style, .translated')) continue;
    const font = document.createElement('font');
    font.className = 'translated';
    font.textContent = text.data;
    text.replaceWith(font);
  }
}`;

async function playTranslated(page: Page, { platform: { api } }: Place): Promise<void> {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await arrive(page, api);
  await page.goto(`${api}/play/games/dice`);
  await page.locator(PLAY).waitFor();
  for (let n = 0; n < 3; n++) {
    await page.evaluate(TRANSLATE);
    const before = await balanceAgrees(page, api);
    await page.locator(`${PLAY}:enabled`).click();
    await insist(async () => ok((await balanceAgrees(page, api)) !== before));
  }
  await page.locator('nav.menu a').first().click();
  await page.evaluate(TRANSLATE);
  await page.goBack();
  await page.locator(PLAY).waitFor();
  equal(errors.join(), '');
}

/** Suppliers implement a Home button in three ways: a link for the whole window, a link in the frame, or a message. */
async function leaveAGame(page: Page, { platform: { api } }: Place): Promise<void> {
  await arrive(page, api);
  const ways = {
    message: () => `parent.postMessage({ type: 'exit' }, '*')`,
    frame: (url: string) => `location.assign(${JSON.stringify(url)})`,
    top: (url: string) => `{
      const link = document.body.appendChild(document.createElement('a'));
      Object.assign(link, { href: ${JSON.stringify(url)}, target: '_top', id: 'home', textContent: 'home' });
      link.style.cssText = 'position:fixed;inset:0;z-index:9';
    }`,
  };
  for (const [way, use] of Object.entries(ways)) {
    await page.goto(`${api}/play/games/seven-orchards`);
    const launched = page.waitForRequest(/\/launch$/);
    await page.getByRole('button', { name: /^Play with/ }).click();
    const { returnUrl } = (await launched).postDataJSON() as { returnUrl: string };
    const handle = await page.locator('iframe.frame').elementHandle();
    const frame = (await handle!.contentFrame())!;
    await frame.waitForLoadState();
    // Only a page in the game's frame may close the game.
    await page.evaluate(
      `window.dispatchEvent(new MessageEvent('message', { data: 'exit', origin: 'https://other.example' }))`,
    );
    equal(await page.locator('iframe.frame').count(), 1, 'a stranger has closed the game');
    await frame.evaluate(use(returnUrl)).catch(() => undefined);
    if (way === 'top') await frame.locator('#home').click();
    await page.waitForURL(`${api}/play/games`);
  }
}

async function followALink(page: Page, { platform: { api } }: Place): Promise<void> {
  const code = `c-${randomBytes(5).toString('hex')}`;
  await page.goto(`${api}/?ref=${code}`);
  await page.waitForURL(`${api}/play/games`);
  const other = await page.context().newPage();
  await other.goto(`${api}/play/sign-up`);
  const account = newAccount();
  await other.getByLabel('Username').fill(account.username);
  await other.getByLabel('E-mail', { exact: true }).fill(account.email);
  await other.getByLabel('Password, eight').fill(account.password);
  const sent = other.waitForRequest(/\/auth\/sign-up$/);
  await other.locator('form').getByRole('button', { name: 'Sign up' }).click();
  equal((await sent).postDataJSON().affiliateCode, code);
  await isIn(other, account.username);
  await other.close();
}
