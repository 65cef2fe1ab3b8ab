/** Parts that pages of several applications have. */
import { expect, type Locator, type Page } from '@playwright/test';

export const card = (page: Page, title: string): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

/** A message that the page announces. */
export const notice = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('status').filter({ hasText: text }).first();

export const alert = (page: Page, text: string | RegExp = /\w/): Locator =>
  page.getByRole('alert').filter({ hasText: text });

export const dialog = (page: Page): Locator => page.getByRole('dialog');

const pageOf = (part: Page | Locator): Page => ('page' in part ? part.page() : part);

/** The value next to a name, in a list of names and values. */
export const fact = (part: Page | Locator, name: string): Locator =>
  part
    .locator('dl > div')
    .filter({ has: pageOf(part).locator('dt').getByText(name, { exact: true }) })
    .locator('dd');

/** Presses a button, and the button with the same name in the dialog that then opens. */
export async function pressAndConfirm(part: Page | Locator, name: string): Promise<void> {
  await part.getByRole('button', { name, exact: true }).click();
  await dialog(pageOf(part)).getByRole('button', { name, exact: true }).click();
}

/** Collects the browser's errors, warnings and violations of the content security policy. */
export function complaintsOf(
  page: Page,
  isExpected: (text: string, url: string) => boolean = () => false,
): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    const { url } = message.location();
    if (['error', 'warning'].includes(message.type()) && !isExpected(message.text(), url))
      complaints.push(`${page.url()}: ${message.text()} ${url}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  return complaints;
}

/** Waits until an image is loaded. Fails if the browser cannot decode it. */
export async function expectLoaded(image: Locator): Promise<void> {
  await expect(image).toHaveJSProperty('complete', true);
  await expect(image).not.toHaveJSProperty('naturalWidth', 0);
}

/** Presses Tab until an element has the focus. */
export async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const page = target.page();
  const focused = target.and(page.locator(':focus'));
  for (let presses = 0; (await focused.count()) === 0; presses++) {
    expect(presses, `${key} reaches ${target}`).toBeLessThan(90);
    await page.keyboard.press(key);
  }
}
