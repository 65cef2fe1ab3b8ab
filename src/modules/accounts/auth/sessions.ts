import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { SessionUser } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { hashToken } from '../../../platform/encryption.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { parseUserAgent } from '../../../platform/user-agent.ts';
import { emitEvent, MOST_EVENTS } from '../../base/events/service.ts';
import { announceUserChange } from '../../base/users/service.ts';
import { type Audience, createAuthenticator, ISSUER, verifyToken } from './authenticator.ts';
import { authErrors } from './errors.ts';
import { createPresence } from './presence.ts';
import { countOthers, findEndings, findLive, findStandings, isLive, rotate } from './queries.ts';
import { createSessionEnds } from './session-ends.ts';
import { createTokenKeys } from './token-keys.ts';

export type Token = { token: string; expiresAt: string };
/** `deviceCookie` goes into the cookie `device`, by which the browser is known at its next sign-in. */
export type SessionTokens = {
  accessToken: Token;
  refreshToken: Token;
  socketToken: Token;
  deviceCookie?: string;
};
/**
 * Who signs in. `cookie` is the access token that came with the request, `knownAs` the cookie of a device that has signed
 * in before.
 */
export type Device = {
  ip: string;
  userAgent: string | undefined;
  cookie: string | undefined;
  knownAs?: string | undefined;
};
/** How the session was opened: `provider` is `password`, the segment of an identity provider, or `debug`. */
export type Opening = { provider: string; mfaMethod?: 'TOTP' | 'RECOVERY' };
/** What tokens are signed for. `endsAt`: no token outlives the session. */
type Signed = { userId: number; sessionId: string; endsAt: Date };
export type Sessions = ReturnType<typeof createSessions>;

