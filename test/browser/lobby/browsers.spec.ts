/** Unusual browsers: blocked or full storage, translated pages, games that leave their frame, and referral links. */
import { expect, test } from '../fixtures.ts';
import { cashOf, newAccount, newName, newPlayer } from '../users.ts';
import { gameFrame } from './catalogue.ts';
import { openGame } from './game.ts';
import { expectBalance, fillSignUp, header, menuLink } from './lobby.ts';

const STORAGES: Readonly<Record<string, string>> = {
  blocked: `for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('blocked', 'SecurityError'); } });
    window.BroadcastChannel = class { constructor() { throw new DOMException('blocked', 'SecurityError'); } };`,
  full: `Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };`,
};

for (const [storage, script] of Object.entries(STORAGES))
  test(`takes a bet on dice from a browser with ${storage} storage`, async ({ page, platform }) => {
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.addInitScript(script);
    const { username, call } = await newPlayer(platform, { page });
    const { play } = await openGame(page, 'dice');
    await expect(header(page).user(username)).toBeVisible();
    await expectBalance(page, () => cashOf(call));
    await play.click();
    await expect.poll(() => cashOf(call)).not.toBe('1000');
    await expectBalance(page, () => cashOf(call));
    await page.goto('/console/');
    await expect(page.getByText('which is not a staff account')).toBeVisible();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByLabel('Email')).toBeVisible();
    expect(errors).toEqual([]);
  });

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

test('shows new balances on a page that the browser translates', async ({ page, platform }) => {
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  const { call } = await newPlayer(platform, { page });
  const { play } = await openGame(page, 'dice');
  for (let n = 0; n < 3; n++) {
    await page.evaluate(TRANSLATE);
    const previous = await expectBalance(page, () => cashOf(call));
    // A press before the reveal has ended places no bet.
    await expect(page.locator('.play.revealing')).toHaveCount(0);
    await play.click();
    await expect.poll(() => cashOf(call)).not.toBe(previous);
    await expectBalance(page, () => cashOf(call));
  }
  await menuLink(page, 'Home').click();
  await page.evaluate(TRANSLATE);
  await page.goBack();
  await expect(play).toBeVisible();
  expect(errors).toEqual([]);
});

/** Suppliers implement a Home button in three ways. */
const HOME_BUTTONS: Readonly<Record<string, (url: string) => string>> = {
  'sends a message': () => `parent.postMessage({ type: 'exit' }, '*')`,
  'opens a page in the frame': (url) => `location.assign(${JSON.stringify(url)})`,
  'opens a page in the window': (url) => `{
    const link = document.body.appendChild(document.createElement('a'));
    Object.assign(link, { href: ${JSON.stringify(url)}, target: '_top', textContent: 'Home' });
    link.style.cssText = 'position:fixed;inset:0;z-index:9';
  }`,
};

for (const [way, script] of Object.entries(HOME_BUTTONS))
  test(`leaves a game whose Home button ${way}`, async ({ page, platform }) => {
    await newPlayer(platform, { page });
    await page.goto('/play/games/seven-orchards');
    const launch = page.waitForRequest(/\/launch$/);
    await page.getByRole('button', { name: /^Play with/ }).click();
    const { returnUrl } = (await launch).postDataJSON() as { returnUrl: string };
    const iframe = page.locator('iframe.frame');
    const frame = (await (await iframe.elementHandle())!.contentFrame())!;
    await frame.waitForLoadState();
    // Only a page in the game's frame may close the game.
    await page.evaluate(
      `window.dispatchEvent(new MessageEvent('message', { data: 'exit', origin: 'https://other.example' }))`,
    );
    await expect(iframe).toHaveCount(1);
    // The frame may be gone before the script returns.
    await frame.evaluate(script(returnUrl)).catch(() => undefined);
    if (way.endsWith('window')) await gameFrame(page).getByRole('link', { name: 'Home' }).click();
    await page.waitForURL('/play/games');
  });

test('remembers a referral code until the sign-up in another tab', async ({ page, context }) => {
  const affiliateCode = newName('c');
  await page.goto(`/?ref=${affiliateCode}`);
  await page.waitForURL('/play/games');
  const other = await context.newPage();
  const account = newAccount();
  await other.goto('/play/sign-up');
  const request = other.waitForRequest(/\/auth\/sign-up$/);
  await fillSignUp(other, account);
  expect((await request).postDataJSON()).toMatchObject({ affiliateCode });
  await expect(header(other).user(account.username)).toBeVisible();
});
