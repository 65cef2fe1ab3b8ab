import { type RawBuilder, sql } from 'kysely';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';

/** When sessions end (`createSessionEnds`): over `sessions` joined with `users`. */
type Ends = { atLatest: RawBuilder<Date>; end: RawBuilder<Date>; isAlive: RawBuilder<boolean> };
/** A user and the session in which they call. */
type Caller = { id: number; sessionId: string };

/** The live sessions of a user, the most recently used first. */
export async function findLive(db: DbOrTx, ends: Ends, caller: Caller) {
  const rows = await liveSessions(db, ends)
    .select(['sessions.id', 'ip_address as ipAddress', 'sessions.country_code as countryCode'])
    .select(['device', 'browser', 'os'])
    .select(['sessions.created_at as createdAt', LAST_USED.as('lastUsedAt'), ends.end.as('expiresAt')])
    .where('user_id', '=', caller.id)
    .orderBy(LAST_USED, 'desc')
    .orderBy('sessions.id')
    .limit(500)
    .execute();
  return rows.map((row) => ({
    ...row,
    current: row.id === caller.sessionId,
    createdAt: iso(row.createdAt),
    lastUsedAt: iso(row.lastUsedAt),
    expiresAt: iso(row.expiresAt),
  }));
}

const LAST_USED = sql<Date>`greatest(sessions.last_used_at, sessions.last_request_at)`;

const liveSessions = (db: DbOrTx, ends: Ends) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.revoked_at', 'is', null)
    .where(ends.isAlive);

/** Whether this is a live session of the user. */
export async function isLive(
  db: DbOrTx,
  ends: Ends,
  { sessionId, userId }: { sessionId: string; userId: number },
) {
  const row = await liveSessions(db, ends)
    .select('sessions.id')
    .where('sessions.id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The end of a live session that no request postpones. */
export async function endOf(db: DbOrTx, ends: Ends, { id, sessionId }: Caller): Promise<Date | undefined> {
  const row = await liveSessions(db, ends)
    .select(ends.atLatest.as('endsAt'))
    .where('sessions.id', '=', sessionId)
    .where('user_id', '=', id)
    .executeTakeFirst();
  return row?.endsAt;
}

/** How many live sessions a user has beside this one. */
export async function countOthers(db: DbOrTx, ends: Ends, { id, sessionId }: Caller) {
  const { others } = await liveSessions(db, ends)
    .select(sql<number>`count(*)::int`.as('others'))
    .where('user_id', '=', id)
    .where('sessions.id', '<>', sessionId)
    .executeTakeFirstOrThrow();
  return others;
}

/** What sockets need to know of the sessions that are alive and whose users are not banned, by session id. */
export async function findStandings(
  db: DbOrTx,
  ends: Ends,
  { ids, isMfaForced }: { ids: readonly string[]; isMfaForced: boolean },
) {
  const rows = await liveSessions(db, ends)
    .select([
      'sessions.id',
      'users.id as userId',
      sql<boolean>`is_staff and email_verified and not has_unproven_credentials and not password_is_temporary`.as(
        'isStaff',
      ),
      sql<boolean>`coalesce(self_excluded_until > now(), false)`.as('isExcluded'),
      'sessions.mfa_at as mfaAt',
    ])
    .where('sessions.id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('users.banned_at', 'is', null)
    .execute();
  return new Map(
    rows.map(({ id, mfaAt, ...standing }) => [
      id,
      { ...standing, isMfaMissing: isMfaForced && standing.isStaff && mfaAt === null },
    ]),
  );
}

/** Why sessions have ended, by id: the reason that was stored, else BANNED or EXPIRED. */
export async function findEndings(db: DbOrTx, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; reason: string }>`
    select s.id, coalesce(s.revoked_reason, case when u.banned_at is not null then 'BANNED' end, 'EXPIRED') as reason
    from sessions s join users u on u.id = s.user_id where s.id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, reason }) => [id, reason]));
}

/** Whether a session was opened within the last `seconds`. */
export async function isJustOpened(db: DbOrTx, sessionId: string, seconds: number): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select(sql<number>`extract(epoch from now() - created_at)::float8`.as('ageSeconds'))
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row !== undefined && row.ageSeconds <= seconds;
}

/**
 * Exchanges the refresh token of a live session for a fresh one and remembers that it was used. This extends the session to
 * `expiresAt` at most and does not count as a request: a page that refreshes by itself does not keep an idle session alive.
 */
export async function rotate(
  tx: Tx,
  ends: Ends,
  { hash, fresh, expiresAt }: { hash: Buffer; fresh: Buffer; expiresAt: Date },
) {
  const session = await tx
    .updateTable('sessions')
    .from('users')
    .set({ refresh_hash: fresh, last_used_at: sql<Date>`now()`, expires_at: expiresAt })
    .whereRef('users.id', '=', 'sessions.user_id')
    .where('refresh_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .where(ends.isAlive)
    .where('users.banned_at', 'is', null)
    .returning(['sessions.id as sessionId', 'user_id as userId', ends.atLatest.as('endsAt')])
    .executeTakeFirst();
  if (session)
    await tx.insertInto('used_refresh_tokens').values({ hash, session_id: session.sessionId }).execute();
  return session;
}

/** The session whose refresh token this was before it was exchanged, unless it was revoked; `isRecent`: within these seconds. */
export const findByUsedToken = (db: DbOrTx, hash: Buffer, graceSeconds: number) =>
  db
    .selectFrom('used_refresh_tokens')
    .innerJoin('sessions', 'sessions.id', 'session_id')
    .select(['session_id as sessionId', 'user_id as userId'])
    .select(sql<boolean>`used_at > now() - make_interval(secs => ${graceSeconds})`.as('isRecent'))
    .where('hash', '=', hash)
    .where('sessions.revoked_at', 'is', null)
    .executeTakeFirst();
