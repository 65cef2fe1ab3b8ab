import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { iso } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import { type Db, type Tx, transaction } from '../../platform/db.ts';
import { commonErrors } from '../../platform/errors.ts';
import type { Pulse } from '../../platform/pulse.ts';
import { createAuthenticator, ISSUER, verifyToken } from './authenticator.ts';
import { authErrors } from './errors.ts';

export type Token = { token: string; expiresAt: string };
export type SessionTokens = { accessToken: Token; refreshToken: Token; socketToken: Token };
/** Who signs in. `cookie` is the access token that came with the request. */
export type Device = { ip: string; userAgent: string | undefined; cookie: string | undefined };
export type Sessions = ReturnType<typeof createSessions>;

type Audience = 'access' | 'socket';

/** Sessions: tokens that open them, rotation of refresh tokens, revocation that every process hears. */
export function createSessions({ db, config, pulse }: { db: Db; config: Config; pulse: Pulse }) {
  const key = new TextEncoder().encode(config.JWT_SECRET);
  const authenticator = createAuthenticator(db, key, pulse);

  const sign = async (audience: Audience, userId: number, sessionId: string): Promise<Token> => {
    const expiresAt = Math.floor(Date.now() / 1000) + config.ACCESS_TOKEN_SECONDS;
    const token = await new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setSubject(String(userId))
      .setIssuedAt()
      .setJti(randomUUID())
      .setExpirationTime(expiresAt)
      .sign(key);
    return { token, expiresAt: iso(new Date(expiresAt * 1000)) };
  };

  const tokensOf = async (
    userId: number,
    sessionId: string,
    refresh: string,
    expiresAt: Date,
  ): Promise<SessionTokens> => {
    const [accessToken, socketToken] = await Promise.all([
      sign('access', userId, sessionId),
      sign('socket', userId, sessionId),
    ]);
    return { accessToken, refreshToken: { token: refresh, expiresAt: iso(expiresAt) }, socketToken };
  };

  const lifetime = () => new Date(Date.now() + config.REFRESH_TOKEN_DAYS * 86_400_000);

  return {
    authenticator,

    /** Opens a session of its own, whatever came with the request; a session shown in the cookie ends (fixation). */
    async open(tx: Tx, userId: number, device: Device): Promise<SessionTokens> {
      const refresh = randomBytes(32).toString('base64url');
      const session = {
        id: randomUUID(),
        user_id: userId,
        refresh_hash: digest(refresh),
        ip_address: device.ip,
        user_agent: device.userAgent ?? null,
        expires_at: lifetime(),
      };
      await tx.insertInto('sessions').values(session).execute();
      await tx.updateTable('users').set({ last_login_at: new Date() }).where('id', '=', userId).execute();
      const shown = device.cookie && (await verifyToken(device.cookie, key).catch(() => undefined));
      if (shown) await revoke(tx, shown.sessionId, 'signed in again');
      return tokensOf(userId, session.id, refresh, session.expires_at);
    },

    /**
     * Exchanges a refresh token for new tokens. An exchanged one shown again answers 409 within REFRESH_GRACE_MS (two
     * tabs), and later ends the whole session: one of the two holders is not its owner.
     */
    async refresh(refreshToken: string): Promise<SessionTokens> {
      const hash = digest(refreshToken);
      const fresh = randomBytes(32).toString('base64url');
      const session = await transaction(db, (tx) => rotate(tx, hash, digest(fresh), lifetime()));
      if (session) return tokensOf(session.user_id, session.id, fresh, session.expires_at);
      const used = await db
        .selectFrom('used_refresh_tokens')
        .select([
          'session_id',
          sql<boolean>`
        used_at > now() - make_interval(secs => ${config.REFRESH_GRACE_MS / 1000})`.as('isRecent'),
        ])
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (used?.isRecent) throw authErrors.REFRESH_CONFLICT();
      if (used) await transaction(db, (tx) => revoke(tx, used.session_id, 'refresh token replayed'));
      throw commonErrors.UNAUTHORIZED();
    },

    end: (sessionId: string) => transaction(db, (tx) => revoke(tx, sessionId, 'signed out')),
  };
}

async function rotate(tx: Tx, hash: Buffer, fresh: Buffer, expiresAt: Date) {
  const session = await tx
    .updateTable('sessions')
    .set({ refresh_hash: fresh, last_used_at: new Date(), expires_at: expiresAt })
    .where('refresh_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
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

async function revoke(tx: Tx, sessionId: string, reason: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ revoked_at: new Date(), revoked_reason: reason })
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .execute();
  await sql`select pg_notify('access_changed', ${`session:${sessionId}`})`.execute(tx);
}

/** Hash of a random 256-bit token: nothing to guess, so no salt and no work factor. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
