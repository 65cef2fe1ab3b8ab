/** Tests exports of staff lists: every list, every row once and in order, no formulas, and an audit entry with the exporter's name. */
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { mainRoutes } from '../src/app/apps.ts';
import type { Permission } from '../src/http/access.ts';
import { listPlace } from '../src/http/content/csv.ts';
import { route } from '../src/http/route.ts';
import { PageNumber, page, pageOf, take } from '../src/http/schemas.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';

const COUNT = 250;
const Row = z.object({
  id: z.number(),
  text: z.string().nullable(),
  user: z.object({ username: z.string(), avatar: z.string() }).nullable(),
  tags: z.array(z.string()),
  facts: z.record(z.string(), z.unknown()),
  images: z.array(z.string()),
});
const TEXTS = ['plain', 'a,b', 'say "hi"', 'two\nlines', '=1+1', '-0.5', '+49', '@x', null];
const rowOf = (id: number) => ({
  id,
  text: TEXTS[id % TEXTS.length]!,
  user: id % 2 ? { username: `u${id}`, avatar: '/avatars/1.webp' } : null,
  tags: id % 3 ? ['a', 'b'] : ['007'],
  facts: { place: id, prizes: [{ by: { id: 1, username: 'anna' }, usd: '5', note: null }] },
  images: ['/art/1.webp'],
  secret: 'never declared',
});
const shared = {
  method: 'GET',
  tag: 'Test',
  access: { permission: 'audit.read' as Permission },
  summary: 'Rows',
  query: z.strictObject({ page: PageNumber, take: take(100), after: z.number().int().default(0) }),
  response: page(Row),
} as const;
const list = route({
  ...shared,
  path: '/rows',
  handler: ({ query }) =>
    pageOf(query, COUNT - query.after, async (offset) =>
      Array.from({ length: Math.min(query.take, COUNT - query.after - offset) }, (_, i) =>
        rowOf(query.after + offset + i),
      ),
    ),
});

const slow = route({
  ...shared,
  path: '/slow-rows',
  handler: async ({ query }) => {
    await setTimeout(400);
    return { data: [rowOf(query.page)], take: 1, page: query.page, total: 1000, totalPages: 1000 };
  },
});

const app = fixture(() => startApp({ extraRoutes: [list], env: { EXPORT_ROWS_AT_ONCE: '100' } }));
const boss = fixture(() => app.as('superadmin'));
const csv = { accept: 'text/csv' };

/** Parses CSV by RFC 4180. */
function parse(text: string): string[][] {
  const cells = text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g);
  const rows: string[][] = [[]];
  for (const [, cell, end] of cells) {
    rows.at(-1)!.push(cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!);
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

test('exports every matching row once, whatever page is requested, without undeclared fields', async () => {
  const answer = await boss.call('GET', '/rows?after=10&page=2&take=5', { headers: csv });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head, ...rows] = parse(answer.text);
  expect(head).toEqual(['id', 'text', 'user.username', 'tags', 'facts']);
  expect(rows.map(([id]) => Number(id))).toEqual(Array.from({ length: COUNT - 10 }, (_, i) => i + 10));
  expect(answer.text).not.toContain('never declared');
});

test('exports strings unchanged, except that formulas are marked as text', async () => {
  const [, ...rows] = parse((await boss.call('GET', '/rows', { headers: csv })).text);
  const shown = ['plain', 'a,b', 'say "hi"', 'two\nlines', "'=1+1", '-0.5', "'+49", "'@x", ''];
  expect(rows.slice(0, 9).map(([, text]) => text)).toEqual(shown);
});

test('exports lists and objects in words, and leaves out pictures', async () => {
  const [, first, second] = parse((await boss.call('GET', '/rows', { headers: csv })).text);
  expect(second).toEqual(['1', 'a,b', 'u1', 'a; b', 'place: 1; prizes: ((by: anna, usd: 5))']);
  // A spreadsheet would read a single tag of digits as a number.
  expect(first![3]).toBe("'007");
});

test('exports only the chosen rows, in the order of the list, and counts them', async () => {
  const answer = await boss.call('GET', '/rows?ids=200,3,999&columns=id', { headers: csv });
  expect(parse(answer.text)).toEqual([['id'], ['3'], ['200']]);
  expect(answer.headers.get('x-row-count')).toBe('2');
  const byName = await boss.call('GET', '/rows?ids=u3&idColumn=user.username&columns=id', { headers: csv });
  expect(parse(byName.text)).toEqual([['id'], ['3']]);
  const { body } = await boss.call('GET', '/admin/user/admin-audit?take=5');
  expect(body.data.find((row: any) => row.requestBody.ids === '200,3,999')).toMatchObject({
    after: { rows: 2, isWhole: true },
  });
  const many = Array.from({ length: 101 }, (_, id) => id).join();
  for (const [query, path] of [
    [`ids=${many}`, 'ids'],
    ['ids=', 'ids'],
    ['ids=1,', 'ids'],
    ['ids=1&idColumn=secret', 'idColumn'],
  ]) {
    const wrong = await boss.call('GET', `/rows?${query}`, { headers: csv });
    expect([wrong.status, wrong.body.details?.fields[0].path], query).toEqual([400, path]);
  }
});

