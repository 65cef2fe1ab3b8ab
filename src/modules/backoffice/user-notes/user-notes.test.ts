import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Answer, PATIENCE, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(() => startApp({ env: PATIENCE }));
const clerk = fixture(() => app.as({ permissions: ['note.read', 'note.write', 'user.pii'] }));

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
const write = (user: { id: number }, note: string, riskLevel?: string) =>
  clerk.call('POST', '/admin/user-notes', {
    body: { userId: user.id, note, ...(riskLevel ? { riskLevel } : {}) },
  });
const list = async (query: string) => (await clerk.call('GET', `/admin/user-notes?${query}`)).body;
const ids = (body: { data: { id: number }[] }) => body.data.map((n) => n.id);

test('creates, reads, changes and deletes a note, and audits each change', async () => {
  const player = await app.newPlayer();
  const made = await write(player, '  asked for a refund  ', 'LOW');
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    note: 'asked for a refund',
    riskLevel: 'LOW',
    user: { id: player.id, username: player.username, email: `${player.username}@test.example` },
    createdBy: { id: clerk.id, username: clerk.username },
  });
  const { id } = made.body;
  expect((await clerk.call('GET', `/admin/user-notes/${id}`)).body).toEqual(made.body);
  const changed = await clerk.call('PATCH', '/admin/user-notes', { body: { id, riskLevel: 'HIGH' } });
  expect(changed.body).toMatchObject({ id, note: 'asked for a refund', riskLevel: 'HIGH' });
  expect(Date.parse(changed.body.updatedAt)).toBeGreaterThan(Date.parse(made.body.updatedAt));
  const removed = await clerk.call('DELETE', `/admin/user-notes/${id}`);
  expect(removed.body).toEqual(changed.body);
  expect(codeOf(await clerk.call('GET', `/admin/user-notes/${id}`))).toBe('404 NOTE_NOT_FOUND');
  const rows = await app.db
    .selectFrom('admin_audit')
    .select(['method', 'before', 'after'])
    .where('path', 'like', '/admin/user-notes%')
    .where('method', '<>', 'GET')
    .orderBy('id')
    .execute();
  expect(rows.map((r) => r.method)).toEqual(['POST', 'PATCH', 'DELETE']);
  expect(rows[1]).toMatchObject({ before: { riskLevel: 'LOW' }, after: { riskLevel: 'HIGH' } });
  expect(rows[2]!.before).toMatchObject({ note: 'asked for a refund' });
});

test('finds notes by text, username, id and email, and does not treat characters in the search as wildcards', async () => {
  const [one, two] = [await app.newPlayer(), await app.newPlayer()];
  const first = (await write(one, 'Chargeback of 100% announced')).body.id;
  const second = (await write(two, 'calm')).body.id;
  for (const search of ['chargeBACK', '100%25', one.username.slice(0, 12), `${one.username}@test`])
    expect(ids(await list(`search=${search}`)), search).toEqual([first]);
  expect(ids(await list(`search=${two.id}`))).toContain(second);
  expect(ids(await list(`search=${encodeURIComponent("' or 1=1 --")}`))).toEqual([]);
  expect(ids(await list('search=_alm'))).toEqual([]);
  expect((await clerk.call('GET', `/admin/user-notes?search=${'x'.repeat(51)}`)).status).toBe(400);
});

test('filters, sorts and pages notes', async () => {
  const player = await app.newPlayer();
  const made: number[] = [];
  for (const risk of ['LOW', 'HIGH', 'NONE', 'MEDIUM'])
    made.push((await write(player, `of ${risk}`, risk)).body.id);
  const [low, high, none, medium] = made;
  const mine = `userId=${player.id}`;
  expect(ids(await list(mine))).toEqual([medium, none, high, low]);
  expect(ids(await list(`${mine}&sortBy=riskLevel&sortOrder=asc`))).toEqual([none, low, medium, high]);
  expect(ids(await list(`${mine}&riskLevel=HIGH`))).toEqual([high]);
  await clerk.call('PATCH', '/admin/user-notes', { body: { id: low, note: 'again' } });
  expect(ids(await list(`${mine}&sortBy=updatedAt&sortOrder=desc&take=1`))).toEqual([low]);
  expect(await list(`${mine}&take=3&page=2`)).toMatchObject({ total: 4, totalPages: 2, page: 2 });
  expect(await list(`${mine}&page=9007199254740991`)).toMatchObject({ data: [], total: 4 });
  for (const query of ['take=21', 'sortBy=note', 'riskLevel=low', 'userId=0'])
    expect((await clerk.call('GET', `/admin/user-notes?${query}`)).status, query).toBe(400);
});

