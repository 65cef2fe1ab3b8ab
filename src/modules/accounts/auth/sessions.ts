import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { SessionUser } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db.ts';
import { hashToken } from '../../../platform/encryption.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import { parseUserAgent } from '../../../platform/user-agent.ts';
import { createAuthenticator } from './authenticator.ts';
import type { AuthDeps } from './deps.ts';
import { authErrors } from './errors.ts';
import { createPresence } from './presence.ts';
import * as queries from './queries.ts';
import { revokeSession, revokeSessions } from './revoke-sessions.ts';
import type { AuthSessionTokens } from './schemas.ts';
import { createSessionEnds, type SessionEnds } from './session-ends.ts';
import { createSessionUpdates, queueSessionUpdate } from './session-update.ts';
import { createTokens, type Tokens, UUID } from './tokens.ts';

export type Sessions = ReturnType<typeof createSessions>;

/**
 * The device that signs in. `cookie` is the access token that came with the request, `knownAs` the cookie of a device that has signed
 * in before.
 */
export type Device = {
  ip: string;
  userAgent: string | undefined;
  cookie: string | undefined;
  knownAs?: string | undefined;
};
/** How the session was opened: `provider` is `password`, `passkey`, the segment of an identity provider, or `debug`. */
export type Opening = { provider: string; mfaMethod?: 'TOTP' | 'RECOVERY' | 'PASSKEY' };
/** `deviceCookie` goes into the cookie `device`, by which the browser is recognised at its next sign-in. */
export type SessionTokens = z.input<typeof AuthSessionTokens> & { deviceCookie?: string };

type Deps = Pick<AuthDeps, 'db' | 'config' | 'databaseClock' | 'log' | 'metrics'>;
type Parts = Deps & { ends: SessionEnds; tokens: Tokens };

/** Sessions: opening and refreshing them, listing and ending them; every process is notified when one ends. */
export function createSessions(deps: Deps) {
  const { db, config, databaseClock, log } = deps;
  const ends = createSessionEnds(config);
  const tokens = createTokens(config, databaseClock);
  const parts = { ...deps, ends, tokens };
  const presence = createPresence({ db, now: databaseClock.now, log, everyMs: ends.noteEveryMs });
  const isMfaForced = config.STAFF_MFA_REQUIRED;

  return {
    authenticator: createAuthenticator({ db, tokens, databaseClock, ends, presence, isMfaForced }),
    verifyToken: tokens.verify,
    /** Stores which sessions were used last. */
    flush: presence.flush,
    open: (tx: Tx, userId: number, device: Device, opening: Opening) =>
      openSession(parts, tx, { userId, device, opening }),
    refresh: (refreshToken: string) => refreshSession(parts, refreshToken),
    /** Another token for the sockets of this session. Throws 401 when it has just ended. */
    async socketToken({ id: userId, sessionId }: SessionUser) {
      const endsAt = await queries.endOf(db, ends, { id: userId, sessionId });
      if (!endsAt) throw commonErrors.UNAUTHORIZED();
      return tokens.sign('socket', { userId, sessionId, endsAt });
    },
    end: (sessionId: string) => transaction(db, (tx) => revokeSession(tx, sessionId, 'SIGNED_OUT')),

    /** Ends one of the user's own live sessions. Throws 404 SESSION_NOT_FOUND for any other. */
    endOwn: (userId: number, sessionId: string): Promise<void> =>
      transaction(db, async (tx) => {
        const isOwn = UUID.test(sessionId) && (await queries.isLive(tx, ends, { sessionId, userId }));
        if (!isOwn || !(await revokeSession(tx, sessionId, 'ENDED_BY_USER')))
          throw authErrors.SESSION_NOT_FOUND();
      }),

    /** Ends every session of the user but the current one; returns how many. */
    endOthers: (user: SessionUser) =>
      transaction(db, async (tx) => {
        const revoked = await queries.countOthers(tx, ends, user);
        await revokeSessions(tx, user.id, 'ENDED_BY_USER', user.sessionId);
        return { revoked };
      }),

    /** The user's live sessions, the most recently used first. */
    list: (user: SessionUser) => queries.findLive(db, ends, user),
    /** For sockets, by session id: what they need to know of live sessions, and why the others have ended. */
    standings: (ids: readonly string[]) => queries.findStandings(db, ends, { ids, isMfaForced }),
    endings: (ids: readonly string[]) => queries.findEndings(db, ids),
    /** Runs the job `session-update`. */
    sayUse: createSessionUpdates(db),
  };
}

