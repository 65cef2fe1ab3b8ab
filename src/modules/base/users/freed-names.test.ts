import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf, startAccounts } from '../../../../test/kit/accounts/accounts.ts';
import { newcomer } from '../../../../test/kit/accounts/sign-in.ts';
import type { Answer, Player, TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { inTurn } from '../../../../test/kit/games/turns.ts';
import { erase } from '../../backoffice/user-admin/erase.ts';
import { users } from './module.ts';

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

/** All requests through which a user can get a name. */
const TAKES: [string, (username: string) => Promise<Answer>][] = [
  ['sign-up', (username) => on.signUp({ ...newcomer(), username })],
  ['a profile change', async (username) => rename(await app.newPlayer(), username)],
  ['an edit by staff', async (username) => renameBy(boss, await app.newPlayer(), username)],
  [
    'a new staff account',
    (username) =>
      boss.call('POST', '/admin/user/admin-user', { body: { username, password: 'corridor battery 9' } }),
  ],
  ['a test user', (username) => app.call('POST', '/debug/user/create', { body: { username }, headers })],
  ['a debug sign-in by name', (username) => app.call('POST', `/debug/auth/login/${username}`, { headers })],
];
const TAKEN = '409 AUTH_USER_EXISTS';

/** The ways in which a player can give up a username. Each function returns the username that was given up. */
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
    'a player renamed by staff',
    async () => {
      const player = await app.newPlayer({ username: aName() });
      expect((await renameBy(boss, player, aName())).status).toBe(200);
      return player.username;
    },
  ],
  [
    'an erased user',
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
    'a staff member',
    async () => {
      const member = await app.as({ permissions: ['user.read'] });
      expect((await renameBy(boss, member, aName())).status).toBe(200);
      return member.username;
    },
  ],
  [
    'a former staff member',
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

describe.each(LEAVES)('the former username of %s', (_, leave) => {
  test.each(TAKES)(
    'rejects the former username for %s in any letter case and with look-alike letters',
    async (_way, take) => {
      const name = await leave();
      expect(codeOf(await take(name))).toBe(TAKEN);
      expect(codeOf(await take(name.toUpperCase()))).toBe(TAKEN);
      const lookalike = name.replace(/0/g, 'o').replace(/1/g, 'l').replace(/5/g, 's');
      expect(codeOf(await take(lookalike))).toBe(TAKEN);
    },
  );
});

test('returns the same response for a former name as for a name in use', async () => {
  const left = await LEAVES[0]![1]();
  const holder = await app.newPlayer({ username: aName() });
  const [a, b] = await Promise.all([
    rename(await app.newPlayer(), left),
    rename(await app.newPlayer(), holder.username),
  ]);
  const { requestId: _a, ...ofLeft } = a.body;
  const { requestId: _b, ...ofTaken } = b.body;
  expect(ofLeft).toEqual(ofTaken);
});

test('lets a player take back a username that the same player gave up', async () => {
  const player = await app.newPlayer({ username: aName() });
  expect((await rename(player, aName())).status).toBe(200);
  expect((await rename(player, player.username)).status).toBe(200);
  expect(codeOf(await rename(await app.newPlayer(), player.username))).toBe(TAKEN);
});

test('frees former names of players after USERNAMES_KEEP_DAYS, but never frees those of staff', async () => {
  const names = {
    player: await LEAVES[0]![1](),
    staff: await LEAVES[3]![1](),
    former: await LEAVES[4]![1](),
  };
  const [job] = users.jobs!({ ...app.services, config: { ...app.config, USERNAMES_KEEP_DAYS: 90 } });
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

test("rejects a player's request for the current name of a staff member whose rename is being committed", async () => {
  const member = await app.as({ permissions: ['user.read'] });
  const squatter = await app.newPlayer();
  const held = Promise.withResolvers<void>();
  // The rename is not committed yet, so the other player's request waits for the unique index.
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

test('rejects a rename of a staff member, both by support and by the staff member', async () => {
  const admin = await app.as({ permissions: ['user.read', 'withdraw.read'] });
  const support = await app.as({ permissions: ['user.write'] });
  expect(codeOf(await renameBy(support, admin, aName()))).toBe('403 STAFF_NAME_FIXED');
  expect(codeOf(await rename(admin, aName()))).toBe('403 STAFF_NAME_FIXED');
  // Names that differ only in letter case are the same name.
  expect((await renameBy(support, admin, admin.username.toUpperCase())).status).toBe(200);
  expect((await renameBy(boss, admin, aName())).status).toBe(200);
  expect(codeOf(await rename(await app.newPlayer(), admin.username))).toBe(TAKEN);
  const body = { username: admin.username, role: 'FINANCE' };
  expect(codeOf(await boss.call('PUT', '/admin/user/add-single-role', { body }))).toBe('404 USER_NOT_FOUND');
});

test('stores only a hash of a former name', async () => {
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
