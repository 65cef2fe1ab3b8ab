import { execFileSync } from 'node:child_process';
import Fastify from 'fastify';
import { registerWebApps } from '../../../src/http/content/web-apps.ts';
import { registerClientAddress } from '../../../src/http/server/client-address.ts';
import { expect, test } from '../fixtures.ts';
import { complaintsOf } from '../parts.ts';
import { checkEveryLook } from '../screens/looks.ts';

const ORIGIN = 'http://127.0.0.1';
const UNLIMITED = { hit: () => 0, add: () => {}, peek: () => 0, close: async () => {} };

/** The address of the gallery, which shows every component of the kit. It has the content security policy of the real pages. */
let gallery: string;
const app = Fastify();

test.beforeAll(async () => {
  execFileSync(process.execPath, ['web/build.ts', '--gallery']);
  registerClientAddress(app, { TRUSTED_PROXIES: [] });
  const apps = [{ name: 'gallery', base: '/gallery', folder: 'dist/web/gallery', about: '' }];
  const origins = { files: ORIGIN, realtime: ORIGIN, captchaScript: undefined, games: [], site: ORIGIN };
  registerWebApps(app, { apps, origins, brand: { name: 'Croupier' }, environment: 'test' }, UNLIMITED);
  gallery = `${await app.listen({ port: 0, host: '127.0.0.1' })}/gallery/`;
});

test.afterAll(() => app.close());

test('operates lists, menus and dialogs by keyboard', async ({ page }) => {
  const complaints = complaintsOf(page);
  await page.goto(gallery);
  const currency = page.getByRole('button', { name: 'Currency' });
  await currency.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('option', { name: 'BTC' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('listbox')).toBeHidden();
  await expect(currency).toHaveText('BTC');

  await page.getByRole('button', { name: 'Country Choose a country' }).press('Enter');
  await page.getByRole('combobox', { name: 'Search', exact: true }).fill('ger');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Country Germany' })).toBeVisible();

  await page.getByRole('button', { name: 'Account', exact: true }).press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Wallet' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Settings' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu')).toBeHidden();
  expect(new URL(page.url()).pathname).toBe('/gallery/settings');

  const drawer = page.getByRole('button', { name: 'Open drawer' });
  await drawer.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Notifications' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeFocused();
  expect(complaints).toEqual([]);
});

test('focuses the first invalid field of a form and shows its error', async ({ page }) => {
  await page.goto(gallery);
  await page.getByRole('button', { name: 'Create account' }).press('Enter');
  await expect(page.locator('input[name=email]')).toBeFocused();
  await expect(page.getByText('Fill in this field').first()).toBeVisible();
});

for (const direction of ['ltr', 'rtl'])
  test(`shows every component accessibly in every size and theme (${direction})`, async ({ page }) => {
    await page.goto(`${gallery}?dir=${direction}`);
    await expect(page.getByRole('heading', { name: 'Tables' })).toBeVisible();
    const problems = await checkEveryLook(page);
    // The gallery contains an error on purpose.
    expect(problems.filter((problem) => !problem.startsWith('Something went wrong'))).toEqual([]);
  });
