import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { startCaptcha } from '../../../../test/kit/accounts/captcha.ts';
import { type Answer, betOnDice, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const captcha = fixture(startCaptcha);
/** Two processes that use one database. */
const app = fixture(() => startApp({ env: captcha.env }));
const other = fixture(() => startApp({ database: app.database, env: captcha.env }));
const boss = fixture(() => app.as('superadmin'));
const guard = fixture(() => app.as({ permissions: ['user.ban'] }));

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
const ban = (who: Player, { id }: { id: number }, body: object = { banReason: 'cheats' }) =>
  who.call('PATCH', `/admin/user/${id}/ban`, { body });
const unban = (who: Player, { id }: { id: number }, body: object = {}) =>
  who.call('PATCH', `/admin/user/${id}/unban`, { body });
const audits = async (who: Player, target: Player) => {
  const rows = await app.db
    .selectFrom('admin_audit')
    .selectAll()
    .where('user_id', '=', who.id)
    .where('path', 'like', `/admin/user/${target.id}/%`)
    .orderBy('id')
    .execute();
  return rows.map(({ path, status_code, reason, before, after }) => ({
    what: path.split('/').at(-1),
    status: status_code,
    reason,
    before,
    after,
  }));
};
const MISSING = { id: 2_000_000_000 };

test('rejects requests, bets, token refreshes, sign-ins and API keys in every process after a ban', async () => {
  const password = 'corridor battery 9';
  const made = (await app.call('POST', '/debug/user/create', { body: { password } })).body;
  const player = await app.newPlayer({ username: made.username, usdt: 100 });
  const second = await app.newPlayer({ username: made.username });
  const key = `key-${randomUUID()}`;
  const hash = createHash('sha256').update(key).digest();
  await app.db
    .insertInto('api_keys')
    .values({ id: randomUUID(), user_id: player.id, prefix: 'key', hash })
    .execute();
  const sees = (at: TestApp, { token }: Player) => at.call('GET', '/user/me', { token });
  for (const at of [app, other, app, other]) expect((await sees(at, player)).status).toBe(200);
  expect((await betOnDice(player)).status).toBe(201);

  const { status, body } = await ban(guard, player);
  expect([status, body.id]).toEqual([200, player.id]);
  await vi.waitFor(
    async () => {
      for (const at of [app, other]) {
        expect(codeOf(await sees(at, player))).toBe('401 UNAUTHORIZED');
        expect(codeOf(await sees(at, second))).toBe('401 UNAUTHORIZED');
      }
    },
    { timeout: 20_000, interval: 20 },
  );
  const { headers } = { headers: { 'refresh-token': player.refreshToken } };
  expect((await app.call('POST', '/auth/refresh', { headers })).status).toBe(401);
  const signIn = await app.call('POST', '/auth/sign-in', {
    body: { email: made.email, password },
    headers: await captcha.solved(),
  });
  expect(codeOf(signIn)).toBe('403 USER_BANNED');
  expect((await app.call('POST', `/debug/auth/login/${made.username}`)).status).toBe(401);
  await expect(app.services.apiKeys.authenticate(key)).rejects.toMatchObject({ code: 'API_KEY_INVALID' });
  const players = await app.db
    .selectFrom('players')
    .select('is_banned')
    .where('user_id', '=', player.id)
    .execute();
  expect(players).toEqual([{ is_banned: true }]);
  expect(await audits(guard, player)).toEqual([
    {
      what: 'ban',
      status: 200,
      reason: 'cheats',
      before: { isBanned: false },
      after: { isBanned: true, banReason: 'cheats', sessionsEnded: 2, keysRevoked: 1 },
    },
  ]);
});

test('either settles or rejects each bet that runs concurrently with a ban, and rejects all later bets', async () => {
  const player = await app.newPlayer({ usdt: 1000 });
  const bets = Array.from({ length: 40 }, async () => codeOf(await betOnDice(player)));
  const seen = new Set(await Promise.all([...bets, ban(guard, player).then(codeOf)]));
  for (const code of seen) expect(['201', '200', '403 USER_BANNED', '401 UNAUTHORIZED']).toContain(code);
  const settled = async () =>
    (await app.db.selectFrom('bets').select('id').where('user_id', '=', player.id).execute()).length;
  const before = await settled();
  await betOnDice(player);
  expect(await settled()).toBe(before);
  await app.assertInvariants();
});

test('lets an unbanned user sign in, but does not restore sessions or API keys from before or during the ban', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  expect(codeOf(await ban(guard, player, {}))).toBe('200');
  // Simulates a sign-in whose credentials were checked before the ban, but whose session was stored after it.
  const late = randomUUID();
  await app.db
    .insertInto('sessions')
    .values({
      id: late,
      user_id: player.id,
      refresh_hash: Buffer.from(late),
      expires_at: new Date(Date.now() + 1e6),
    })
    .execute();
  expect(codeOf(await unban(guard, player))).toBe('403 FORBIDDEN');
  const { status, body } = await unban(boss, player, { banReason: 'a mistake' });
  expect([status, body.id]).toEqual([200, player.id]);
  const alive = await app.db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', player.id)
    .where('revoked_at', 'is', null)
    .execute();
  expect(alive).toEqual([]);
  expect(codeOf(await player.call('GET', '/user/me'))).toBe('401 UNAUTHORIZED');
  const again = await app.newPlayer({ username: player.username });
  expect((await betOnDice(again)).status).toBe(201);
  expect(await audits(boss, player)).toEqual([
    {
      what: 'unban',
      status: 200,
      reason: 'a mistake',
      before: { isBanned: true, banReason: null },
      after: { isBanned: false },
    },
  ]);
});

