import type { Page } from 'playwright-core';

const PAGES = [
  '',
  'how-to/run-a-bonus',
  'reference/schema',
  'explanation/paths',
  'operations/',
  'decisions/',
];
/** Words to search for, and a page that must be among the first five results. */
const QUERIES: Readonly<Record<string, RegExp>> = {
  'withdrawal approve': /withdrawal_not_approvable|money-out/,
  rakeback: /069-rewards|rakeback/,
  pgbouncer: /operations\/database/,
  'idempotency key': /idempotency-key/,
  'self-exclusion': /exclusion|the-gate/,
};

/**
 * Opens pages and searches on the documentation site. The browser must not report anything, such as a violation of the policy, and must not
 * send requests to other hosts. The site must have been built (`npm run build site`).
 */
export async function readTheDocumentation(page: Page, { api }: { api: string }): Promise<void> {
  const complaints: string[] = [];
  page.on('console', (message) => {
    // The site has no icon, which Chromium requests anyway.
    if (message.type() !== 'log' && !message.location().url.endsWith('/favicon.ico'))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(api))
      complaints.push(`requested ${request.url()}`);
  });
  for (const path of PAGES) {
    await page.goto(`${api}/docs/${path}`);
    await page.waitForSelector('.VPSidebar a');
  }
  await page.click('.VPSidebar a[href$="/how-to/upgrade"]');
  await page.waitForURL(`${api}/docs/how-to/upgrade`);
  for (const [words, expected] of Object.entries(QUERIES)) {
    await page.goto(`${api}/docs/`);
    // The search would first show the results of the previous words again.
    await page.evaluate(() => sessionStorage.clear());
    await page.click('.VPNavBarSearch button');
    await page.fill('#localsearch-input', words);
    const results = page.locator('#localsearch-list .result');
    await results.first().waitFor();
    const links = await results.evaluateAll((all) => all.slice(0, 5).map((one) => one.getAttribute('href')));
    if (!links.some((link) => expected.test(link ?? '')))
      throw new Error(`the search for "${words}" shows only ${links.join(', ')}`);
  }
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
}
