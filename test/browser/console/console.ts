/** Shared by tests of the console: signing in, and the parts of its pages. */
import { expect, type Locator, type Page } from '@playwright/test';
import type { Op } from '../../../client/call.ts';
import { dialog, pressAndConfirm } from '../parts.ts';
import type { SignIn } from '../platform.ts';
import { codeOf } from '../second-factors.ts';

export const menu = (page: Page): Locator => page.getByRole('navigation', { name: 'Console' });
export const title = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name });
export const row = (page: Page, text: string): Locator =>
  page.locator('tbody').getByRole('row').filter({ hasText: text });

type Tab = { path: string; of: Op };

/** The entries of the menu, each with the pages to which it can lead. The console is a TypeScript project of its own. */
const { MENU } = await import(new URL('../../../web/console/menu.ts', import.meta.url).href);
export const ENTRIES: readonly { tabs: readonly Tab[] }[] = MENU.flatMap(
  ({ entries }: { entries: readonly { tabs: readonly Tab[] }[] }) => entries,
);

/** Signs out through the account menu. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** Returns the paths of all menu entries. */
export const menuPaths = (page: Page): Promise<string[]> =>
  menu(page)
    .getByRole('link', { includeHidden: true })
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')!));

export async function enterPassword(page: Page, { email, password }: SignIn): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Signs in to the console. */
export async function enterConsole(page: Page, user: SignIn): Promise<void> {
  await page.goto('/console/');
  await enterPassword(page, user);
  await expect(menu(page)).toBeAttached();
}

/** Adds an authenticator app on the page 'My account'. Returns its secret. */
export async function addAuthenticatorApp(page: Page, app: Locator): Promise<string> {
  await app.getByRole('button', { name: 'Turn on' }).click();
  const secret = (await app.locator('code').first().innerText()).trim();
  await app.getByLabel('Code from the app').fill(await codeOf(secret));
  await app.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'I’ve saved my codes' }).click();
  return secret;
}

/** Presses a button, and confirms its dialog if it has one. If the page then asks for the second factor, enters a code. */
export async function pressWithCode(
  part: Locator,
  name: string,
  secret: string,
  done: Locator,
): Promise<void> {
  // A form in a dialog asks for no further confirmation.
  if (await part.evaluate(({ tagName }) => tagName === 'DIALOG'))
    await part.getByRole('button', { name, exact: true }).click();
  else await pressAndConfirm(part, name);
  const prompt = dialog(part.page()).filter({ hasText: 'Two-step verification' });
  await expect(prompt.or(done).first()).toBeVisible();
  if (!(await prompt.isVisible())) return;
  // The current code may have been used.
  await prompt.locator('input[name=code]').fill(await codeOf(secret, 'next'));
  await prompt.getByRole('button', { name: 'Confirm' }).click();
}
