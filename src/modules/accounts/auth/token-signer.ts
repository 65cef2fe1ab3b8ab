import { randomUUID } from 'node:crypto';
import { iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import { type Audience, ISSUER, verifyToken } from './authenticator.ts';
import { createTokenKeys } from './token-keys.ts';

export type Token = { token: string; expiresAt: string };
/** `deviceCookie` goes into the cookie `device`, by which the browser is recognised at its next sign-in. */
export type SessionTokens = {
  accessToken: Token;
  refreshToken: Token;
  socketToken: Token;
  deviceCookie?: string;
};
/** The session that tokens are signed for. `endsAt`: no token outlives the session. */
type SignedSession = { userId: number; sessionId: string; endsAt: Date };
export type TokenSigner = ReturnType<typeof createTokenSigner>;

/** Signs and verifies the tokens of sessions. All times are those of the database: another process judges them. */
export function createTokenSigner(deps: { config: Config; databaseClock: DatabaseClock }) {
  const { config, databaseClock } = deps;
  const keys = createTokenKeys(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);

  const sign = async (audience: Audience, { userId, sessionId, endsAt }: SignedSession): Promise<Token> => {
    const issuedAt = Math.floor(databaseClock.now() / 1000);
    const expiresAt = Math.min(issuedAt + config.ACCESS_TOKEN_SECONDS, Math.floor(endsAt.getTime() / 1000));
    const { SignJWT } = await import('jose/jwt/sign');
    const token = await new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: keys.signing.kid })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setSubject(String(userId))
      .setIssuedAt(issuedAt)
      .setJti(randomUUID())
      .setExpirationTime(expiresAt)
      .sign(keys.signing.key);
    return { token, expiresAt: iso(new Date(expiresAt * 1000)) };
  };

  return {
    keys,

    async tokensOf(session: SignedSession, refreshToken: string): Promise<SessionTokens> {
      const [accessToken, socketToken] = await Promise.all([
        sign('access', session),
        sign('socket', session),
      ]);
      return {
        accessToken,
        refreshToken: { token: refreshToken, expiresAt: iso(session.endsAt) },
        socketToken,
      };
    },

    /** The session that a token was signed for. Throws 401. Whether the session is still alive is for the caller to ask. */
    verify: (token: string, audience: Audience) =>
      verifyToken(token, { keys, audience, now: databaseClock.now() }),

    /** When a refresh token that is issued now expires. */
    refreshExpiry: () => new Date(databaseClock.now() + config.REFRESH_TOKEN_DAYS * 86_400_000),
  };
}
