import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object, SuccessResponse, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { type DbOrTx, transaction } from '../../../../platform/database/db.ts';
import type { AuthDeps } from '../deps.ts';
import { authErrors } from '../schemas.ts';
import { clearSessionCookies } from './cookies.ts';
import { liveSessions, revokeSession, revokeSessions, type SessionEnds } from './end.ts';
import { UUID } from './tokens.ts';

const ending = { method: 'DELETE', tag: 'Session', access: 'auth', gate: 'none' } as const;

const Session = object('SessionDto', {
  id: z.string(),
  current: z.boolean(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
  ipAddress: z.string().nullable(),
  countryCode: z.string().nullable(),
  device: z.string().nullable(),
  browser: z.string().nullable(),
  os: z.string().nullable(),
});

const LAST_USED = sql<Date>`greatest(sessions.last_used_at, sessions.last_request_at)`;

export const listSessions = operation({
  method: 'GET',
  path: '/session',
  tag: 'Session',
  access: 'auth',
  summary: 'List your sessions, most recently used first',
  response: z.array(Session),
  handler: async ({ db, sessions: { ends } }: AuthDeps, { user }) => {
    const rows = await liveSessions(db, ends)
      .select(['sessions.id', 'ip_address as ipAddress', 'sessions.country_code as countryCode'])
      .select(['device', 'browser', 'os'])
      .select(['sessions.created_at as createdAt', LAST_USED.as('lastUsedAt'), ends.end.as('expiresAt')])
      .where('user_id', '=', user.id)
      .orderBy(LAST_USED, 'desc')
      .orderBy('sessions.id')
      .limit(500)
      .execute();
    return rows.map((row) => ({
      ...row,
      current: row.id === user.sessionId,
      createdAt: iso(row.createdAt),
      lastUsedAt: iso(row.lastUsedAt),
      expiresAt: iso(row.expiresAt),
    }));
  },
});

export const endCurrentSession = operation({
  ...ending,
  path: '/session/log-out/current',
  summary: 'End this session',
  handler: async ({ db }: AuthDeps, { user, setCookie }) => {
    await transaction(db, (tx) => revokeSession(tx, user.sessionId, 'SIGNED_OUT'));
    clearSessionCookies(setCookie);
  },
});

export const endOtherSessions = operation({
  ...ending,
  path: '/session/log-out/others',
  summary: 'End every session except this one',
  response: z.object({ revoked: z.number().int() }),
  handler: ({ db, sessions }: AuthDeps, { user }) =>
    transaction(db, async (tx) => {
      const { revoked } = await liveSessions(tx, sessions.ends)
        .select(sql<number>`count(*)::int`.as('revoked'))
        .where('user_id', '=', user.id)
        .where('sessions.id', '<>', user.sessionId)
        .executeTakeFirstOrThrow();
      await revokeSessions(tx, user.id, 'ENDED_BY_USER', user.sessionId);
      return { revoked };
    }),
});

export const endSession = operation({
  ...ending,
  path: '/session/{id}',
  summary: 'End one of your sessions',
  params: z.strictObject({ id: z.string().min(1).max(64) }),
  response: SuccessResponse,
  errors: [authErrors.SESSION_NOT_FOUND],
  handler: ({ db, sessions }: AuthDeps, { user, params: { id: sessionId } }) =>
    transaction(db, async (tx) => {
      const own = { sessionId, userId: user.id };
      const isOwn = UUID.test(sessionId) && (await isLive(tx, sessions.ends, own));
      if (!isOwn || !(await revokeSession(tx, sessionId, 'ENDED_BY_USER')))
        throw authErrors.SESSION_NOT_FOUND();
      return { success: true };
    }),
});

async function isLive(
  db: DbOrTx,
  ends: SessionEnds,
  { sessionId, userId }: { sessionId: string; userId: number },
): Promise<boolean> {
  const row = await liveSessions(db, ends)
    .select('sessions.id')
    .where('sessions.id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}
