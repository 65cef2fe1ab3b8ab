import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startCaptcha } from '../../../../../test/kit/accounts/captcha.ts';
import { type Signed, signed, waysToSignIn } from '../../../../../test/kit/accounts/sign-in.ts';
import { type Answer, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { announceUserChange } from '../../../base/users/service.ts';

const GRACE_MS = 150;

let two: TestApp;
let strict: TestApp;
const captcha = fixture(startCaptcha);
/** Three processes that use one database. The last one has no grace period, so it treats every replay as theft. */
const one = fixture(() => startApp({ env: captcha.env }));
beforeAll(async () => {
  const { database } = one;
  two = await startApp({ database });
  strict = await startApp({ database, env: { REFRESH_GRACE_MS: String(GRACE_MS) } });
});
afterAll(async () => {
  await strict.stop();
  await two.stop();
});

const WAYS = waysToSignIn(one, captcha);
const login = () => WAYS['debug login']!();
const refresh = (app: TestApp, token: string, headers: Record<string, string> = {}) =>
  app.call('POST', '/auth/refresh', { headers: { 'refresh-token': token, ...headers } });
const statusOf = async (app: TestApp, token: string) => (await app.call('GET', '/user/me', { token })).status;
const expectNoTokens = ({ text, headers }: Answer) => {
  expect(headers.getSetCookie()).toEqual([]);
  expect(text).not.toMatch(/token"|ey[\w-]{20}/i);
};
async function expectFamilyEnds(replay: Answer, pairs: Signed[]): Promise<void> {
  expect([replay.status, replay.body.code]).toEqual([401, 'UNAUTHORIZED']);
  expectNoTokens(replay);
  for (const app of [one, two])
    for (const { access } of pairs)
      await vi.waitFor(async () => expect(await statusOf(app, access)).toBe(401), { timeout: 20_000 });
  expect((await refresh(strict, pairs.at(-1)!.refresh)).status).toBe(401);
}

describe.each(Object.entries(WAYS))('refresh of a session from %s', (_, open) => {
  test('returns the same new refresh token to 50 concurrent calls in two processes', async () => {
    const first = await open();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => refresh(i % 2 ? one : two, first.refresh)),
    );
    const pairs = answers.map(signed);
    expect(new Set(pairs.map((pair) => pair.refresh)).size).toBe(1);
    const next = pairs.at(-1)!;
    expect(next.refresh).not.toBe(first.refresh);
    expect(await statusOf(two, next.access)).toBe(200);
    expect((await refresh(two, next.refresh)).status).toBe(201);
  });

  test('ends all tokens of the session everywhere when one of them is replayed after the grace period', async () => {
    const first = await open();
    const second = signed(await refresh(strict, first.refresh));
    await sleep(GRACE_MS + 50);
    for (const app of [one, two]) expect(await statusOf(app, second.access)).toBe(200);
    await expectFamilyEnds(await refresh(strict, first.refresh), [first, second]);
  });

  test('ends all tokens of the session when one of them is replayed after its successor was used', async () => {
    const first = await open();
    const second = signed(await refresh(one, first.refresh));
    const third = signed(await refresh(two, second.refresh));
    expect(await statusOf(one, third.access)).toBe(200);
    await expectFamilyEnds(await refresh(two, first.refresh), [first, second, third]);
  });

  test('ends all tokens of the session when one of them is replayed from another device', async () => {
    for (const other of [{ 'user-agent': 'another browser' }, { cookie: '__Host-device=another' }]) {
      const first = await open();
      const second = signed(await refresh(one, first.refresh));
      const replay = await refresh(two, first.refresh, other);
      await expectFamilyEnds(replay, [first, second]);
    }
  });

  test('rejects an exchanged token after its session was logged out', async () => {
    const first = await open();
    const second = signed(await refresh(one, first.refresh));
    await one.call('DELETE', '/session/log-out/current', { token: second.access });
    for (const { refresh: token } of [first, second]) {
      const answer = await refresh(two, token);
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED']);
      expectNoTokens(answer);
    }
  });

  test('rejects the token with 401 after log-out and after a ban', async () => {
    const [left, banned] = [await open(), await open()];
    const leave = await one.call('DELETE', '/session/log-out/current', { token: left.access });
    expect(leave.status).toBe(200);
    await transaction(one.db, async (tx) => {
      await tx.updateTable('users').set({ banned_at: new Date() }).where('id', '=', banned.userId).execute();
      await announceUserChange(tx, banned.userId);
    });
    for (const { refresh: token } of [left, banned]) {
      const answer = await refresh(two, token);
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED']);
      expectNoTokens(answer);
    }
  });
});

test('rejects a replay with 409 when a process running the previous version issued the successor', async () => {
  const first = await login();
  signed(await refresh(one, first.refresh));
  await one.db
    .updateTable('sessions')
    .set({ refresh_hash: randomBytes(32) })
    .where('user_id', '=', first.userId)
    .execute();
  const answer = await refresh(two, first.refresh);
  expect([answer.status, answer.body.code]).toEqual([409, 'REFRESH_CONFLICT']);
  expectNoTokens(answer);
});

