import { sql } from 'kysely';
import { iso } from '../../platform/clock.ts';
import type { DbOrTx, Tx } from '../../platform/db.ts';

const NOW = sql<Date>`now()`;

/** The live sessions of a user, the latest used first. */
export async function findLive(db: DbOrTx, userId: number) {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'ip_address', 'country_code', 'device', 'browser', 'os', 'created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', NOW)
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .limit(500)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    createdAt: iso(row.created_at),
    lastUsedAt: iso(row.last_used_at),
    ipAddress: row.ip_address,
    countryCode: row.country_code,
    device: row.device,
    browser: row.browser,
    os: row.os,
  }));
}

/** Sessions that are alive and whose users are not banned. */
export function findStandings(db: DbOrTx, sessionIds: readonly string[]) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id',
      'users.id as userId',
      'users.is_staff as isStaff',
      sql<boolean>`coalesce(self_excluded_until > now(), false)`.as('isExcluded'),
      'sessions.mfa_at as mfaAt',
    ])
    .where('sessions.id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', NOW)
    .where('users.banned_at', 'is', null)
    .execute();
}

/** How long ago a session was opened, and by which way; undefined when there is no such session. */
export async function findOpening(db: DbOrTx, sessionId: string) {
  return db
    .selectFrom('sessions')
    .select(['provider', sql<number>`extract(epoch from now() - created_at)::float8`.as('ageSeconds')])
    .where('id', '=', sessionId)
    .executeTakeFirst();
}

/** Exchanges the refresh token of a live session for a fresh one and remembers that it was used. */
export async function rotate(tx: Tx, hash: Buffer, fresh: Buffer, expiresAt: Date) {
  const session = await tx
    .updateTable('sessions')
    .set({ refresh_hash: fresh, last_used_at: NOW, expires_at: expiresAt })
    .where('refresh_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', NOW)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('users')
          .select('users.id')
          .whereRef('users.id', '=', 'sessions.user_id')
          .where('users.banned_at', 'is', null),
      ),
    )
    .returning(['id', 'user_id', 'expires_at'])
    .executeTakeFirst();
  if (session) await tx.insertInto('used_refresh_tokens').values({ hash, session_id: session.id }).execute();
  return session;
}
