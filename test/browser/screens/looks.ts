import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from '@playwright/test';
import { expect } from '../fixtures.ts';
import { complaintsOf } from '../parts.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules of axe to run in each theme. The themes differ only in their colours. */
const RULES_OF_THEMES = { dark: RULES, light: ['color-contrast', 'link-in-text-block'] };
export const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
/** Number of tabs that check pages concurrently. */
const TABS = 2;

/** Checks an open page. Returns its problems. */
type Check = (page: Page) => Promise<string[]>;

/**
 * Opens every path in one of several tabs, and checks it there. If `isReloaded`, the tab loads the application again for each path. Expects no problems, and no browser errors other than `expectedErrors`.
 */
export async function expectNoProblems(
  context: BrowserContext,
  paths: readonly string[],
  { check, expectedErrors, isReloaded }: { check: Check; expectedErrors: RegExp; isReloaded: boolean },
): Promise<void> {
  const problems: string[] = [];
  const left = [...paths];
  const inOneTab = async () => {
    const page = await context.newPage();
    const report = (text: string) => problems.push(`${new URL(page.url()).pathname}: ${text}`);
    const complaints = complaintsOf(page, (text) => expectedErrors.test(text));
    for (let path = left.shift(); path !== undefined; path = left.shift()) {
      const isOpen = !isReloaded && (await openInside(page, path));
      if (!isOpen) {
        await page.goto(path);
        // Hundreds of pages are opened. `waitFor` notices a change sooner than an assertion, which polls.
        await page
          .locator('main h1')
          .waitFor()
          .catch((error: Error) => {
            throw new Error([`${path} has no heading`, ...problems, ...complaints].join('\n'), {
              cause: error,
            });
          });
      }
      await page.locator('main .loading').first().waitFor({ state: 'detached' });
      for (const problem of await check(page)) report(problem);
    }
    problems.push(...complaints);
    await page.close();
  };
  await Promise.all(Array.from({ length: TABS }, inOneTab));
  expect(problems).toEqual([]);
}

/**
 * Goes to a page without loading the application again, as a link does. This takes a third of the processor time. Returns false if no new
 * heading appears, for example because the address opens a dialog on the same page, or because no page is open yet.
 */
async function openInside(page: Page, path: string): Promise<boolean> {
  const before = page.locator('main h1').first();
  const isSamePage = new URL(page.url()).pathname === path.split('?')[0];
  if (isSamePage || (await before.count()) === 0) return false;
  await page.evaluate(`document.querySelector('main h1').setAttribute('data-before', '');
    history.pushState(null, '', ${JSON.stringify(path)});`);
  return page
    .locator('main h1:not([data-before])')
    .waitFor({ timeout: 5000 })
    .then(() => true)
    .catch(() => false);
}

/** Checks accessibility and scrolling in all sizes and themes, without reloading the page. */
export const checkEveryLook: Check = async (page) => {
  // Without transitions, a new theme has its colours immediately.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(AXE);
  const problems: string[] = [];
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    for (const html of await widened(page)) problems.push(`wider than ${size.width} px: ${html}`);
    for (const [theme, rules] of Object.entries(RULES_OF_THEMES)) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      for (const violation of await violationsOf(page, rules))
        problems.push(`${theme} ${size.width}: ${violation}`);
    }
  }
  return [...problems, ...(await shownErrors(page))];
};

/**
 * Returns the violated rules, each with its first element. By default, axe also describes every element that complies, which takes half of
 * its time.
 */
const violationsOf = (page: Page, rules: readonly string[]): Promise<string[]> =>
  page.evaluate(`axe
    .run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0]?.html))`);

/** Checks that every text is translated, and that the page is not wider than the screen. */
export const checkWords: Check = async (page) => {
  const problems = await shownErrors(page);
  for (const html of await widened(page)) problems.push(`wider than the screen: ${html}`);
  if (/undefined|\[object|NaN/.test(await page.locator('body').innerText()))
    problems.push('lacks a translation');
  return problems;
};

const shownErrors = (page: Page): Promise<string[]> => page.locator('main .refusal').allInnerTexts();

/** Returns the elements that make the page wider than the screen. */
const widened = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const { scrollWidth, clientWidth, dir } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isBeyond = (element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (dir === 'rtl' ? left < 0 : right > clientWidth);
    };
    const innermost = [...document.querySelectorAll('body *')].filter(
      (element) => isBeyond(element) && ![...element.children].some(isBeyond),
    );
    return innermost.slice(0, 3).map(({ outerHTML }) => outerHTML.slice(0, 120));
  })()`);
