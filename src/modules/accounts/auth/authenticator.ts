import { LRUCache } from 'lru-cache';
import type { Authenticator, SessionUser } from '../../../http/access.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import { type AppError, commonErrors } from '../../../platform/errors.ts';
import { effectiveRights } from '../../base/access/rules.ts';
import { authErrors } from './errors.ts';
import { peekToken } from './one-time.ts';
import type { Presence } from './presence.ts';
import type { SessionEnds } from './session-ends.ts';
import type { Tokens } from './tokens.ts';

type Deps = {
  db: Db;
  tokens: Tokens;
  databaseClock: DatabaseClock;
  ends: SessionEnds;
  presence: Pick<Presence, 'saw'>;
  /** Staff needs a proven second factor. */
  isMfaForced: boolean;
};
type Verified = Awaited<ReturnType<Tokens['verify']>>;
/** A session in the cache. Times in milliseconds by the database's clock. */
type Known = {
  user: SessionUser;
  /** When it ends at the latest, whatever requests are made. */
  endsAt: number;
  /** How long it may be idle; 0: without limit. */
  idleMs: number;
  lastRequestAt: number;
  /** No longer in the cache: it has ended, its user has changed, or it had to make room. */
  isForgotten: boolean;
};

/**
 * Verifies each token once. Afterwards `peek` answers from memory (token → session → user), until a notification says that the
 * session has ended or its user has changed. While notifications could be lost, nothing is cached. Where inactivity ends sessions,
 * every request is recorded (`presence`), because another process may see the next one.
 */
export function createAuthenticator(deps: Deps): Authenticator {
  const { db, tokens, databaseClock, presence } = deps;
  // From a token straight to its session: one look-up for a request.
  const verifiedTokens = new LRUCache<string, { expiresAt: number; session: Known }>({ max: 50_000 });
  const sessions = new LRUCache<string, Known>({ max: 50_000, dispose: forget });
  // A user read before a notification must not be cached after it.
  let notifications = 0;
  databaseClock.onGap(() => {
    notifications++;
    sessions.clear();
  });
  const listening = databaseClock.onNotice('access_changed', (payload) => {
    notifications++;
    const [what, id] = payload.split(':');
    if (what === 'session') sessions.delete(id!);
    else
      for (const [sessionId, { user }] of sessions.entries())
        if (user.id === Number(id)) sessions.delete(sessionId);
  });

  return {
    peek(token) {
      // peek, not get: keeping the order of use would cost more than verifying an evicted token again.
      const verified = verifiedTokens.peek(token);
      if (!verified || verified.session.isForgotten || !databaseClock.isUp()) return undefined;
      const now = databaseClock.now();
      const { session } = verified;
      if (verified.expiresAt <= now || session.endsAt <= now) return undefined;
      if (session.idleMs > 0) {
        if (session.lastRequestAt + session.idleMs <= now) return undefined;
        session.lastRequestAt = now;
        presence.saw(session.user.sessionId, now);
      }
      return session.user;
    },
    async verify(token) {
      if (token.startsWith(MFA_PREFIX)) throw await refusalOfMfaToken(db, token);
      const verified = await tokens.verify(token, 'access');
      await listening;
      const before = notifications;
      const known = await loadSession(deps, verified);
      if (known.idleMs > 0) {
        const recordedAt = known.lastRequestAt;
        known.lastRequestAt = databaseClock.now();
        presence.saw(verified.sessionId, known.lastRequestAt, recordedAt);
      }
      if (before === notifications && databaseClock.isUp()) {
        // The same object as long as it stays in the cache: other tokens lead to it too.
        const session = Object.assign(sessions.peek(verified.sessionId) ?? known, known);
        sessions.set(verified.sessionId, session);
        verifiedTokens.set(token, { expiresAt: verified.expiresAt, session });
      }
      return known.user;
    },
  };
}

function forget(session: Known): void {
  session.isForgotten = true;
}

const MFA_PREFIX = 'mfa_';
const MFA_TOKEN = /^mfa_[\w-]{43}$/;

/** A token that was issued between password and second factor is refused with what is missing. */
async function refusalOfMfaToken(db: Db, token: string): Promise<AppError> {
  const isAlive = MFA_TOKEN.test(token) && (await peekToken(db, 'MFA', token)) !== undefined;
  return isAlive ? authErrors.AUTH_MFA_REQUIRED() : commonErrors.UNAUTHORIZED();
}

async function loadSession({ db, ends, isMfaForced }: Deps, { sessionId, userId }: Verified): Promise<Known> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.roles', 'users.permissions', 'users.is_staff', 'sessions.mfa_at'])
    .select(['sessions.last_request_at', ends.atLatest.as('endsAt'), ends.idleSeconds.as('idleSeconds')])
    .select(['users.email_verified', 'users.has_unproven_credentials', 'users.password_is_temporary'])
    .where('sessions.id', '=', sessionId)
    .where('sessions.revoked_at', 'is', null)
    .where(ends.isAlive)
    .where('users.banned_at', 'is', null)
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
    isForgotten: false,
  };
}
