import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { type Op, RIGHTS } from '../../client/call.ts';
import { ROLES, SUPERADMIN } from '../../src/modules/base/access/rules.ts';
import { enter } from './entry.ts';

type Platform = { api: string; debugToken: string };

const rightOf = (op: Op): string | undefined => (RIGHTS as Partial<Record<Op, string>>)[op];

/** The menu entries: their paths, and the operation that each requires. */
const ENTRIES = [
  ...readFileSync('web/console/menu.ts', 'utf8').matchAll(
    /path: '([^']+)',\s*name: '[^']+',(?:\s*of: '([^']+)',)?/g,
  ),
].map(([, path, of]) => ({ path: path!, of: of as Op | undefined }));

/** Read operations without path parameters, and their permissions. */
const READS = Object.entries(RIGHTS).filter(([op]) => op.startsWith('GET /admin/') && !op.includes('{'));

/**
 * Checks each built-in role. The menu must contain exactly what the role's permissions allow, and the server must reject hidden operations.
 */
export async function roles(browser: Browser, platform: Platform): Promise<void> {
  for (const [role, rights] of Object.entries(ROLES)) {
    const may = (right: string | undefined) =>
      role === SUPERADMIN || right === undefined || (rights as string[]).includes(right);
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    try {
      await enter(page, platform, await newMember(platform, role));
      const menu = await page
        .locator('nav[aria-label=Console] a')
        .evaluateAll((links) => links.map((a) => (a as unknown as { pathname: string }).pathname));
      const due = ENTRIES.filter(({ of }) => !of || may(rightOf(of)));
      deepEqual(new Set(menu), new Set(due.map(({ path }) => `/console${path}`)), role);
      const hidden = READS.find(([, right]) => !may(right));
      const seen = READS.find(([, right]) => may(right));
      ok(seen, `${role} may read nothing`);
      const statusOf = (op: string) =>
        page.evaluate(`fetch('${op.slice(4)}').then(({ status }) => status)`) as Promise<number>;
      ok((await statusOf(seen[0])) !== 403, `${role} may not ${seen[0]}`);
      if (hidden) equal(await statusOf(hidden[0]), 403, `${role} ${hidden[0]}`);
    } finally {
      await context.close();
    }
  }
}

/** Creates a staff member with these roles through the debug routes. */
export async function newMember({ api, debugToken }: Platform, ...granted: string[]) {
  const username = `c_${randomBytes(5).toString('hex')}`;
  const password = `pw ${randomBytes(9).toString('hex')}`;
  const account = { username, email: `${username}@mail.example`, password };
  const answer = await fetch(`${api}/debug/user/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-debug-token': debugToken },
    body: JSON.stringify({ ...account, roles: granted }),
  });
  ok(answer.ok, await answer.text());
  return account;
}
