import { type Op, RIGHTS } from '../../../client/call.ts';
import { SHIPPED_ROLES, SUPERADMIN } from '../../../src/modules/base/access/roles/rules.ts';
import { expect, test } from '../fixtures.ts';
import { newStaff } from '../users.ts';
import { ENTRIES, enterConsole, menuPaths } from './console.ts';

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
