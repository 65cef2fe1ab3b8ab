import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf, startAccounts } from '../../../../test/kit/accounts.ts';
import type { Answer, Player, TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newcomer } from '../../../../test/kit/sign-in.ts';
import { inTurn } from '../../../../test/kit/turns.ts';
import { erase } from '../../backoffice/user-admin/erase.ts';
import { userJobs } from './jobs.ts';

let app: TestApp;
let boss: Player;
const on = fixture(startAccounts);
beforeAll(async () => {
  app = on.app;
  boss = await app.as('superadmin');
});

const aName = () => `n${randomBytes(6).toString('hex')}x`;
const rename = (player: Player, username: string) => player.call('PATCH', '/user/me', { body: { username } });
const renameBy = (by: Player, { id }: { id: number }, username: string) =>
  by.call('PATCH', `/admin/user/${id}`, { body: { username } });
const headers = { 'x-debug-token': 'test-debug-token' };

/** Every way to come to a name. */
const TAKES: [string, (username: string) => Promise<Answer>][] = [
  ['sign-up', (username) => on.signUp({ ...newcomer(), username })],
  ['the own profile', async (username) => rename(await app.newPlayer(), username)],
  ['an edit by staff', async (username) => renameBy(boss, await app.newPlayer(), username)],
  [
    'an account for staff',
    (username) =>
      boss.call('POST', '/admin/user/admin-user', { body: { username, password: 'corridor battery 9' } }),
  ],
  ['a test user', (username) => app.call('POST', '/debug/user/create', { body: { username }, headers })],
  ['a sign-in by name', (username) => app.call('POST', `/debug/auth/login/${username}`, { headers })],
];
const TAKEN = '409 AUTH_USER_EXISTS';

/** Makes somebody leave a name, and says which. */
const LEAVES: [string, () => Promise<string>][] = [
  [
    'a player who has renamed themselves',
    async () => {
      const player = await app.newPlayer({ username: aName() });
      expect((await rename(player, aName())).status).toBe(200);
      return player.username;
    },
  ],
  [
    'a player whom staff has renamed',
    async () => {
      const player = await app.newPlayer({ username: aName() });
      expect((await renameBy(boss, player, aName())).status).toBe(200);
      return player.username;
    },
  ],
  [
    'somebody who was erased',
    async () => {
      const player = await app.newPlayer({ username: aName() });
      await erase(
        { db: app.services.db, files: { forget: async () => undefined } },
        { userId: player.id, by: player.id, reason: 'asked' },
      );
      return player.username;
    },
  ],
  [
    'a member of staff',
    async () => {
      const member = await app.as({ permissions: ['user.read'] });
      expect((await renameBy(boss, member, aName())).status).toBe(200);
      return member.username;
    },
  ],
  [
    'somebody who was staff once',
    async () => {
      const member = await app.as({ permissions: ['user.read'] });
      const none = { permissions: [] };
      expect((await boss.call('PUT', `/admin/user/${member.id}/permissions`, { body: none })).status).toBe(
        200,
      );
      expect((await rename(member, aName())).status).toBe(200);
      return member.username;
    },
  ],
];

describe.each(LEAVES)('the name of %s', (_, leave) => {
  test.each(TAKES)('is taken for %s, in any case and for what looks like it', async (_way, take) => {
    const name = await leave();
    expect(codeOf(await take(name))).toBe(TAKEN);
    expect(codeOf(await take(name.toUpperCase()))).toBe(TAKEN);
    const lookalike = name.replace(/0/g, 'o').replace(/1/g, 'l').replace(/5/g, 's');
    expect(codeOf(await take(lookalike))).toBe(TAKEN);
  });
});

test('the refusal is that of a name that somebody has: nothing tells that it was left', async () => {
  const left = await LEAVES[0]![1]();
  const [a, b] = await Promise.all([
    rename(await app.newPlayer(), left),
    rename(await app.newPlayer(), boss.username),
  ]);
  const { requestId: _a, ...ofLeft } = a.body;
  const { requestId: _b, ...ofTaken } = b.body;
  expect(ofLeft).toEqual(ofTaken);
});

test('who has left a name takes it back', async () => {
  const player = await app.newPlayer({ username: aName() });
  expect((await rename(player, aName())).status).toBe(200);
  expect((await rename(player, player.username)).status).toBe(200);
  expect(codeOf(await rename(await app.newPlayer(), player.username))).toBe(TAKEN);
});

test('after USERNAMES_KEEP_DAYS names of players are free, those of staff never', async () => {
  const names = {
    player: await LEAVES[0]![1](),
    staff: await LEAVES[3]![1](),
    former: await LEAVES[4]![1](),
  };
  const [job] = userJobs(app.services.db, { USERNAMES_KEEP_DAYS: 90 });
  const age = (days: number) =>
    sql`update freed_usernames set freed_at = now() - interval '1 day' * ${days}::int - interval '1 minute'`.execute(
      app.db,
    );
  await age(89);
  await job!.run();
  expect(codeOf(await rename(await app.newPlayer(), names.player))).toBe(TAKEN);
  await age(90);
  await job!.run();
  expect(codeOf(await rename(await app.newPlayer(), names.player))).toBe('200');
  for (const name of [names.staff, names.former])
    expect(codeOf(await rename(await app.newPlayer(), name))).toBe(TAKEN);
});

test('a player who waits for the name of a member of staff while a superadmin renames them does not get it', async () => {
  const member = await app.as({ permissions: ['user.read'] });
  const squatter = await app.newPlayer();
  const held = Promise.withResolvers<void>();
  // The rename is written and not committed: the squatter waits at the index of names.
  const answers = await inTurn(
    app,
    async (tx) => {
      const left = { username: aName(), username_skeleton: aName() };
      await tx.updateTable('users').set(left).where('id', '=', member.id).execute();
      held.resolve();
    },
    () => rename(squatter, member.username),
  );
  await held.promise;
  expect(answers.map(codeOf)).toEqual([TAKEN]);
});

test('support cannot rename staff so that a grant by name reaches a player; nor does staff rename itself', async () => {
  const admin = await app.as({ permissions: ['user.read', 'withdraw.read'] });
  const support = await app.as({ permissions: ['user.write'] });
  expect(codeOf(await renameBy(support, admin, aName()))).toBe('403 STAFF_NAME_FIXED');
  expect(codeOf(await rename(admin, aName()))).toBe('403 STAFF_NAME_FIXED');
  // Only the case: it is the same name.
  expect((await renameBy(support, admin, admin.username.toUpperCase())).status).toBe(200);
  expect((await renameBy(boss, admin, aName())).status).toBe(200);
  expect(codeOf(await rename(await app.newPlayer(), admin.username))).toBe(TAKEN);
  const body = { username: admin.username, role: 'FINANCE' };
  expect(codeOf(await boss.call('PUT', '/admin/user/add-single-role', { body }))).toBe('404 USER_NOT_FOUND');
});

test('what is stored does not reveal the name', async () => {
  const name = await LEAVES[2]![1]();
  const { rows } = await sql<{
    text: string;
  }>`select string_agg(f::text, ' ') as text from freed_usernames f`.execute(app.db);
  expect(rows[0]!.text).not.toContain(name);
  const erased = await app.db
    .selectFrom('freed_usernames')
    .select('name_hash')
    .where('user_id', '=', 0)
    .execute();
  expect(erased.length).toBeGreaterThan(0);
});
