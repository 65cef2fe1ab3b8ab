import { jwtVerify } from 'jose';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Authenticator, SessionUser } from '../../http/access.ts';
import type { Db } from '../../platform/db.ts';
import { type AppError, commonErrors } from '../../platform/errors.ts';
import type { Pulse } from '../../platform/pulse.ts';
import { permissionsOf, SUPERADMIN } from '../access/rules.ts';
import { authErrors } from './errors.ts';
import { peekToken } from './one-time.ts';

export const ISSUER = 'croupier';

/** What a token is for: requests over HTTP, or the handshake of a socket. */
export type Audience = 'access' | 'socket';

type Needs = {
  db: Db;
  key: Uint8Array;
  pulse: Pulse;
  /** Staff needs a proven second factor. */
  isMfaForced: boolean;
};
type Verified = { sessionId: string; userId: number; expiresAt: number };

/**
 * Verifies each token once. Afterwards `peek` answers from memory: token → session → user, and a notice that a
 * session ended or a user changed drops what is remembered. While notices could be lost nothing is remembered.
 */
export function createAuthenticator({ db, key, pulse, isMfaForced }: Needs): Authenticator {
  const tokens = new LRUCache<string, Verified>({ max: 50_000 });
  const users = new LRUCache<string, SessionUser>({ max: 50_000 });
  // Counts what was heard: a user read before a notice must not be remembered after it.
  let heard = 0;
  pulse.onGap(() => {
    heard++;
    users.clear();
  });
  const listening = pulse.onNotice('access_changed', (payload) => {
    heard++;
    const [what, id] = payload.split(':');
    if (what === 'session') users.delete(id!);
    else for (const [sessionId, user] of users.entries()) if (user.id === Number(id)) users.delete(sessionId);
  });

  return {
    peek(token) {
      // Without touching the order of use: a token that falls out is verified again.
      const known = tokens.peek(token);
      if (!known || known.expiresAt <= pulse.now() || !pulse.isUp()) return undefined;
      return users.peek(known.sessionId);
    },
    async verify(token) {
      if (token.startsWith(MFA_PREFIX)) throw await refusalOfMfaToken(db, token);
      const verified = await verifyToken(token, { key, audience: 'access', now: pulse.now() });
      await listening;
      const before = heard;
      const user = await loadUser(db, verified, isMfaForced);
      if (before === heard && pulse.isUp()) {
        tokens.set(token, verified);
        users.set(verified.sessionId, user);
      }
      return user;
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
  { key, audience, now }: { key: Uint8Array; audience: Audience; now: number },
): Promise<Verified> {
  if (token.length > 2048 || !TOKEN.test(token)) throw commonErrors.UNAUTHORIZED();
  try {
    const { payload } = await jwtVerify(token, key, {
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

async function loadUser(db: Db, { sessionId, userId }: Verified, isMfaForced: boolean): Promise<SessionUser> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.roles', 'users.permissions', 'users.is_staff', 'sessions.mfa_at'])
    .where('sessions.id', '=', sessionId)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', sql<Date>`now()`)
    .where('users.banned_at', 'is', null)
    .executeTakeFirst();
  if (row?.id !== userId) throw commonErrors.UNAUTHORIZED();
  return {
    id: row.id,
    sessionId,
    isStaff: row.is_staff,
    isSuperAdmin: row.roles.includes(SUPERADMIN),
    permissions: permissionsOf(row),
    isMfaMissing: isMfaForced && row.is_staff && row.mfa_at === null,
  };
}
