/** Shared by tests of the console: signing in, and the parts of its pages. */
import { expect, type Locator, type Page } from '@playwright/test';
import { dialog, pressAndConfirm } from '../parts.ts';
import type { SignIn } from '../platform.ts';
import { codeOf } from '../second-factors.ts';

export const menu = (page: Page): Locator => page.getByRole('navigation', { name: 'Console' });
export const title = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name });
export const row = (page: Page, text: string): Locator =>
  page.locator('tbody').getByRole('row').filter({ hasText: text });

/** Returns the paths of all menu entries. */
export const menuPaths = (page: Page): Promise<string[]> =>
  menu(page)
    .getByRole('link', { includeHidden: true })
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')!));

export async function enterPassword(page: Page, { email, password }: SignIn): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Signs in to the console. */
export async function enterConsole(page: Page, user: SignIn): Promise<void> {
  await page.goto('/console/');
  await enterPassword(page, user);
  await expect(menu(page)).toBeAttached();
}

/** Adds an authenticator app on the page 'Own account'. Returns its secret. */
export async function addAuthenticatorApp(page: Page, app: Locator): Promise<string> {
  await app.getByRole('button', { name: 'Turn it on' }).click();
  const secret = (await app.locator('code').first().innerText()).trim();
  await app.getByLabel('The code that the app shows').fill(await codeOf(secret));
  await app.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  return secret;
}

/** Presses a button and confirms its dialog. If the page then asks for the second factor, enters a code. */
export async function pressWithCode(
  part: Locator,
  name: string,
  secret: string,
  done: Locator,
): Promise<void> {
  await pressAndConfirm(part, name);
  const prompt = dialog(part.page()).filter({ hasText: 'Your second factor' });
  await expect(prompt.or(done).first()).toBeVisible();
  if (!(await prompt.isVisible())) return;
  // The current code may have been used.
  await prompt.locator('input[name=code]').fill(await codeOf(secret, 'next'));
  await prompt.getByRole('button', { name: 'Confirm' }).click();
}