test('exports all rows that share a chosen value', async () => {
  const answer = await boss.call('GET', '/rows?ids=plain&idColumn=text&columns=id', { headers: csv });
  const plain = Array.from({ length: COUNT }, (_, id) => id).filter((id) => id % TEXTS.length === 0);
  expect(parse(answer.text).slice(1)).toEqual(plain.map((id) => [String(id)]));
});

test('refuses an export of chosen rows that are not found in time', async () => {
  const env = { EXPORT_SECONDS: '1', EXPORTS_AT_ONCE: '1' };
  const hasty = await startApp({ extraRoutes: [slow], env, database: app.database });
  try {
    // A refused export no longer counts towards EXPORTS_AT_ONCE.
    for (let at = 0; at < 2; at++) {
      const { token } = boss;
      const { status, body } = await hasty.call('GET', '/slow-rows?ids=0', { token, headers: csv });
      expect([status, body.code]).toEqual([400, 'FILTER_TOO_WIDE']);
    }
  } finally {
    await hasty.stop();
  }
});

test('exports the chosen columns in the chosen order, and rejects unknown and repeated columns', async () => {
  const [head, , second] = parse(
    (await boss.call('GET', '/rows?bom=false&columns=user.username,id', { headers: csv })).text,
  );
  expect([head, second]).toEqual([
    ['user.username', 'id'],
    ['u1', '1'],
  ]);
  for (const columns of ['secret', 'id,id', '', 'user', 'id,', 'id&columns=id']) {
    const wrong = await boss.call('GET', `/rows?columns=${columns}`, { headers: csv });
    expect([wrong.status, wrong.body.code], columns).toEqual([400, 'VALIDATION_FAILED']);
    expect(wrong.body.details.fields[0].path).toBe('columns');
  }
  // Without the media type, these parameters do not exist.
  expect((await boss.call('GET', '/rows?columns=id')).status).toBe(400);
});

test('records the filter, the columns and the number of rows of an export in the audit log', async () => {
  await boss.call('GET', '/rows?after=240&columns=id,text', { headers: csv });
  const { body } = await boss.call('GET', '/admin/user/admin-audit?take=5');
  const rows = body.data.filter((row: any) => row.path === '/rows (CSV)');
  expect(rows[0]).toMatchObject({
    requestBody: { after: '240', columns: 'id,text' },
    after: { rows: 10, isWhole: true, columns: ['id', 'text'] },
  });
});

test('returns errors as JSON, and JSON to callers that do not accept CSV', async () => {
  const clerk = await app.as({ permissions: ['user.read'] });
  const refused = await clerk.call('GET', '/rows', { headers: csv });
  expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
  const wrong = await boss.call('GET', '/rows?after=x', { headers: csv });
  expect([wrong.status, wrong.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect((await boss.call('GET', '/rows', { headers: { accept: 'application/json' } })).body.total).toBe(
    COUNT,
  );
});

test('distinguishes exports from page views in the audit log', async () => {
  await boss.call('GET', '/rows?after=200', { headers: csv });
  await boss.call('GET', '/rows?after=201');
  const { body } = await boss.call('GET', '/admin/user/admin-audit?take=10');
  const paths = JSON.stringify(body.data);
  expect(paths.indexOf('/rows"')).toBeGreaterThan(-1);
  expect(paths.indexOf('/rows (CSV)"')).toBeGreaterThan(paths.indexOf('/rows"'));
});

test('exports every staff list according to its own schema', async () => {
  const lists = mainRoutes(app.services).filter((r) => listPlace(r) && !r.path.includes('{'));
  expect(lists.length).toBeGreaterThan(20);
  for (const { method, path, body } of lists) {
    const sample = path === '/admin/user/all' ? USERS : body && { sortBy: 'createdAt', sortOrder: 'desc' };
    const answer = await boss.call(method, path + (QUERIES[path] ?? ''), {
      headers: csv,
      ...(method === 'POST' ? { body: { ...sample, ...BODIES[path] } } : {}),
    });
    expect(answer.headers.get('content-type'), `${method} ${path} ${answer.text}`).toBe(
      'text/csv; charset=utf-8',
    );
    expect(answer.text.split('\r\n')[0], path).toMatch(/^[\w.,]+$/);
  }
});

/** Required query parameters of lists. */
const USERS = {
  sortBy: 'createdAt',
  sortOrder: 'desc',
  withPermissions: true,
  withRoles: true,
  withNotes: false,
  withBalance: true,
  withStatsUsd: false,
};
const QUERIES: Readonly<Record<string, string>> = {
  '/admin/bot-activity/all': '?isActive=true',
  '/admin/country': '?sortOrder=asc',
  '/admin/challenge': '?sortBy=createdAt&sortOrder=desc',
  '/admin/user/stats/transactions': '?transactionType=DEPOSIT',
};
const BODIES: Readonly<Record<string, object>> = {
  '/admin/bets': { sortBy: 'CREATED_AT' },
  '/admin/affiliate/users': { where: {} },
  '/admin/accounting/transactions': { page: 1, take: 20 },
};
