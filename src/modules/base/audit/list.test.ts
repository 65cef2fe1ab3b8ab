import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import type { Permission } from '../../../http/access.ts';
import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';

const RIGHT = { permission: 'test.right' as Permission };
const NOTE = route({
  method: 'POST',
  path: '/test/note',
  tag: 'Test',
  access: RIGHT,
  gate: 'none',
  summary: 'For the test',
  body: z.looseObject({ text: z.string() }),
  handler: ({ body }) => {
    if (body.text === 'break') throw new Error('broken on purpose');
    if (body.text === 'refuse') throw commonErrors.OWN_ACCOUNT();
  },
});

// One test inserts rows without adding them to the hash chain, so reconciliation at the end would fail.
const app = fixture(() => startApp({ extraRoutes: [NOTE], reconcileOnStop: false }));
const clerk = fixture(() => app.as({ permissions: ['test.right'] }));
const other = fixture(() => app.as({ permissions: ['test.right'] }));
const reader = fixture(() => app.as({ permissions: ['audit.read'] }));
const clear = fixture(() => app.as({ permissions: ['audit.read', 'user.pii'] }));

const note = (by: Player, text: unknown, more: object = {}) =>
  by.call('POST', '/test/note', { body: { text, ...more } });
const list = (query = '', by = clear) => by.call('GET', `/admin/user/admin-audit${query}`);

test('filters entries by user and response class, newest first, with exact totals and empty pages beyond the end', async () => {
  for (const text of ['one', 'two', 'refuse', 'break', 3]) await note(clerk, text);
  await note(other, 'mine');
  const of = async (query: string) => (await list(`?userId=${clerk.id}${query}`)).body;
  const all = await of('');
  expect(all.data.map((r: any) => r.statusCode)).toEqual([400, 500, 403, 201, 201]);
  expect([all.total, all.page, all.take, all.totalPages]).toEqual([5, 1, 20, 1]);
  const statuses = async (query: string) => (await of(query)).data.map((r: any) => r.statusCode);
  expect(await statuses('&reqType=Successful')).toEqual([201, 201]);
  expect(await statuses('&reqType=Client_Error&reqType=Server_Error')).toEqual([400, 500, 403]);
  expect(await statuses('&reqType=')).toHaveLength(5);
  expect(await statuses('&reqType=Client_Error,Successful')).toEqual([400, 403, 201, 201]);
  for (const none of ['Informational', 'Redirection']) expect(await statuses(`&reqType=${none}`)).toEqual([]);
  expect(await statuses('&take=2&page=2')).toEqual([403, 201]);
  expect(await statuses('&isChange=true')).toEqual([201, 201]);
  expect(await statuses('&isChange=false')).toEqual([400, 500, 403]);
  expect(await statuses('&isChange=true&reqType=Client_Error')).toEqual([]);
  const last = await of('&take=2&page=3');
  expect([last.data.length, last.total, last.totalPages]).toEqual([1, 5, 3]);
  const beyond = await of('&take=2&page=4');
  expect([beyond.data, beyond.total]).toEqual([[], 5]);
  expect((await list('?userId=2147483647')).body).toMatchObject({ data: [], total: 0, totalPages: 0 });

  for (const wrong of [
    'isChange=1',
    'reqType=Odd',
    'reqType=Successful;',
    'userId=x',
    'take=21',
    'page=0',
    'who=1',
  ]) {
    const { status, body } = await list(`?${wrong}`);
    expect([status, body.code], wrong).toEqual([400, 'VALIDATION_FAILED']);
  }
});

test('pages through all rows without a filter, including the entries of its own requests', async () => {
  const head = async () =>
    Number((await app.db.selectFrom('admin_audit_head').select('id').executeTakeFirstOrThrow()).id);
  const before = await head();
  const { body } = await list('?take=3&page=2');
  expect(body.total).toBe(before);
  expect(body.data.map((r: any) => Number(r.id))).toEqual([before - 3, before - 4, before - 5]);
  const lastPage = Math.ceil((before + 1) / 3);
  const end = (await list(`?take=3&page=${lastPage}`)).body;
  expect(end.data.at(-1).id).toBe('1');
  expect((await list('?page=9007199254740991')).body.data).toEqual([]);
  const [own] = (await list('?take=1')).body.data;
  expect([own.path, own.userId, own.permission]).toEqual(['/admin/user/admin-audit', clear.id, 'audit.read']);
});

test('returns the caller and the action of each entry, and masks emails and IP addresses for staff without user.pii', async () => {
  const more = { email: 'somebody@mail.example', deep: [{ note: 'ask a.b@mail.example, please' }] };
  expect((await note(other, 'with an address', more)).status).toBe(201);
  const [full] = (await list(`?userId=${other.id}&take=1`)).body.data;
  const me = await other.call('GET', '/user/me');
  expect(full).toEqual({
    id: expect.stringMatching(/^\d+$/),
    userId: other.id,
    user: {
      id: other.id,
      username: other.username,
      email: `${other.username}@test.example`,
      avatar: null,
      vipLevel: me.body.vipLevel,
    },
    method: 'POST',
    path: '/test/note',
    service: 'api',
    permission: 'test.right',
    statusCode: 201,
    reason: null,
    requestBody: { text: 'with an address', ...more },
    before: null,
    after: null,
    ip: '127.0.0.1',
    requestId: expect.any(String),
    createdAt: expect.any(String),
  });
  const [masked] = (await list(`?userId=${other.id}&take=1`, reader)).body.data;
  expect(masked).toMatchObject({
    user: { email: 's_***@test.example' },
    requestBody: { email: 'so***@mail.example', deep: [{ note: 'ask a.***@mail.example, please' }] },
    ip: '127.0.*.*',
  });
});

