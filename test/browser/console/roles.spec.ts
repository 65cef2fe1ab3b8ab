import { readFile } from 'node:fs/promises';
import { type Op, RIGHTS } from '../../../client/call.ts';
import { SHIPPED_ROLES, SUPERADMIN } from '../../../src/modules/base/access/roles/rules.ts';
import { PERSON } from '../../kit/accounts/kyc.ts';
import { expect, test } from '../fixtures.ts';
import { card } from '../parts.ts';
import { newName, newPlayer, newStaff } from '../users.ts';
import { ENTRIES, enterConsole, menu, menuPaths, row } from './console.ts';

type Needed = string | readonly string[] | undefined;
const rightOf = (op: Op): Needed => (RIGHTS as Partial<Record<Op, Needed>>)[op];

/** Read operations without path parameters, and their permissions. */
const READS = Object.entries<Needed>(RIGHTS).filter(
  ([op]) => op.startsWith('GET /admin/') && !op.includes('{'),
);

for (const [role, { permissions }] of Object.entries(SHIPPED_ROLES))
  test(`shows ${role} exactly the menu entries that its permissions allow`, async ({ page, platform }) => {
    const may = (needed: Needed) =>
      role === SUPERADMIN ||
      needed === undefined ||
      [needed].flat().some((right) => (permissions as readonly string[]).includes(right));
    await enterConsole(page, await newStaff(platform, role));
    const shown = await menuPaths(page);
    const allowed = ENTRIES.flatMap(({ tabs }) => tabs.find(({ of }) => may(rightOf(of))) ?? []);
    expect(new Set(shown)).toEqual(new Set(allowed.map(({ path }) => `/console${path}`)));
    const statusOf = async ([op]: [string, unknown]) =>
      (await page.request.get(op.slice('GET '.length))).status();
    const visible = READS.find(([, right]) => may(right));
    expect(await statusOf(visible!), visible![0]).not.toBe(403);
    // The server also rejects the operations of hidden menu entries.
    const hidden = READS.find(([, right]) => !may(right));
    if (hidden) expect(await statusOf(hidden), hidden[0]).toBe(403);
  });

test('lets support write in the chat, and shows only the state of a case that support may not decide', async ({
  page,
  openPage,
  platform,
}) => {
  const lobby = await openPage();
  const { id, username, call } = await newPlayer(platform, { page: lobby });
  await call('POST', '/kyc/basic', PERSON);
  await call('POST', '/kyc/session', { tier: 'IDENTITY' });
  await lobby.goto('/play/chat');
  const support = await newStaff(platform, 'SUPPORT');
  await enterConsole(page, support);
  await menu(page).getByRole('link', { name: 'Chat', exact: true }).click();
  const text = newName('answer');
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Send message' }).click();
  await expect(row(page, text)).toContainText('Staff');
  const message = lobby
    .getByRole('list', { name: 'Messages' })
    .getByRole('listitem')
    .filter({ hasText: text });
  await expect(message).toContainText('Staff');
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('');

  await page.goto(`/console/kyc/${id}`);
  await expect(page.getByText('You can view this case, but not decide it.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Approve…' })).toHaveCount(0);
  await expect(menu(page).getByRole('link', { name: 'Verification', exact: true })).toBeVisible();
  await page.goto(`/console/users/${id}`);
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText(`Users${username}`);
});