test('rejects notes about the caller, and notes about a superadmin by other staff', async () => {
  const boss = await app.as('superadmin');
  expect(codeOf(await write(clerk, 'is great'))).toBe('403 OWN_ACCOUNT');
  expect(codeOf(await write(boss, 'is great'))).toBe('403 FORBIDDEN');
  const other = await app.as('superadmin');
  const about = await boss.call('POST', '/admin/user-notes', {
    body: { userId: other.id, note: 'on leave' },
  });
  expect(about.status).toBe(201);
  const mine = await boss.call('POST', '/admin/user-notes', { body: { userId: clerk.id, note: 'late' } });
  const { id } = mine.body;
  expect(codeOf(await clerk.call('PATCH', '/admin/user-notes', { body: { id, note: 'punctual' } }))).toBe(
    '403 OWN_ACCOUNT',
  );
  expect(codeOf(await clerk.call('DELETE', `/admin/user-notes/${id}`))).toBe('403 OWN_ACCOUNT');
});

test('rejects unknown ids and malformed bodies without any change', async () => {
  const player = await app.newPlayer();
  expect(codeOf(await write({ id: 2_000_000_000 }, 'x'))).toBe('404 USER_NOT_FOUND');
  const { id } = (await write(player, 'stays')).body;
  const patch = (body: object) => clerk.call('PATCH', '/admin/user-notes', { body });
  for (const body of [{ id }, { id, note: ' ' }, { id, riskLevel: 'low' }, { note: 'x' }, { id, userId: 1 }])
    expect(codeOf(await patch(body))).toBe('400 VALIDATION_FAILED');
  expect(codeOf(await patch({ id: 2_000_000_000, note: 'x' }))).toBe('404 NOTE_NOT_FOUND');
  expect(codeOf(await clerk.call('DELETE', '/admin/user-notes/2000000000'))).toBe('404 NOTE_NOT_FOUND');
  expect((await clerk.call('GET', `/admin/user-notes/${id}`)).body.note).toBe('stays');
});

test('masks email addresses without user.pii, and rejects a deletion without note.write', async () => {
  const player = await app.newPlayer();
  const { id } = (await write(player, 'seen')).body;
  const reader = await app.as({ permissions: ['note.read'] });
  const { body } = await reader.call('GET', `/admin/user-notes/${id}`);
  expect(body.user.email).toMatch(/^p_\*\*\*@test\.example$/);
  expect(codeOf(await reader.call('DELETE', `/admin/user-notes/${id}`))).toBe('403 FORBIDDEN');
});

test('finds partial email addresses only with user.pii, and complete addresses without it', async () => {
  const player = await app.newPlayer();
  const { id } = (await write(player, 'seen')).body;
  const reader = await app.as({ permissions: ['note.read'] });
  const found = async (who: Player, search: string) =>
    ids((await who.call('GET', `/admin/user-notes?search=${encodeURIComponent(search)}`)).body);
  const whole = `${player.username}@test.example`;
  expect(await found(clerk, whole.slice(0, -3))).toEqual([id]);
  expect(await found(reader, whole.slice(0, -3))).toEqual([]);
  expect(await found(reader, whole.toUpperCase())).toEqual([id]);
  expect(await found(reader, player.username)).toEqual([id]);
});

test('searches only the start of usernames when the search has no three consecutive letters or digits', async () => {
  const player = await app.newPlayer({ username: `qj_${Date.now() % 1e8}` });
  const { id } = (await write(player, 'calls themselves xw, not zy')).body;
  expect(ids(await list('search=QJ_'))).toEqual([id]);
  for (const search of ['xw', 'zy', 'j_', '%25', '_', '@t', '\\'])
    expect(ids(await list(`search=${search}`)), search).toEqual([]);
});

test('limits totals to 10,000, and searches and sorts 30,000 notes through indexes', async () => {
  const player = await app.newPlayer();
  for (let first = 1; first < 30_000; first += 5_000)
    await sql`insert into user_notes (user_id, created_by, note, risk_level)
      select ${player.id}::int, ${clerk.id}::int, 'bulk ' || n, (array['NONE', 'LOW', 'MEDIUM', 'HIGH'])[1 + n % 4]
      from generate_series(${first}::int, ${first + 4_999}::int) n`.execute(app.db);
  await sql`analyze user_notes`.execute(app.db);
  for (const filter of ['', `userId=${player.id}&`, 'search=bulk&']) {
    const last = await list(`${filter}page=500`);
    expect([last.total, last.data.length], filter).toEqual([10_000, 20]);
    expect(await list(`${filter}page=501`)).toMatchObject({ data: [], total: 10_000 });
  }
  const odd = await list('take=7&page=1429');
  expect(odd.data).toHaveLength(10_000 - 1428 * 7);

  const scanned = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(app.db);
    const { rows } = await sql<{ read: bigint }>`
      select seq_tup_read as read from pg_stat_user_tables where relname = 'user_notes'`.execute(app.db);
    return Number(rows[0]!.read);
  };
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const before = await scanned();
  for (const search of ['bu', '1', 'qj_', 's_', '%25']) await list(`search=${search}`);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect((await scanned()) - before).toBe(0);
  expect((await list('sortBy=riskLevel')).data.map((n: any) => n.riskLevel)).toEqual(Array(20).fill('HIGH'));
  await new Promise((resolve) => setTimeout(resolve, 1100));
  // The query reads only the rows that it counts.
  expect((await scanned()) - before).toBeLessThanOrEqual(10_000);
});