/** Sessions: tokens that open them, rotation of refresh tokens, revocation that every process hears. */
export function createSessions({
  db,
  config,
  databaseClock,
  log,
  metrics,
  countryOf,
}: {
  db: Db;
  config: Config;
  databaseClock: DatabaseClock;
  log: Log;
  metrics: Metrics;
  countryOf: (ip: string) => string | null;
}) {
  const keys = createTokenKeys(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  const ends = createSessionEnds(config);
  const presence = createPresence({ db, now: databaseClock.now, log, everyMs: ends.noteEveryMs });
  const isMfaForced = config.STAFF_MFA_REQUIRED;
  const authenticator = createAuthenticator({ db, keys, databaseClock, ends, presence, isMfaForced });

  const sign = async (audience: Audience, { userId, sessionId, endsAt }: Signed): Promise<Token> => {
    // Another process judges it: both go by the database's clock.
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

  const tokensOf = async (session: Signed, refresh: string): Promise<SessionTokens> => {
    const [accessToken, socketToken] = await Promise.all([sign('access', session), sign('socket', session)]);
    return { accessToken, refreshToken: { token: refresh, expiresAt: iso(session.endsAt) }, socketToken };
  };

  const verify = (token: string, audience: Audience) =>
    verifyToken(token, { keys, audience, now: databaseClock.now() });

  const lifetime = () => new Date(databaseClock.now() + config.REFRESH_TOKEN_DAYS * 86_400_000);

  /** One of the two holders of a token that was shown twice is not its owner. */
  const endReplayed = async (sessionId: string, userId: number): Promise<void> => {
    if (!(await transaction(db, (tx) => revoke(tx, sessionId, 'REFRESH_REPLAYED')))) return;
    metrics.refreshTokensReplayed.inc();
    log.warn({ userId, sessionId }, 'refresh token replayed: the session has ended');
  };

  return {
    authenticator,

    /** Opens a session of its own, whatever came with the request; a session shown in the cookie ends (fixation). */
    async open(tx: Tx, userId: number, device: Device, opening: Opening): Promise<SessionTokens> {
      const refresh = randomBytes(32).toString('base64url');
      const agent = parseUserAgent(device.userAgent);
      const session = {
        id: randomUUID(),
        user_id: userId,
        refresh_hash: hashToken(refresh),
        ip_address: device.ip,
        country_code: countryOf(device.ip),
        user_agent: device.userAgent ?? null,
        device: agent.device,
        device_type: agent.deviceType,
        browser: agent.browser,
        os: agent.os,
        provider: opening.provider,
        mfa_method: opening.mfaMethod ?? null,
        mfa_at: opening.mfaMethod ? sql<Date>`now()` : null,
        expires_at: lifetime(),
      };
      await tx.insertInto('sessions').values(session).execute();
      const { endsAt } = await tx
        .updateTable('users')
        .from('sessions')
        .set({ last_login_at: NOW })
        .where('users.id', '=', userId)
        .where('sessions.id', '=', session.id)
        .returning(ends.atLatest.as('endsAt'))
        .executeTakeFirstOrThrow();
      const shown = device.cookie && (await verify(device.cookie, 'access').catch(() => undefined));
      if (shown) await revoke(tx, shown.sessionId, 'SIGNED_IN_AGAIN');
      return tokensOf({ userId, sessionId: session.id, endsAt }, refresh);
    },

    /**
     * Exchanges a refresh token for new tokens. An exchanged one shown again answers 409 within REFRESH_GRACE_MS (two
     * tabs), and later ends the whole session: one of the two holders is not its owner.
     */
    async refresh(refreshToken: string): Promise<SessionTokens> {
      const hash = hashToken(refreshToken);
      const fresh = randomBytes(32).toString('base64url');
      const change = { hash, fresh: hashToken(fresh), expiresAt: lifetime() };
      const session = await transaction(db, (tx) => rotate(tx, ends, change));
      if (session)
        return tokensOf({ userId: session.user_id, sessionId: session.id, endsAt: session.endsAt }, fresh);
      const used = await db
        .selectFrom('used_refresh_tokens')
        .innerJoin('sessions', 'sessions.id', 'session_id')
        .select([
          'session_id',
          'user_id',
          sql<boolean>`
        used_at > now() - make_interval(secs => ${config.REFRESH_GRACE_MS / 1000})`.as('isRecent'),
        ])
        .where('hash', '=', hash)
        .where('sessions.revoked_at', 'is', null)
        .executeTakeFirst();
      if (used?.isRecent) throw authErrors.REFRESH_CONFLICT();
      if (used) await endReplayed(used.session_id, used.user_id);
      throw commonErrors.UNAUTHORIZED();
    },

    end: (sessionId: string) => transaction(db, (tx) => revoke(tx, sessionId, 'SIGNED_OUT')),

    /** Ends one of the user's own live sessions. Throws 404 SESSION_NOT_FOUND for any other. */
    async endOwn(userId: number, sessionId: string): Promise<void> {
      if (!UUID.test(sessionId)) throw authErrors.SESSION_NOT_FOUND();
      const isEnded = await transaction(
        db,
        async (tx) =>
          (await isLive(tx, ends, { sessionId, userId })) && revoke(tx, sessionId, 'ENDED_BY_USER'),
      );
      if (!isEnded) throw authErrors.SESSION_NOT_FOUND();
    },

    /** Ends every session of the user but the current one, and says how many. */
    endOthers: (user: SessionUser) =>
      transaction(db, async (tx) => {
        const revoked = await countOthers(tx, ends, user);
        await revokeSessions(tx, user.id, 'ENDED_BY_USER', user.sessionId);
        return { revoked };
      }),

    /** Whose session a token opens, for what it was signed for. Throws 401. Whether the session is alive it does not say. */
    verifyToken: verify,

    /** How sessions stand that are alive, by id: what sockets live by. */
    async standings(sessionIds: readonly string[]) {
      const rows = await findStandings(db, ends, sessionIds);
      return new Map(
        rows.map(({ id, mfaAt, ...standing }) => [
          id,
          { ...standing, isMfaMissing: config.STAFF_MFA_REQUIRED && standing.isStaff && mfaAt === null },
        ]),
      );
    },

    /** Why sessions have ended, by id: what was written down, else that their user is banned or their time is over. */
    async endings(sessionIds: readonly string[]): Promise<Map<string, string>> {
      return new Map((await findEndings(db, sessionIds)).map(({ id, reason }) => [id, reason]));
    },

    /** The user's live sessions, the latest used first. */
    async list({ id, sessionId }: SessionUser) {
      const rows = await findLive(db, ends, id);
      return rows.map((row) => ({ ...row, current: row.id === sessionId }));
    },

    /** Writes down which sessions were used last. */
    flush: presence.flush,
  };
}

const NOW = sql<Date>`now()`;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Why a session has ended: what its player's front end may say. */
export type Ending =
  | ('SIGNED_OUT' | 'SIGNED_IN_AGAIN' | 'ENDED_BY_USER' | 'REFRESH_REPLAYED' | 'PASSWORD_CHANGED')
  | ('MFA_ENABLED' | 'MFA_DISABLED' | 'MFA_RESET' | 'BANNED' | 'CLOSED_FOR_TEST');

/** Ends one session, unless it has been ended; every process and its player hear of it at commit. */
async function revoke(tx: Tx, sessionId: string, reason: Ending): Promise<boolean> {
  const ended = await tx
    .updateTable('sessions')
    .set({ revoked_at: NOW, revoked_reason: reason })
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  if (!ended) return false;
  await tellProcesses(tx, sessionId);
  await emitEvent(tx, { event: 'session.revoked', userId: ended.user_id, data: { sessionId, reason } });
  return true;
}

/** Ends every session of a user but `except`, and says how many. */
export async function revokeSessions(
  tx: Tx,
  userId: number,
  reason: Ending,
  except: string | null = null,
): Promise<number> {
  const ended = await tx
    .updateTable('sessions')
    .set({ revoked_at: NOW, revoked_reason: reason })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', NOW)
    .$if(except !== null, (q) => q.where('id', '<>', except!))
    .returning('id')
    .execute();
  if (ended.length === 0) return 0;
  await announceUserChange(tx, userId);
  const about = (sessionId: string | null) => ({
    event: 'session.revoked' as const,
    userId,
    data: { sessionId, reason },
  });
  // Where one goes on, each of the others is named.
  const named = except === null ? [null] : ended.map(({ id }) => id);
  for (let at = 0; at < named.length; at += MOST_EVENTS)
    await emitEvent(tx, ...named.slice(at, at + MOST_EVENTS).map(about));
  return ended.length;
}

const tellProcesses = (tx: Tx, sessionId: string) =>
  sql`select pg_notify('access_changed', ${`session:${sessionId}`})`.execute(tx);