test('saves the rows of reports as files that are named after their days', async ({ page, platform }) => {
  await enterConsole(page, await newStaff(platform, 'FINANCE'));
  const saved = async (name: string) => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name, exact: true }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
  };
  await page.goto('/console/play-report?range=LAST_7_DAYS');
  const chart = await saved('Export GGR and NGR');
  expect(chart.name).toMatch(/^ggr-and-ngr-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
  const [head, ...points] = chart.text.trim().split('\r\n');
  expect(head).toContain('time,GGR,NGR,"GGR, previous period","NGR, previous period"');
  expect(points).toHaveLength(7);
  await expect(card(page, 'GGR and NGR').getByText('Previous period')).toBeVisible();
  // Players of tests are not part of the figures.
  await page.route('**/query/games-by-slug*', async (route) => {
    const take = Number(new URL(route.request().url()).searchParams.get('take'));
    const figures = { category: 'SLOTS', providerSlug: null, activePlayers: 1, betCount: 1, turnover: 1 };
    const games = Array.from({ length: Math.min(take, 25) }, (_, n) => ({
      ...figures,
      slug: `game-${n}`,
      name: `=Game ${n}`,
      ggr: 1,
      margin: 100,
    }));
    const json = { topGameAnalytics: [], worstGameAnalytics: [], gameSlugAnalytics: games };
    await route.fulfill({ json });
  });
  await page.goto('/console/play-report/games?range=TODAY');
  await expect(page.locator('tbody').getByRole('row')).toHaveCount(20);
  const today = new Date().toISOString().slice(0, 10);
  const games = await saved('Export Games');
  expect(games.name).toBe(`games-${today}-${today}.csv`);
  const [fields, ...rows] = games.text.trim().split('\r\n');
  expect(fields).toMatch(
    /^\uFEFF?category,providerSlug,activePlayers,betCount,turnover,slug,name,ggr,margin$/,
  );
  expect(rows).toHaveLength(25);
  // A spreadsheet does not execute a name as a formula.
  expect(rows[24]).toBe("SLOTS,,1,1,1,game-24,'=Game 24,1,100");
  await page.route('**/query/games-by-slug*', (route) => route.abort());
  await page.getByRole('button', { name: 'Export Games', exact: true }).click();
  await expect(page.getByText('The server did not answer.')).toBeVisible();
  await page.goto('/console/reports?from=2026-03-01&to=2026-03-31');
  await expect(
    page
      .getByRole('main')
      .getByText(/before \(29 Jan\D+28 Feb\):/)
      .first(),
  ).toBeVisible();
  const figures = await saved('Export Key figures');
  expect(figures.name).toBe('key-figures-2026-03-01-2026-03-31.csv');
  expect(figures.text).toMatch(/^\uFEFF?figure,now,before\r\nDeposits,/);
  await page.goto('/console/reports/revenue?range=LAST_MONTH');
  expect((await saved('Export Revenue')).text).toContain('NGR,');
  expect((await saved('Export From GGR to NGR')).text).toContain('figure,now,before');
  for (const [path, name, first] of [
    ['reports/players', 'Key figures', 'New accounts'],
    ['cash-report', 'Deposits and withdrawals', 'Deposits'],
    ['cash-report', 'Sign-ups', 'New accounts'],
    ['play-report', 'Key figures', 'Turnover'],
    ['play-report/types', 'Key figures', 'Turnover'],
  ]) {
    await page.goto(`/console/${path}?range=LAST_MONTH`);
    const file = await saved(`Export ${name}`);
    expect(file.name).toMatch(/-01-\d{4}-\d\d-(28|29|30|31)\.csv$/);
    expect(file.text).toMatch(new RegExp(`^\uFEFF?figure,now,before\r\n${first},`));
  }
  const top = { user: { id: 7, username: 'winner', avatar: '/art/a.svg' }, usdAmount: '12' };
  const ranked = { wagered: [], won: [top], lost: [], deposited: [] };
  await page.route('**/dashboard/top-users*', (route) =>
    route.fulfill({ json: { current: ranked, previous: ranked } }),
  );
  await page.goto('/console/reports/top?from=2026-01-01&to=2026-01-31');
  expect((await saved('Export Most won')).text).toMatch(
    /^\uFEFF?user\.id,user\.username,usdAmount\r\n7,winner,12\r\n$/,
  );
});

test('shows the overview on a phone without scrolling sideways, whichever figure is drawn', async ({
  page,
  superadmin,
}) => {
  await page.route('**/admin/approvals', (route) =>
    route.fulfill({
      json: [
        {
          id: '1',
          operation: 'promo.start',
          input: { promoId: '77' },
          usdAmount: null,
          recipients: [],
          reason: null,
          proposedBy: null,
          createdAt: new Date().toISOString(),
          expiresAt: new Date().toISOString(),
        },
      ],
    }),
  );
  await enterConsole(page, superadmin);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/console/overview');
  for (const figure of ['GGR', 'NGR', 'Turnover', 'Deposits', 'Active players', 'New accounts']) {
    await page.getByRole('main').getByRole('radio', { name: figure, exact: true }).check({ force: true });
    await expect(page.getByRole('img', { name: new RegExp(`^${figure}\\.`) })).toBeVisible();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  }
  const second = card(page, 'Needs attention').getByRole('link', {
    name: /^Second approval: Start the promotion/,
  });
  await expect(second).toHaveAttribute('href', '/console/promo/77');
});

test('keeps unsaved permissions when a colleague changes the role, until they are reloaded', async ({
  page,
  superadmin,
}) => {
  let changes = 0;
  await page.route('**/admin/roles/SUPPORT', async (route) => {
    const response = await route.fetch();
    const role = await response.json();
    await route.fulfill({ response, json: { ...role, version: role.version + changes } });
  });
  await enterConsole(page, superadmin);
  await page.goto('/console/staff/roles/SUPPORT');
  const permission = page.getByRole('switch', { name: /bet\.read/ });
  const isOn = await permission.isChecked();
  await permission.click();
  await expect(page.getByText('1 unsaved change')).toBeVisible();
  changes = 1;
  await expect(async () => {
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await expect(page.getByText('Someone else has changed')).toBeVisible({ timeout: 1000 });
  }).toPass();
  expect(await permission.isChecked()).toBe(!isOn);
  await expect(page.getByRole('button', { name: 'Review changes' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  await expect(permission).toBeChecked({ checked: isOn });
});
