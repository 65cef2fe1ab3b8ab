import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import {
  begin,
  framesOf,
  listening,
  newFeed,
  readUntil,
  tell,
  toldAgain,
} from '../../../../../test/kit/engagement/feed.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { authEvents } from '../schemas.ts';
import { reportUse, SESSION_UPDATE } from './use-events.ts';

const app = fixture(() => startApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } }));

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

type SignedIn = { sessionId: string; refreshToken: string };

const signIn = async ({ username }: Player): Promise<SignedIn> => {
  const headers = { 'user-agent': IPHONE, 'x-forwarded-for': '193.99.144.80' };
  const { status, body } = await app.call('POST', `/debug/auth/login/${username}`, { headers });
  expect(status).toBe(201);
  return {
    sessionId: String(decodeJwt(body.accessToken.token).sid),
    refreshToken: body.refreshToken.token,
  };
};
const refresh = async (session: SignedIn): Promise<void> => {
  const headers = { 'refresh-token': session.refreshToken, 'x-forwarded-for': '8.8.8.8' };
  const { status, body } = await app.call('POST', '/auth/refresh', { headers });
  expect(status).toBe(201);
  session.refreshToken = body.refreshToken.token;
};
const queued = async ({ sessionId }: SignedIn): Promise<number> => {
  const { rows } = await app.sql<{ n: number }>`select count(*)::int as n from graphile_worker._private_jobs
    where key = ${`${SESSION_UPDATE}:${sessionId}`}`.execute(app.db);
  return rows[0]!.n;
};
const unqueue = ({ sessionId }: SignedIn) =>
  app.sql`delete from graphile_worker._private_jobs where key = ${`${SESSION_UPDATE}:${sessionId}`}`.execute(
    app.db,
  );
const work = ({ sessionId }: SignedIn) => reportUse(app.services, { sessionId });
const said = async ({ sessionId }: SignedIn) => {
  const { rows } = await app.sql<{ userId: number; room: string; data: any }>`
    select user_id as "userId", room, data from events where name = 'session.used' and data->>'sessionId' = ${sessionId} order by id`.execute(
    app.db,
  );
  return rows;
};
/** Moves the sign-in and the last use of the session back in time. */
const age = ({ sessionId }: SignedIn, minutes: number) =>
  app.sql`update sessions set last_used_at = last_used_at - make_interval(mins => ${minutes}),
    said_until = said_until - make_interval(mins => ${minutes}) where id = ${sessionId}`.execute(app.db);
/** Sets the time of the last use of a session. */
const useAt = ({ sessionId }: SignedIn, at: string) =>
  app.sql`update sessions set last_used_at = ${at}::timestamptz where id = ${sessionId}`.execute(app.db);

test('queues one job per session on sign-in and refresh', async () => {
  const session = await signIn(await app.newPlayer());
  expect(await queued(session)).toBe(1);
  await refresh(session);
  expect(await queued(session)).toBe(1);
  await unqueue(session);
  await refresh(session);
  expect(await queued(session)).toBe(1);
  await unqueue(session);
  const headers = { 'refresh-token': 'unknown' };
  expect((await app.call('POST', '/auth/refresh', { headers })).status).toBe(401);
  expect(await queued(session)).toBe(0);
});

test('emits one event a minute with the device and country of the sign-in, however often the job runs', async () => {
  const player = await app.newPlayer();
  const session = await signIn(player);
  await useAt(session, '2026-01-05T10:00:20.5Z');
  await Promise.all(Array.from({ length: 8 }, () => work(session)));
  const { rows } = await app.sql<{ at: Date }>`
    select created_at as at from sessions where id = ${session.sessionId}`.execute(app.db);
  const signedInAt = rows[0]!.at.toISOString();
  const about = {
    sessionId: session.sessionId,
    signedInAt,
    provider: 'debug',
    country: 'DE',
    device: 'Apple iPhone',
    deviceType: 'mobile',
    browser: 'Safari 18',
    os: 'iOS 18.1',
  };
  const first = { ...about, by: 'SIGN_IN', usedAt: '2026-01-05T10:00:20.500Z' };
  expect(await said(session)).toEqual([{ userId: player.id, room: 'internal', data: first }]);
  expect(authEvents['session.used'].data.parse(first)).toEqual(first);
  await useAt(session, '2026-01-05T10:00:59.999Z');
  await work(session);
  expect(await said(session)).toHaveLength(1);
  await useAt(session, '2026-01-05T10:01:00Z');
  await Promise.all([work(session), work(session)]);
  const again = { ...about, by: 'REFRESH', usedAt: '2026-01-05T10:01:00.000Z' };
  expect((await said(session)).map(({ data }) => data)).toEqual([first, again]);
});

test('emits a refresh event with the country of the sign-in, and a separate event for each session', async () => {
  const player = await app.newPlayer();
  const [one, two] = [await signIn(player), await signIn(player)];
  for (const session of [one, two]) {
    await work(session);
    await age(session, 5);
    await work(session);
  }
  await refresh(one);
  await work(one);
  await work(two);
  const short = async (session: SignedIn) =>
    (await said(session)).map(({ data }) => `${data.by} ${data.country}`);
  expect(await short(one)).toEqual(['SIGN_IN DE', 'REFRESH DE']);
  expect(await short(two)).toEqual(['SIGN_IN DE']);
});

test('emits nothing for a deleted session, and rejects a payload without a session', async () => {
  const session = await signIn(await app.newPlayer());
  await app.sql`delete from sessions where id = ${session.sessionId}`.execute(app.db);
  await work(session);
  expect(await said(session)).toEqual([]);
  for (const payload of [undefined, {}, { sessionId: 'x' }])
    await expect(reportUse(app.services, payload)).rejects.toThrow('names no session');
});

test('never sends the event to sockets, neither live nor in a replay', async () => {
  const player = await app.newPlayer();
  const session = await signIn(player);
  const feed = newFeed(app);
  const audience = listening([player], 'internal');
  const from = await begin(feed, audience);
  await work(session);
  expect(await said(session)).toHaveLength(1);
  await tell(app, player.id, 1);
  const heard = await readUntil(feed, audience, (all) => framesOf(all, 'deposit.status').length > 0);
  expect(framesOf(heard).map(({ event }) => event)).toEqual(['deposit.status']);
  const socket = { userId: player.id, rooms: ['public'], lastSeq: from };
  const missed = await toldAgain(feed, [socket] as never);
  expect(JSON.stringify(missed)).toContain('deposit.status');
  expect(JSON.stringify(missed)).not.toContain('session.used');
});
