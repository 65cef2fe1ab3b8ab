import { type RawBuilder, sql } from 'kysely';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';

const NOW = sql<Date>`now()`;

/** When sessions end (`createSessionEnds`): over `sessions` joined with `users`. */
type Ends = { atLatest: RawBuilder<Date>; end: RawBuilder<Date>; isAlive: RawBuilder<boolean> };

/** The live sessions of a user, the latest used first. */
export async function findLive(db: DbOrTx, ends: Ends, userId: number) {
  const rows = await liveSessions(db, ends)
    .select(['sessions.id', 'ip_address', 'sessions.country_code', 'device', 'browser', 'os'])
    .select(['sessions.created_at', LAST_USED.as('last_used_at'), ends.end.as('ends_at')])
    .where('user_id', '=', userId)
    .orderBy(LAST_USED, 'desc')
    .orderBy('sessions.id')
    .limit(500)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    createdAt: iso(row.created_at),
    lastUsedAt: iso(row.last_used_at),
    expiresAt: iso(row.ends_at),
    ipAddress: row.ip_address,
    countryCode: row.country_code,
    device: row.device,
    browser: row.browser,
    os: row.os,
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

/** How many live sessions a user has beside this one. */
export async function countOthers(
  db: DbOrTx,
  ends: Ends,
  { id, sessionId }: { id: number; sessionId: string },
) {
  const { others } = await liveSessions(db, ends)
    .select(sql<number>`count(*)::int`.as('others'))
    .where('user_id', '=', id)
    .where('sessions.id', '<>', sessionId)
    .executeTakeFirstOrThrow();
  return others;
}

/** Sessions that are alive and whose users are not banned. */
export function findStandings(db: DbOrTx, ends: Ends, sessionIds: readonly string[]) {
  return liveSessions(db, ends)
    .select([
      'sessions.id',
      'users.id as userId',
      sql<boolean>`is_staff and email_verified and not has_unproven_credentials and not password_is_temporary`.as(
        'isStaff',
      ),
      sql<boolean>`coalesce(self_excluded_until > now(), false)`.as('isExcluded'),
      'sessions.mfa_at as mfaAt',
    ])
    .where('sessions.id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .where('users.banned_at', 'is', null)
    .execute();
}

export async function findEndings(db: DbOrTx, sessionIds: readonly string[]) {
  const { rows } = await sql<{ id: string; reason: string }>`
    select s.id, coalesce(s.revoked_reason, case when u.banned_at is not null then 'BANNED' end, 'EXPIRED') as reason
    from sessions s join users u on u.id = s.user_id where s.id = any(${sessionIds}::uuid[])`.execute(db);
  return rows;
}

/** How long ago a session was opened, and by which way; undefined when there is no such session. */
export async function findOpening(db: DbOrTx, sessionId: string) {
  return db
    .selectFrom('sessions')
    .select(['provider', sql<number>`extract(epoch from now() - created_at)::float8`.as('ageSeconds')])
    .where('id', '=', sessionId)
    .executeTakeFirst();
}

/**
 * Exchanges the refresh token of a live session for a fresh one and remembers that it was used. That puts its end off by
 * `expiresAt` at most, and is no request of its user: a page that refreshes by itself does not keep a session alive.
 */
export async function rotate(
  tx: Tx,
  ends: Ends,
  { hash, fresh, expiresAt }: { hash: Buffer; fresh: Buffer; expiresAt: Date },
) {
  const session = await tx
    .updateTable('sessions')
    .from('users')
    .set({ refresh_hash: fresh, last_used_at: NOW, expires_at: expiresAt })
    .whereRef('users.id', '=', 'sessions.user_id')
    .where('refresh_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .where(ends.isAlive)
    .where('users.banned_at', 'is', null)
    .returning(['sessions.id', 'user_id', ends.atLatest.as('endsAt')])
    .executeTakeFirst();
  if (session) await tx.insertInto('used_refresh_tokens').values({ hash, session_id: session.id }).execute();
  return session;
}
