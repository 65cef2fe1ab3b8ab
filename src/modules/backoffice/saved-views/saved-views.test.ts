import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);
const clerk = fixture(() => app.as({ permissions: ['faq.read'] }));

const RISKY = { name: 'Banned', query: 'isBanned=true&sortBy=username' };
const NONE = { views: [], columns: null };
const get = (by: Player, list = 'users') => by.call('GET', `/admin/views/${list}`);
const put = (by: Player, body: unknown, list = 'users') => by.call('PUT', `/admin/views/${list}`, { body });

test('keeps the views and columns of each staff member and list apart, and audits a change', async () => {
  expect(await get(clerk)).toMatchObject({ status: 200, body: NONE });
  const body = { views: [RISKY], columns: ['username', 'status'] };
  expect(await put(clerk, body)).toMatchObject({ status: 200, body });
  expect((await get(clerk)).body).toEqual(body);
  expect((await get(clerk, 'bets')).body).toEqual(NONE);
  expect((await get(await app.as('superadmin'))).body).toEqual(NONE);

  expect((await put(clerk, NONE)).body).toEqual(NONE);
  expect((await get(clerk)).body).toEqual(NONE);
  const rows = await app.db
    .selectFrom('admin_audit')
    .select(['permission', 'before', 'after'])
    .where('user_id', '=', clerk.id)
    .where('method', '=', 'PUT')
    .orderBy('id')
    .execute();
  expect(rows).toMatchObject([
    { permission: 'staff', before: NONE, after: body },
    { before: body, after: NONE },
  ]);
});

test('trims names, and rejects duplicate names, unknown fields and values above the limits', async () => {
  const padded = { views: [{ ...RISKY, name: '  Banned ' }], columns: null };
  expect((await put(clerk, padded)).body.views).toEqual([RISKY]);
  for (const body of [
    { views: [RISKY, RISKY], columns: null },
    { views: [{ ...RISKY, name: ' ' }], columns: null },
    { views: [{ ...RISKY, name: 'x'.repeat(41) }], columns: null },
    { views: [{ ...RISKY, query: 'x'.repeat(1001) }], columns: null },
    { views: [{ ...RISKY, query: '<script>' }], columns: null },
    { views: [{ ...RISKY, color: 'red' }], columns: null },
    { views: Array.from({ length: 21 }, (_, at) => ({ ...RISKY, name: `View ${at}` })), columns: null },
    { views: [], columns: [] },
    { views: [], columns: ['username', 'username'] },
    { views: [], columns: ['a b'] },
    { views: [] },
  ])
    expect(codeOf(await put(clerk, body)), JSON.stringify(body).slice(0, 80)).toBe('400 VALIDATION_FAILED');
});

test('rejects unknown lists, players, visitors and staff whose account is not activated', async () => {
  expect(codeOf(await get(clerk, 'nothing'))).toBe('404 LIST_NOT_FOUND');
  expect(codeOf(await put(clerk, NONE, 'nothing'))).toBe('404 LIST_NOT_FOUND');
  const player = await app.newPlayer();
  expect(codeOf(await get(player))).toBe('403 FORBIDDEN');
  expect(codeOf(await put(player, NONE))).toBe('403 FORBIDDEN');
  expect(codeOf(await app.call('GET', '/admin/views/users'))).toBe('401 UNAUTHORIZED');
  const newcomer = await app.as({ permissions: ['faq.read'] });
  await app.db
    .updateTable('users')
    .set({ password_is_temporary: true })
    .where('id', '=', newcomer.id)
    .execute();
  expect(codeOf(await put(newcomer, NONE))).toBe('403 STAFF_NOT_ACTIVATED');
});
