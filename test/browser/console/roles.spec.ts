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
