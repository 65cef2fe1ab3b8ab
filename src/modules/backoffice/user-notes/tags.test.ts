import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);
const clerk = fixture(() => app.as({ permissions: ['user.read', 'note.read', 'note.write'] }));

type Change = { add?: readonly string[]; remove?: readonly string[] };
const change = (user: { id: number }, body: Change, by: Player = clerk) =>
  by.call('POST', '/admin/user-tags', { body: { userId: user.id, ...body } });
const listed = async () => (await clerk.call('GET', '/admin/user-tags')).body;

const OFF = { withPermissions: false, withRoles: false, withBalance: false, withStatsUsd: false };
const users = (where: object, by: Player = clerk, withNotes = true) =>
  by.call('POST', '/admin/user/all', {
    body: { ...OFF, withNotes, sortBy: 'id', sortOrder: 'asc', where, page: 1, take: 10 },
  });
const idsWith = async (tag: string) => (await users({ tag })).body.data.map(({ id }: Player) => id);

test('adds and removes tags, finds users by them, and audits each change', async () => {
  const [one, two] = [await app.newPlayer(), await app.newPlayer()];
  const made = await change(one, { add: ['Bonus Abuser', 'whale'] });
  expect(made).toMatchObject({ status: 201, body: { userId: one.id, tags: ['bonus abuser', 'whale'] } });
  expect((await change(two, { add: ['whale'] })).body.tags).toEqual(['whale']);
  expect(await listed()).toEqual(['bonus abuser', 'whale']);
  expect(await idsWith('WHALE')).toEqual([one.id, two.id]);
  expect(await idsWith('bonus abuser')).toEqual([one.id]);
  expect((await users({ id: one.id })).body.data[0].tags).toEqual(['bonus abuser', 'whale']);
  expect((await users({ id: one.id }, clerk, false)).body.data[0]).not.toHaveProperty('tags');

  const swapped = await change(one, { add: ['vip'], remove: ['whale', 'unknown'] });
  expect(swapped.body.tags).toEqual(['bonus abuser', 'vip']);
  expect(await idsWith('whale')).toEqual([two.id]);
  const rows = await app.db
    .selectFrom('admin_audit')
    .select(['permission', 'before', 'after'])
    .where('method', '=', 'POST')
    .where('path', '=', '/admin/user-tags')
    .orderBy('id', 'desc')
    .limit(1)
    .execute();
  expect(rows).toEqual([
    {
      permission: 'note.write',
      before: { userId: one.id, tags: ['bonus abuser', 'whale'] },
      after: { userId: one.id, tags: ['bonus abuser', 'vip'] },
    },
  ]);
});

test('changes nothing when a request is repeated, and keeps the tags of concurrent requests', async () => {
  const user = await app.newPlayer();
  for (let i = 0; i < 2; i++) expect((await change(user, { add: ['a'] })).body.tags).toEqual(['a']);
  expect((await change(user, {})).body.tags).toEqual(['a']);
  expect((await change(user, { add: ['a', 'A'], remove: ['a'] })).body.tags).toEqual(['a']);
  for (let i = 0; i < 2; i++) expect((await change(user, { remove: ['a'] })).body.tags).toEqual([]);
  const tags = Array.from({ length: 20 }, (_, at) => `tag ${String(at).padStart(2, '0')}`);
  await Promise.all(tags.map((tag) => change(user, { add: [tag] })));
  expect((await users({ id: user.id })).body.data[0].tags).toEqual(tags);
  const extra = await Promise.all(['x', 'y'].map((tag) => change(user, { add: [tag] })));
  for (const answer of extra) {
    expect(codeOf(answer)).toBe('409 TOO_MANY_TAGS');
    expect(answer.body.details).toEqual({ most: 20 });
  }
  expect((await change(user, { add: ['x'], remove: ['tag 00'] })).body.tags).toEqual([...tags.slice(1), 'x']);
});

test('lists every tag once, in alphabetical order', async () => {
  const [one, two] = [await app.newPlayer(), await app.newPlayer()];
  await change(one, { add: ['zebra', 'äpfel', 'apple'] });
  await change(two, { add: ['zebra', '7 days'] });
  const rows = await app.db.selectFrom('user_tags').select('tag').distinct().orderBy('tag').execute();
  expect(rows.length).toBeGreaterThan(4);
  expect(await listed()).toEqual(rows.map(({ tag }) => tag));
});

test('rejects unknown users, the own account, superadmins, malformed tags and missing permissions', async () => {
  const user = await app.newPlayer();
  expect(codeOf(await change({ id: 2_000_000_000 }, { add: ['a'] }))).toBe('404 USER_NOT_FOUND');
  expect(codeOf(await change(clerk, { add: ['a'] }))).toBe('403 OWN_ACCOUNT');
  expect(codeOf(await change(await app.as('superadmin'), { add: ['a'] }))).toBe('403 FORBIDDEN');
  for (const body of [
    { add: [''] },
    { add: [' '] },
    { add: [' a'] },
    { add: ['a '] },
    { add: ['-a'] },
    { add: ['<b>'] },
    { add: ['a'.repeat(33)] },
    { add: Array.from({ length: 21 }, (_, at) => `t${at}`) },
    { add: ['a'], other: 1 },
  ])
    expect(codeOf(await change(user, body)), JSON.stringify(body)).toBe('400 VALIDATION_FAILED');
  const reader = await app.as({ permissions: ['user.read', 'note.read'] });
  const viewer = await app.as({ permissions: ['user.read'] });
  expect(codeOf(await change(user, { add: ['a'] }, reader))).toBe('403 FORBIDDEN');
  expect(codeOf(await users({ tag: 'a' }, viewer, false))).toBe('403 FORBIDDEN');
  expect(codeOf(await viewer.call('GET', '/admin/user-tags'))).toBe('403 FORBIDDEN');
  expect(codeOf(await app.call('GET', '/admin/user-tags'))).toBe('401 UNAUTHORIZED');
  expect((await users({ id: user.id })).body.data[0].tags).toEqual([]);
});