describe('invalid bans', () => {
  test('rejects a ban of a banned user with 409, and accepts only one of 10 concurrent calls', async () => {
    const player = await app.newPlayer();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ban(guard, player)));
    expect(answers.map(codeOf).sort((a, b) => a.localeCompare(b))).toEqual([
      '200',
      ...Array(9).fill('409 USER_ALREADY_BANNED'),
    ]);
    expect(codeOf(await unban(boss, player))).toBe('200');
    expect(codeOf(await unban(boss, player))).toBe('409 USER_NOT_BANNED');
    expect((await audits(guard, player)).filter((a) => a.status === 200)).toHaveLength(1);
  });

  test("rejects a ban of the caller's own account, and of superadmins by other staff", async () => {
    expect(codeOf(await ban(guard, guard))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await ban(boss, boss))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await unban(boss, boss))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await ban(guard, boss))).toBe('403 FORBIDDEN');
  });

  test('rejects bans of unknown users, bans with unknown fields and callers without the permission', async () => {
    expect(codeOf(await ban(guard, MISSING))).toBe('404 USER_NOT_FOUND');
    expect(codeOf(await unban(boss, MISSING))).toBe('404 USER_NOT_FOUND');
    const player = await app.newPlayer();
    for (const body of [{ banReason: '' }, { banReason: 'x'.repeat(501) }, { banReason: 1 }, { reason: 'x' }])
      expect(codeOf(await ban(guard, player, body)), JSON.stringify(body)).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await ban(player, guard))).toBe('403 FORBIDDEN');
  });
});

test('lets only one of two superadmins ban the other when both try concurrently', async () => {
  const alone = await startApp();
  const [one, two] = [await alone.as('superadmin'), await alone.as('superadmin')];
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all([ban(one, two), ban(two, one)]);
    const codes = answers.map(codeOf).sort((a, b) => a.localeCompare(b));
    expect(codes).toEqual(['200', '401 UNAUTHORIZED']);
    const active = await alone.db
      .selectFrom('users')
      .select('id')
      .where('is_staff', '=', true)
      .where('banned_at', 'is', null)
      .execute();
    expect(active).toHaveLength(1);
    await alone.db.updateTable('users').set({ banned_at: null }).execute();
    await alone.db.updateTable('players').set({ is_banned: false }).execute();
    for (const who of [one, two]) Object.assign(who, await alone.newPlayer({ username: who.username }));
  }
  await alone.stop();
});
