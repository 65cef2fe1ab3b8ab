import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag22aa'];
export const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
/** Number of tabs that check pages concurrently. */
const TABS = 2;

/** Opens every address in one of several tabs, and checks it there. `complaints` collects the problems of the browser and pages. */
export async function visit(
  context: BrowserContext,
  addresses: readonly string[],
  look: (page: Page, address: string) => Promise<void>,
  { complaints, isNoted }: { complaints: string[]; isNoted: RegExp },
): Promise<void> {
  const left = [...addresses];
  const inOneTab = async () => {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on('console', (message) => {
      if (message.type() === 'error' && !isNoted.test(message.text()))
        complaints.push(`${page.url()} ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`${page.url()} ${error.message}`));
    for (let address = left.shift(); address !== undefined; address = left.shift()) {
      await page.goto(address);
      await page
        .locator('main h1')
        .waitFor()
        .catch(async (error: Error) => {
          const told = [...complaints, await page.innerText('body')].join('\n');
          throw new Error(`${address} has no heading: ${told}`, { cause: error });
        });
      await page.locator('main .loading').first().waitFor({ state: 'detached' });
      await look(page, new URL(address).pathname);
    }
  };
  await Promise.all(Array.from({ length: TABS }, inOneTab));
}

/** Returns the error messages shown on the page. */
export const refused = (page: Page): Promise<string[]> => page.locator('main .refusal').allInnerTexts();

/** Checks the open page in all sizes and themes, without reloading it. */
export async function inEveryLook(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const problems: string[] = [];
  for (const size of SIZES) {
    await page.setViewportSize(size);
    if (await scrollsSideways(page)) problems.push(`${size.width}: scrolls sideways`);
    for (const theme of ['dark', 'light']) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      const { violations } = (await page.evaluate(
        `axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`,
      )) as { violations: { id: string; nodes: { html: string }[] }[] };
      problems.push(...violations.map(({ id, nodes }) => `${theme} ${size.width}: ${id} ${nodes[0]?.html}`));
    }
  }
  return [...problems, ...(await refused(page))];
}

export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
