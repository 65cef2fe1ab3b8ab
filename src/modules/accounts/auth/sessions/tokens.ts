import { randomUUID } from 'node:crypto';
import type { JWTHeaderParameters } from 'jose';
import { iso } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../../platform/database/clock.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { deriveKey } from '../../../../platform/secrets/encryption.ts';

const ISSUER = 'croupier';
/** Accepts only the canonical encoding of the 32-byte signature. Decoders would also accept padding and spare bits. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where a token is valid: in HTTP requests, or in the handshake of a socket. */
export type Audience = 'access' | 'socket';
/** `endsAt` is the end of the session. No token outlives it. */
type SignedSession = { userId: number; sessionId: string; endsAt: Date };

export type Tokens = ReturnType<typeof createTokens>;

/** Signs and verifies session tokens. All times are those of the database clock, because a token may be verified by another process. */
export function createTokens(config: Config, databaseClock: Pick<DatabaseClock, 'now'>) {
  const { signing, keyOf } = createKeys(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  return {
    async sign(audience: Audience, { userId, sessionId, endsAt }: SignedSession) {
      const issuedAt = Math.floor(databaseClock.now() / 1000);
      const expiresAt = Math.min(issuedAt + config.ACCESS_TOKEN_SECONDS, Math.floor(endsAt.getTime() / 1000));
      const { SignJWT } = await import('jose/jwt/sign');
      const token = await new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: signing.kid })
        .setIssuer(ISSUER)
        .setAudience(audience)
        .setSubject(String(userId))
        .setIssuedAt(issuedAt)
        .setJti(randomUUID())
        .setExpirationTime(expiresAt)
        .sign(signing.key);
      return { token, expiresAt: iso(new Date(expiresAt * 1000)) };
    },

    /**
     * Returns the session to which a token belongs. The session may have ended. Throws 401 if the token was not signed by the platform for
     * this audience, or has expired.
     */
    async verify(token: string, audience: Audience) {
      if (token.length > 2048 || !TOKEN.test(token)) throw commonErrors.UNAUTHORIZED();
      try {
        const { jwtVerify } = await import('jose/jwt/verify');
        const { payload } = await jwtVerify(token, keyOf, {
          algorithms: ['HS256'],
          audience,
          issuer: ISSUER,
          typ: 'JWT',
          currentDate: new Date(databaseClock.now()),
          requiredClaims: ['sid', 'sub', 'exp', 'jti'],
        });
        const sessionId = payload.sid;
        if (typeof sessionId !== 'string' || !UUID.test(sessionId)) throw commonErrors.UNAUTHORIZED();
        return { sessionId, userId: Number(payload.sub), expiresAt: payload.exp! * 1000 };
      } catch {
        throw commonErrors.UNAUTHORIZED();
      }
    },
  };
}

/**
 * Tokens are signed with the current key. The previous key, if set, is used to verify older tokens until they expire. `kid` is the id of
 * the key with which a token is signed. A token without `kid` was issued before keys had ids and is verified with the current key.
 */
function createKeys(current: string, previous: string | undefined) {
  const keys = [current, previous].flatMap((secret) =>
    secret === undefined ? [] : [{ kid: nameOf(secret), key: new TextEncoder().encode(secret) }],
  );
  const [signing] = keys as [(typeof keys)[number], ...typeof keys];
  return {
    signing,
    /** Returns the key with the `kid` of a token. Throws if the id is unknown. */
    keyOf({ kid }: JWTHeaderParameters): Uint8Array {
      const named = kid === undefined ? signing : keys.find((one) => one.kid === kid);
      if (!named) throw new Error('signed by another key');
      return named.key;
    },
  };
}

/** Derives a key's id, which does not reveal the key. */
const nameOf = (secret: string): string =>
  deriveKey(secret, 'name of a token key').toString('base64url').slice(0, 12);