const newRefreshToken = () => randomBytes(32).toString('base64url');

/** When a refresh token that is issued now expires. */
const refreshExpiry = ({ config, databaseClock }: Parts) =>
  new Date(databaseClock.now() + config.REFRESH_TOKEN_DAYS * 86_400_000);

/** Opens a new session, never one that came with the request; a session presented in the cookie ends (session fixation). */
async function openSession(
  parts: Parts,
  tx: Tx,
  { userId, device, opening }: { userId: number; device: Device; opening: Opening },
): Promise<SessionTokens> {
  const { ends, tokens } = parts;
  const refreshToken = newRefreshToken();
  const agent = parseUserAgent(device.userAgent);
  const session = {
    id: randomUUID(),
    user_id: userId,
    refresh_hash: hashToken(refreshToken),
    ip_address: device.ip,
    country_code: countryOfIp(device.ip),
    user_agent: device.userAgent ?? null,
    device: agent.device,
    device_type: agent.deviceType,
    browser: agent.browser,
    os: agent.os,
    provider: opening.provider,
    mfa_method: opening.mfaMethod ?? null,
    mfa_at: opening.mfaMethod ? sql<Date>`now()` : null,
    expires_at: refreshExpiry(parts),
  };
  await tx.insertInto('sessions').values(session).execute();
  const opened = await tx
    .updateTable('users')
    .from('sessions')
    .set({ last_login_at: sql<Date>`now()` })
    .where('users.id', '=', userId)
    // Whatever way they came.
    .where('users.is_bot', '=', false)
    .where('sessions.id', '=', session.id)
    .returning(ends.atLatest.as('endsAt'))
    .executeTakeFirst();
  if (!opened) throw commonErrors.UNAUTHORIZED();
  const presented = device.cookie && (await tokens.verify(device.cookie, 'access').catch(() => undefined));
  if (presented) await revokeSession(tx, presented.sessionId, 'SIGNED_IN_AGAIN');
  await queueSessionUpdate(tx, session.id);
  return tokensOf(tokens, { userId, sessionId: session.id, ...opened }, refreshToken);
}

/**
 * Exchanges a refresh token for new tokens. A token that was exchanged before answers 409 REFRESH_CONFLICT within REFRESH_GRACE_MS
 * (two tabs); after that it ends the session, because one of the two holders of the token is not its owner.
 */
async function refreshSession(parts: Parts, refreshToken: string): Promise<SessionTokens> {
  const { db, config, ends, log, metrics, tokens } = parts;
  const hash = hashToken(refreshToken);
  const fresh = newRefreshToken();
  const change = { hash, fresh: hashToken(fresh), expiresAt: refreshExpiry(parts) };
  const session = await transaction(db, async (tx) => {
    const rotated = await queries.rotate(tx, ends, change);
    if (rotated) await queueSessionUpdate(tx, rotated.sessionId);
    return rotated;
  });
  if (session) return tokensOf(tokens, session, fresh);
  const used = await queries.findByUsedToken(db, hash, config.REFRESH_GRACE_MS / 1000);
  if (used?.isRecent) throw authErrors.REFRESH_CONFLICT();
  if (used && (await transaction(db, (tx) => revokeSession(tx, used.sessionId, 'REFRESH_REPLAYED')))) {
    metrics.refreshTokensReplayed.inc();
    const { userId, sessionId } = used;
    log.warn({ userId, sessionId }, 'refresh token replayed: the session has ended');
  }
  throw commonErrors.UNAUTHORIZED();
}

async function tokensOf(
  tokens: Tokens,
  session: Parameters<Tokens['sign']>[1],
  refreshToken: string,
): Promise<SessionTokens> {
  const [accessToken, socketToken] = await Promise.all([
    tokens.sign('access', session),
    tokens.sign('socket', session),
  ]);
  return {
    accessToken,
    refreshToken: { token: refreshToken, expiresAt: iso(session.endsAt) },
    socketToken,
  };
}
