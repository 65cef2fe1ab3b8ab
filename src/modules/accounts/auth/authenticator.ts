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
import type { TokenKeys } from './token-keys.ts';

export const ISSUER = 'croupier';

/** What a token is for: requests over HTTP, or the handshake of a socket. */
export type Audience = 'access' | 'socket';

type Deps = {
  db: Db;
  keys: TokenKeys;
  databaseClock: DatabaseClock;
  ends: SessionEnds;
  presence: Pick<Presence, 'saw'>;
  /** Staff needs a proven second factor. */
  isMfaForced: boolean;
};
/** A session as it is remembered. Times in milliseconds by the database's clock. */
type Known = {
  user: SessionUser;
  /** Its end, however many requests are made. */
  endsAt: number;
  /** The pause that ends it; 0: none does. */
  idleMs: number;
  lastRequestAt: number;
};
type Verified = { sessionId: string; userId: number; expiresAt: number };

/**
 * Verifies each token once. Afterwards `peek` answers from memory: token → session → user, and a notice that a
 * session ended or a user changed drops what is remembered. While notices could be lost nothing is remembered.
 * Of sessions that a pause ends every request is noted (`presence`): when this process has seen none for so long, another one may have.
 */
export function createAuthenticator(needs: Deps): Authenticator {
  const { db, keys, databaseClock, presence } = needs;
  const tokens = new LRUCache<string, Verified>({ max: 50_000 });
  const sessions = new LRUCache<string, Known>({ max: 50_000 });
  // Counts what was heard: a user read before a notice must not be remembered after it.
  let heard = 0;
  databaseClock.onGap(() => {
    heard++;
    sessions.clear();
  });
  const listening = databaseClock.onNotice('access_changed', (payload) => {
    heard++;
    const [what, id] = payload.split(':');
    if (what === 'session') sessions.delete(id!);
    else
      for (const [sessionId, { user }] of sessions.entries())
        if (user.id === Number(id)) sessions.delete(sessionId);
  });

  return {
    peek(token) {
      // Without touching the order of use: a token that falls out is verified again.
      const verified = tokens.peek(token);
      const now = databaseClock.now();
      if (!verified || verified.expiresAt <= now || !databaseClock.isUp()) return undefined;
      const known = sessions.peek(verified.sessionId);
      if (!known || known.endsAt <= now) return undefined;
      if (known.idleMs > 0) {
        if (known.lastRequestAt + known.idleMs <= now) return undefined;
        known.lastRequestAt = now;
        presence.saw(verified.sessionId, now);
      }
      return known.user;
    },
    async verify(token) {
      if (token.startsWith(MFA_PREFIX)) throw await refusalOfMfaToken(db, token);
      const verified = await verifyToken(token, { keys, audience: 'access', now: databaseClock.now() });
      await listening;
      const before = heard;
      const known = await loadSession(needs, verified);
      if (known.idleMs > 0) {
        const recordedAt = known.lastRequestAt;
        known.lastRequestAt = databaseClock.now();
        presence.saw(verified.sessionId, known.lastRequestAt, recordedAt);
      }
      if (before === heard && databaseClock.isUp()) {
        tokens.set(token, verified);
        sessions.set(verified.sessionId, known);
      }
      return known.user;
    },
  };
}

/** Three parts in the one spelling that 32 bytes of signature have: decoders take padding and spare bits, too. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;
const MFA_PREFIX = 'mfa_';
const MFA_TOKEN = /^mfa_[\w-]{43}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whoever presents the token between password and second factor is told what is missing. */
async function refusalOfMfaToken(db: Db, token: string): Promise<AppError> {
  const isAlive = MFA_TOKEN.test(token) && (await peekToken(db, 'MFA', token)) !== undefined;
  return isAlive ? authErrors.AUTH_MFA_REQUIRED() : commonErrors.UNAUTHORIZED();
}

/** What a token says. Throws 401 for anything that was not signed here for this audience, or is over by now. */
export async function verifyToken(
  token: string,
  { keys, audience, now }: { keys: TokenKeys; audience: Audience; now: number },
): Promise<Verified> {
  if (token.length > 2048 || !TOKEN.test(token)) throw commonErrors.UNAUTHORIZED();
  try {
    const { jwtVerify } = await import('jose/jwt/verify');
    const { payload } = await jwtVerify(token, keys.keyOf, {
      algorithms: ['HS256'],
      audience,
      issuer: ISSUER,
      typ: 'JWT',
      currentDate: new Date(now),
      requiredClaims: ['sid', 'sub', 'exp', 'jti'],
    });
    const sessionId = payload.sid;
    if (typeof sessionId !== 'string' || !UUID.test(sessionId)) throw commonErrors.UNAUTHORIZED();
    return { sessionId, userId: Number(payload.sub), expiresAt: payload.exp! * 1000 };
  } catch {
    throw commonErrors.UNAUTHORIZED();
  }
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
  };
}
