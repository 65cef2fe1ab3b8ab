import { ok } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { addAuthenticator } from './passkeys.ts';
import { newMember } from './roles.ts';
import { insist } from './verify.ts';

/**
 * A staff member adds a passkey in the console, and signs in with it, both alone and after a password. Uses `localhost`, because browsers
 * do not support passkeys on IP addresses.
 */
export async function consolePasskey(
  browser: Browser,
  { api, debugToken }: { api: string; debugToken: string },
): Promise<void> {
  const console = `${api.replace('//127.0.0.1:', '//localhost:')}/console/`;
  const { email, password } = await newMember({ api, debugToken }, 'SUPPORT');
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await addAuthenticator(page);
  try {
    await page.goto(console);
    await givePassword(page, email, password);
    await inside(page);
    await page.goto(`${console}account`);
    await page.getByLabel('What you call it').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('table', { name: 'Passkeys' }).getByText('Laptop').first().waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await inside(page);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await givePassword(page, email, password);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await inside(page);

    // The staff member can no longer sign in with a removed passkey.
    await page.goto(`${console}account`);
    await page.locator('summary', { hasText: 'Remove' }).click();
    const removal = page.locator('details', { hasText: 'Remove it' });
    await removal.getByRole('button', { name: 'Use a passkey' }).click();
    await insist(async () => ok(await removal.locator('input[name=mfaCode]').inputValue()));
    await removal.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('None yet.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').filter({ hasText: 'does not work here' }).waitFor();
  } finally {
    await context.close();
  }
}

const inside = (page: Page) => page.locator('nav[aria-label=Console]').waitFor({ state: 'attached' });

async function givePassword(page: Page, email: string, password: string): Promise<void> {
  await page.fill('input[name=email]', email);
  await page.fill('input[name=password]', password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
