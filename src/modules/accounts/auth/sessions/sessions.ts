import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { knownCountryOfIp } from '../../../../platform/countries/geo.ts';
import type { DatabaseClock } from '../../../../platform/database/clock.ts';
import type { Db, DbOrTx, Tx } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { parseUserAgent } from '../../../../platform/net/user-agent.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { hashToken } from '../../../../platform/secrets/encryption.ts';
import type { AuthSessionTokens } from '../schemas.ts';
import { createAuthenticator } from './authenticator.ts';
import { createSessionEnds, liveSessions, revokeSession, type SessionEnds } from './end.ts';
import { createPresence } from './presence.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { queueSessionUpdate } from './use-events.ts';

export type Sessions = ReturnType<typeof createSessions>;

/**
 * The device of a request. `cookie` is the access token that the device sent. `knownAs` is the cookie of a device that has signed in
 * before.
 */
export type Device = {
  ip: string;
  userAgent: string | undefined;
  cookie: string | undefined;
  knownAs?: string | undefined;
};
/** `provider` is `password`, `passkey`, the path segment of an identity provider, or `debug`. */
export type Opening = { provider: string; mfaMethod?: 'TOTP' | 'RECOVERY' | 'PASSKEY' };
/** `deviceCookie`: the value of the cookie `device`, which identifies the browser at the next sign-in. */
export type SessionTokens = z.input<typeof AuthSessionTokens> & { deviceCookie?: string };

type Deps = { db: Db; config: Config; databaseClock: DatabaseClock; log: Log };
type Parts = Deps & { ends: SessionEnds; tokens: Tokens };

/** Opens and authenticates sessions. */
export function createSessions(deps: Deps) {
  const { db, config, databaseClock, log } = deps;
  const ends = createSessionEnds(config);
  const tokens = createTokens(config, databaseClock);
  const parts = { ...deps, ends, tokens };
  const presence = createPresence({ db, now: databaseClock.now, log, everyMs: ends.noteEveryMs });
  const isMfaForced = config.STAFF_MFA_REQUIRED;

  return {
    authenticator: createAuthenticator({ db, tokens, databaseClock, ends, presence, isMfaForced }),
    ends,
    signToken: tokens.sign,
    verifyToken: tokens.verify,
    /** Writes the times of the sessions' last requests to the database. */
    flush: presence.flush,
    open: (tx: Tx, userId: number, device: Device, opening: Opening) =>
      openSession(parts, tx, { userId, device, opening }),
    /** Signs new access and socket tokens of a session, and returns them with the given refresh token. */
    tokensOf: (session: Parameters<Tokens['sign']>[1], refreshToken: string) =>
      tokensOf(tokens, session, refreshToken),
    /** Returns, by session id, the properties of live sessions that sockets need. */
    standings: (ids: readonly string[]) => findStandings(db, ends, { ids, isMfaForced }),
    /** Returns why sessions have ended, by session id. */
    endings: (ids: readonly string[]) => findEndings(db, ids),
  };
}

/** Returns the expiry of a refresh token that is issued now. */
export const refreshExpiry = ({ config, databaseClock }: Pick<Deps, 'config' | 'databaseClock'>) =>
  new Date(databaseClock.now() + config.REFRESH_TOKEN_DAYS * 86_400_000);

/** Opens a new session. To prevent session fixation, this never reuses the session of the request's cookie, but ends that session. */
async function openSession(
  parts: Parts,
  tx: Tx,
  { userId, device, opening }: { userId: number; device: Device; opening: Opening },
): Promise<SessionTokens> {
  const { ends, tokens } = parts;
  const refreshToken = randomBytes(32).toString('base64url');
  const agent = parseUserAgent(device.userAgent);
  const session = {
    id: randomUUID(),
    user_id: userId,
    refresh_hash: hashToken(refreshToken),
    ip_address: device.ip,
    country_code: knownCountryOfIp(device.ip),
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
    // Bots never get a session, whatever the sign-in method.
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

/** Finds live sessions whose users are not banned. */
async function findStandings(
  db: DbOrTx,
  ends: SessionEnds,
  { ids, isMfaForced }: { ids: readonly string[]; isMfaForced: boolean },
) {
  const rows = await liveSessions(db, ends)
    .select([
      'sessions.id',
      'users.id as userId',
      sql<boolean>`is_staff and email_verified and not has_unproven_credentials and not password_is_temporary`.as(
        'isStaff',
      ),
      sql<boolean>`coalesce(self_excluded_until > now(), false)`.as('isExcluded'),
      'sessions.mfa_at as mfaAt',
    ])
    .where('sessions.id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  return new Map(
    rows.map(({ id, mfaAt, ...standing }) => [
      id,
      { ...standing, isMfaMissing: isMfaForced && standing.isStaff && mfaAt === null },
    ]),
  );
}

/** Returns the stored reason. If there is none, returns BANNED or EXPIRED. */
async function findEndings(db: DbOrTx, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; reason: string }>`
    select s.id, coalesce(s.revoked_reason, case when u.banned_at is not null then 'BANNED' end, 'EXPIRED') as reason
    from sessions s join users u on u.id = s.user_id where s.id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, reason }) => [id, reason]));
}
