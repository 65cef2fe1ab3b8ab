import type { Authenticator, SessionUser } from '../../../../http/access.ts';
import { createCache } from '../../../../platform/cache.ts';
import type { DatabaseClock } from '../../../../platform/database/clock.ts';
import type { Db } from '../../../../platform/database/db.ts';
import { type AppError, commonErrors } from '../../../../platform/errors.ts';
import { storedRoles } from '../../../base/access/roles/stored.ts';
import { effectiveRights } from '../../../base/access/rules.ts';
import { readToken } from '../one-time-tokens.ts';
import { authErrors } from '../schemas.ts';
import type { SessionEnds } from './end.ts';
import type { Presence } from './presence.ts';
import type { Tokens } from './tokens.ts';

type Deps = {
  db: Db;
  tokens: Tokens;
  databaseClock: DatabaseClock;
  ends: SessionEnds;
  presence: Pick<Presence, 'recordRequest'>;
  /** True if staff must have proven the second factor (STAFF_MFA_REQUIRED). */
  isMfaForced: boolean;
};
type Verified = Awaited<ReturnType<Tokens['verify']>>;
/** Times are in milliseconds of the database clock. */
type CachedSession = {
  user: SessionUser;
  /** The latest possible end of the session. Requests do not postpone it. */
  endsAt: number;
  /** The maximum time without a request; 0 for no limit. */
  idleMs: number;
  lastRequestAt: number;
  /** True once the session has been removed from the cache, because it ended, its user changed or it was evicted. */
  isEvicted: boolean;
};

/**
 * Verifies each token once. After that, `peek` finds the token in memory (token → session → user) until a notification reports that the
 * session has ended, or its user or a role has changed. Nothing is cached while notifications could be lost. If sessions have an idle limit,
 * every request is recorded (`presence`), because another process may receive the next request.
 */
export function createAuthenticator(deps: Deps): Authenticator {
  const { db, tokens, databaseClock, presence } = deps;
  // Maps a token to its session, so that a request needs only one look-up.
  const verifiedTokens = createCache<string, { expiresAt: number; session: CachedSession }>(50_000);
  const sessions = createCache<string, CachedSession>(50_000, { dispose: markEvicted });
  // Counts notifications. A user that was read before a notification must not be cached after the notification.
  let notifications = 0;
  databaseClock.onGap(() => {
    notifications++;
    sessions.clear();
  });
  const listening = databaseClock.onNotice('access_changed', (payload) => {
    notifications++;
    const [what, id] = payload.split(':');
    if (what === 'session') return void sessions.delete(id!);
    for (const [sessionId, { user }] of sessions.entries())
      if (what === 'role' ? user.isStaff : user.id === Number(id)) sessions.delete(sessionId);
  });

  return {
    peek(token) {
      // Uses `peek` instead of `get`, because updating the LRU order would cost more than verifying evicted tokens again.
      const verified = verifiedTokens.peek(token);
      if (!verified || verified.session.isEvicted || !databaseClock.isUp()) return undefined;
      const now = databaseClock.now();
      const { session } = verified;
      if (verified.expiresAt <= now || session.endsAt <= now) return undefined;
      if (session.idleMs > 0) {
        if (session.lastRequestAt + session.idleMs <= now) return undefined;
        session.lastRequestAt = now;
        presence.recordRequest(session.user.sessionId, now);
      }
      return session.user;
    },
    async verify(token) {
      if (token.startsWith(MFA_PREFIX)) throw await errorForMfaToken(db, token);
      const verified = await tokens.verify(token, 'access');
      await listening;
      const before = notifications;
      const loaded = await loadSession(deps, verified);
      if (loaded.idleMs > 0) {
        const recordedAt = loaded.lastRequestAt;
        loaded.lastRequestAt = databaseClock.now();
        presence.recordRequest(verified.sessionId, loaded.lastRequestAt, recordedAt);
      }
      if (before === notifications && databaseClock.isUp()) {
        // Updates the cached object instead of replacing it, because other tokens refer to it.
        const session = Object.assign(sessions.peek(verified.sessionId) ?? loaded, loaded);
        sessions.set(verified.sessionId, session);
        verifiedTokens.set(token, { expiresAt: verified.expiresAt, session });
      }
      return loaded.user;
    },
  };
}

function markEvicted(session: CachedSession): void {
  session.isEvicted = true;
}

const MFA_PREFIX = 'mfa_';
const MFA_TOKEN = /^mfa_[\w-]{43}$/;

/** Returns the error for a token that is issued between the password and the second factor. */
async function errorForMfaToken(db: Db, token: string): Promise<AppError> {
  const isAlive = MFA_TOKEN.test(token) && (await readToken(db, 'MFA', token)) !== undefined;
  return isAlive ? authErrors.AUTH_MFA_REQUIRED() : commonErrors.UNAUTHORIZED();
}

async function loadSession(
  { db, ends, isMfaForced }: Deps,
  { sessionId, userId }: Verified,
): Promise<CachedSession> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.roles', 'users.permissions', 'users.is_staff', 'sessions.mfa_at'])
    .select(storedRoles)
    .select(['sessions.last_request_at', ends.atLatest.as('endsAt'), ends.idleSeconds.as('idleSeconds')])
    .select(['users.email_verified', 'users.has_unproven_credentials', 'users.password_is_temporary'])
    .where('sessions.id', '=', sessionId)
    .where(ends.isLive)
    .executeTakeFirst();
  if (row?.id !== userId) throw commonErrors.UNAUTHORIZED();
  const user: SessionUser = {
    id: row.id,
    sessionId,
    isStaff: row.is_staff,
    ...effectiveRights(row),
    isMfaMissing: isMfaForced && row.is_staff && row.mfa_at === null,
  };
  return {
    user,
    endsAt: row.endsAt.getTime(),
    idleMs: row.idleSeconds * 1000,
    lastRequestAt: row.last_request_at.getTime(),
    isEvicted: false,
  };
}
