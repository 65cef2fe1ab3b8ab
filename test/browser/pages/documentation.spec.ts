/** The documentation site. It must have been built (`npm run build site`). */
import { expect, test } from '../fixtures.ts';
import { complaintsOf } from '../parts.ts';

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

test('shows and searches the documentation without violating its content security policy or calling other hosts', async ({
  page,
  platform,
}) => {
  // The site has no icon, which Chromium requests anyway.
  const complaints = complaintsOf(page, (_, url) => url.endsWith('/favicon.ico'));
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(platform.api))
      foreign.push(request.url());
  });
  const sidebar = page.locator('.VPSidebar');
  for (const path of PAGES) {
    await page.goto(`/docs/${path}`);
    await expect(sidebar.getByRole('link').first()).toBeVisible();
  }
  await sidebar.locator('a[href$="/how-to/upgrade"]').click();
  await page.waitForURL('/docs/how-to/upgrade');
  for (const [words, expected] of Object.entries(QUERIES)) {
    await page.goto('/docs/');
    // The search would first show the results of the previous words again.
    await page.evaluate(() => sessionStorage.clear());
    await page.locator('.VPNavBarSearch').getByRole('button').click();
    await page.locator('#localsearch-input').fill(words);
    const results = page.locator('#localsearch-list .result');
    const firstFive = () =>
      results.evaluateAll((all) => all.slice(0, 5).map((one) => one.getAttribute('href')));
    await expect.poll(async () => (await firstFive()).join(' '), `results for "${words}"`).toMatch(expected);
  }
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
});