test('issues socket tokens repeatedly without invalidating other tokens, until the session ends', async () => {
  const first = await login();
  const ask = (token: string) => one.call('POST', '/auth/socket-token', { token });
  const answers = [await ask(first.access), await ask(first.access)];
  for (const { status, body, headers } of answers) {
    expect([status, Object.keys(body), headers.getSetCookie()]).toEqual([200, ['token', 'expiresAt'], []]);
    expect(await one.services.sessions.verifyToken(body.token, 'socket')).toMatchObject({
      userId: first.userId,
    });
    await expect(one.services.sessions.verifyToken(body.token, 'access')).rejects.toThrow();
  }
  const second = signed(await refresh(two, first.refresh));
  expect((await ask(second.access)).status).toBe(200);
  await one.call('DELETE', '/session/log-out/current', { token: second.access });
  expect((await ask(second.access)).status).toBe(401);
});

test('reports a replay once in the log and the metrics, without the token', async () => {
  const count = async () => (await strict.services.metrics.refreshTokensReplayed.get()).values[0]?.value ?? 0;
  const first = await login();
  const second = signed(await refresh(strict, first.refresh));
  await sleep(GRACE_MS + 50);
  const before = { count: await count(), lines: strict.lines.length };
  const replays: Promise<Answer>[] = [];
  // All requests find the session live before the first one ends it.
  await transaction(one.db, async (tx) => {
    await tx.selectFrom('sessions').where('user_id', '=', first.userId).select('id').forUpdate().execute();
    for (let i = 0; i < 5; i++) replays.push(refresh(strict, first.refresh));
    await expect.poll(() => waiting(one)).toBe(5);
  });
  expect((await Promise.all(replays)).map(({ status }) => status)).toEqual(Array(5).fill(401));
  expect((await count()) - before.count).toBe(1);
  const told = strict.lines.slice(before.lines);
  expect(told.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'warn',
      logger: 'auth',
      msg: 'refresh token replayed: the session has ended',
      userId: first.userId,
      sessionId: decodeJwt(first.access).sid,
    },
  ]);
  for (const { refresh: token, access } of [first, second])
    for (const secret of [token, access]) expect(told.join()).not.toContain(secret);
});

/** Counts the connections that wait for a row lock of another transaction. */
async function waiting({ db, sql }: TestApp): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]!.n;
}

describe('refresh by header and by cookie', () => {
  const byCookie = (cookie: string, headers: Record<string, string>) =>
    one.call('POST', '/auth/refresh', { headers: { cookie: `__Host-refresh_token=${cookie}`, ...headers } });
  const origin = () => ({ origin: one.url });

  test('prefers the header to the cookie, even when the header is invalid', async () => {
    const [a, b] = [await login(), await login()];
    const answer = signed(await byCookie(b.refresh, { ...origin(), 'refresh-token': a.refresh }));
    expect(answer.userId).toBe(a.userId);
    expect((await byCookie(b.refresh, { ...origin(), 'refresh-token': 'worth nothing' })).status).toBe(401);
    expect((await refresh(one, b.refresh)).status).toBe(201);
  });

  test('accepts the cookie only from pages of this site', async () => {
    const { refresh: cookie } = await login();
    const foreign = ['https://evil.example', 'null', '', `${one.url}.evil.example`, `${one.url}0`, 'file://'];
    for (const headers of [
      {},
      ...foreign.flatMap((o) => [{ origin: o }, { referer: `${o}/` }]),
      { origin: 'https://evil.example', referer: `${one.url}/` },
    ]) {
      const answer = await byCookie(cookie, headers);
      expect(answer.status, JSON.stringify(headers)).toBe(401);
      expectNoTokens(answer);
    }
    const next = signed(await byCookie(cookie, origin()));
    // If the page is reloaded before the response arrives, it sends the same cookie again.
    expect(signed(await byCookie(cookie, origin())).refresh).toBe(next.refresh);
    expect((await byCookie(next.refresh, { referer: `${one.url}/play?x=1` })).status).toBe(201);
  });

  test('rejects missing, unknown, wrong and oversized tokens', async () => {
    expect((await one.call('POST', '/auth/refresh')).status).toBe(401);
    expect((await refresh(one, randomBytes(32).toString('base64url'))).status).toBe(401);
    expect((await refresh(one, (await login()).access)).status).toBe(401);
    expect((await refresh(one, 'x'.repeat(513))).status).toBe(400);
  });

  test('rejects the tokens of an expired session', async () => {
    const { refresh: token, access, userId } = await login();
    await one.db
      .updateTable('sessions')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('user_id', '=', userId)
      .execute();
    expect((await refresh(one, token)).status).toBe(401);
    expect(await statusOf(one, access)).toBe(401);
  });

  test('stores neither a refresh token nor its successor', async () => {
    const { refresh: before, userId } = await login();
    const { refresh: token } = signed(await refresh(one, before));
    const rows = await one.db.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute();
    expect(rows).toHaveLength(1);
    expect(rows[0]!.refresh_hash).toHaveLength(32);
    for (const secret of [before, token]) {
      expect(JSON.stringify(rows)).not.toContain(secret);
      const bytes = Buffer.from(secret, 'base64url');
      for (const column of Object.values(rows[0]!))
        if (Buffer.isBuffer(column)) expect(column.equals(bytes)).toBe(false);
    }
    expect(rows[0]!.refresh_hash.equals(Buffer.from(token, 'base64url'))).toBe(false);
  });
});