test('masks IP addresses in stored request bodies for staff without user.pii', async () => {
  const more = { from: ['192.168.17.4 and 2001:db8:7::1: both'], when: '10:30:00' };
  expect((await note(other, 'seen at 10.1.2.3.', more)).status).toBe(201);
  const [full] = (await list(`?userId=${other.id}&take=1`)).body.data;
  expect(full.requestBody).toEqual({ text: 'seen at 10.1.2.3.', ...more });
  const [masked] = (await list(`?userId=${other.id}&take=1`, reader)).body.data;
  expect(masked.requestBody).toEqual({
    text: 'seen at 10.1.*.*.',
    from: ['192.168.*.* and 2001:db8:… both'],
    when: '10:30:00',
  });
});

test('hides the text of notes and searches from staff without note.read, however the request path is encoded', async () => {
  const writer = await app.as({ permissions: ['note.read', 'note.write'] });
  const knows = await app.as({ permissions: ['audit.read', 'note.read', 'user.pii'] });
  const { id: userId } = await app.newPlayer();
  const made = await writer.call('POST', '/admin/user-notes', { body: { userId, note: 'a secret' } });
  await writer.call('GET', '/admin/user%2Dnotes?search=secret');
  await writer.call('DELETE', `/admin/user-notes/${made.body.id}`);
  const seenBy = async (who: Player) => (await list(`?userId=${writer.id}`, who)).body.data;
  const hidden = { requestBody: null, before: null, after: null };
  expect(await seenBy(reader)).toMatchObject([hidden, hidden, hidden]);
  expect(JSON.stringify(await seenBy(reader))).not.toContain('secret');
  expect(await seenBy(knows)).toMatchObject([
    { method: 'DELETE', before: { note: 'a secret' } },
    { method: 'GET', requestBody: { search: 'secret' } },
    { method: 'POST', requestBody: { note: 'a secret' }, after: { note: 'a secret' } },
  ]);
});

test('wraps a request body that is not an object, and returns null for invalid JSON', async () => {
  for (const raw of ['[1,"x"]', '"text"', '7', '{"text":'])
    await other.call('POST', '/test/note', { raw, headers: { 'content-type': 'application/json' } });
  const { body } = await list(`?userId=${other.id}&take=4`);
  expect(body.data.map((r: any) => r.requestBody)).toEqual([
    null,
    { value: 7 },
    { value: 'text' },
    { value: [1, 'x'] },
  ]);
});

test('counts up to 10,000 filtered rows without a table scan, and returns the exact total without a filter', async () => {
  // Inserts the rows without the hash chain, which would slow down a bulk insert.
  await app.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`insert into admin_audit
      select h.id + n, ${other.id}, 'GET', '/bulk', 'api', 'bulk', case when n % 6000 = 0 then 500 else 200 end, null, null,
        null, null, null, n::text, now(), ''::bytea from generate_series(1, 60000) n, admin_audit_head h`.execute(
      tx,
    );
    await sql`update admin_audit_head set id = (select max(id) from admin_audit)`.execute(tx);
  });
  await sql`analyze admin_audit`.execute(app.db);
  const { total } = (await list('?take=1')).body;
  expect(total).toBeGreaterThan(60_000);
  expect((await list(`?userId=${other.id}`)).body.total).toBe(10_000);
  const lastPage = (await list(`?userId=${other.id}&page=500`)).body;
  expect(lastPage.data).toHaveLength(20);
  expect((await list(`?userId=${other.id}&page=501`)).body).toMatchObject({ data: [], total: 10_000 });
  const rare = (await list(`?userId=${other.id}&reqType=Server_Error`)).body;
  expect([rare.total, rare.data.length]).toEqual([10, 10]);
  const deep = (await list(`?page=${Math.floor(total / 20)}`)).body;
  expect(deep.data).toHaveLength(20);

  const scans = async () => {
    const { rows } = await sql<{ seq: bigint; read: bigint }>`
      select seq_scan as seq, seq_tup_read as read from pg_stat_user_tables where relname = 'admin_audit'`.execute(
      app.db,
    );
    return rows[0]!;
  };
  await sql`select pg_stat_force_next_flush()`.execute(app.db);
  const before = await scans();
  for (const query of [
    `?userId=${other.id}&page=400`,
    '?reqType=Successful',
    `?page=2500`,
    '?reqType=Server_Error',
  ])
    expect((await list(query)).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await scans()).toEqual(before);
});
