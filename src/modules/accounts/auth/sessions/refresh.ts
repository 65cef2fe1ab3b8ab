import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import type { Context } from '../../../../http/route.ts';
import { type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { hashToken } from '../../../../platform/secrets/encryption.ts';
import type { AuthDeps } from '../deps.ts';
import { AuthSessionToken, AuthSessionTokens, authErrors } from '../schemas.ts';
import { deviceOf, withCookies } from './cookies.ts';
import { liveSessions, revokeSession, type SessionEnds } from './end.ts';
import { type Device, refreshExpiry, type SessionTokens } from './sessions.ts';
import { queueSessionUpdate } from './use-events.ts';

const RefreshHeaders = z.object({
  'refresh-token': z.string().min(1).max(512).optional().meta({ required: true }),
});

export const refreshTokens = operation({
  method: 'POST',
  path: '/auth/refresh',
  tag: 'Authorization',
  access: 'anonymous',
  gate: 'none',
  limit: 'auth',
  summary: 'Exchange the refresh token for new tokens',
  description:
    'Browsers may omit the header and send the cookie `refresh_token` (outside `local`: `__Host-refresh_token`). A client that ' +
    'lost the response can repeat the request: for one minute (`REFRESH_GRACE_MS`) the same device receives the same refresh ' +
    'token. The session ends if the old token is used after this minute, on another device, or after the newer token was used.',
  headers: RefreshHeaders,
  response: AuthSessionTokens,
  errors: [commonErrors.UNAUTHORIZED, authErrors.REFRESH_CONFLICT],
  handler: async (deps: AuthDeps, context) =>
    withCookies(context, await refreshSession(deps, refreshTokenOf(context), deviceOf(context))),
});

export const getSocketToken = operation({
  method: 'POST',
  path: '/auth/socket-token',
  tag: 'Authorization',
  access: 'auth',
  gate: 'none',
  summary: 'Get a socket token for this session',
  description:
    'Use this when a page loads. Unlike `/auth/refresh`, it does not invalidate tokens held by other tabs.',
  status: 200,
  response: AuthSessionToken,
  handler: async ({ db, sessions }: AuthDeps, { user: { id: userId, sessionId } }) => {
    const session = await liveSessions(db, sessions.ends)
      .select(sessions.ends.atLatest.as('endsAt'))
      .where('sessions.id', '=', sessionId)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (!session) throw commonErrors.UNAUTHORIZED();
    return sessions.signToken('socket', { userId, sessionId, endsAt: session.endsAt });
  },
});

type Refreshing = Context<unknown, unknown, unknown, { 'refresh-token'?: string | undefined }, unknown>;

/**
 * Returns the token in the header. If there is none, returns the one in the cookie, provided that the request comes from a page of this
 * site.
 */
function refreshTokenOf({
  headers,
  cookies,
  isOwnSite,
}: Pick<Refreshing, 'headers' | 'cookies' | 'isOwnSite'>): string {
  const token = headers['refresh-token'] ?? (isOwnSite() ? cookies.refresh_token : undefined);
  if (!token) throw commonErrors.UNAUTHORIZED();
  return token;
}

/**
 * Exchanges a refresh token for new tokens. A client that lost the response may repeat the request from the same device within
 * REFRESH_GRACE_MS and gets the same new refresh token. Any other replay ends the session, because two clients then have the token and only
 * one of them can be its owner.
 */
async function refreshSession(deps: AuthDeps, refreshToken: string, from: Device): Promise<SessionTokens> {
  const { db, sessions } = deps;
  const salt = randomBytes(32);
  const fresh = successorOf(refreshToken, salt);
  const hash = hashToken(refreshToken);
  const device = hashToken(`${from.userAgent ?? ''}\n${from.knownAs ?? ''}`);
  const change = { hash, fresh: hashToken(fresh), salt, device, expiresAt: refreshExpiry(deps) };
  const session = await transaction(db, async (tx) => {
    const rotated = await rotate(tx, sessions.ends, change);
    if (rotated) await queueSessionUpdate(tx, rotated.sessionId);
    return rotated;
  });
  if (session) return sessions.tokensOf(session, fresh);
  return repeatRefresh(deps, refreshToken, { hash, device });
}

/**
 * Returns the refresh token that replaces `refreshToken`. Only a client with the old token can derive it. The salt alone is not sufficient.
 */
const successorOf = (refreshToken: string, salt: Buffer) =>
  createHmac('sha256', refreshToken).update(salt).digest('base64url');

/** Handles a refresh token that was already exchanged. Throws 401, or 409 REFRESH_CONFLICT if the successor cannot be derived. */
async function repeatRefresh(
  { db, config, log, metrics, sessions }: AuthDeps,
  refreshToken: string,
  { hash, device }: { hash: Buffer; device: Buffer },
): Promise<SessionTokens> {
  const used = await findByUsedToken(db, sessions.ends, {
    hash,
    graceSeconds: config.REFRESH_GRACE_MS / 1000,
  });
  if (!used) throw commonErrors.UNAUTHORIZED();
  const { userId, sessionId, salt } = used;
  if (used.isRecent && used.isNewest) {
    const successor = salt && successorOf(refreshToken, salt);
    // Processes of the previous version generate the successor at random and store no salt.
    if (!successor || !hashToken(successor).equals(used.currentHash)) throw authErrors.REFRESH_CONFLICT();
    if (used.device?.equals(device)) return sessions.tokensOf(used, successor);
  }
  if (await transaction(db, (tx) => revokeSession(tx, sessionId, 'REFRESH_REPLAYED'))) {
    metrics.refreshTokensReplayed.inc();
    log.named('auth').warn({ userId, sessionId }, 'refresh token replayed: the session has ended');
  }
  throw commonErrors.UNAUTHORIZED();
}

/** The hashes of the exchanged token and its successor, the salt from which the successor is derived, and the device's hash. */
type Rotation = { hash: Buffer; fresh: Buffer; salt: Buffer; device: Buffer; expiresAt: Date };

/**
 * Exchanges the refresh token of a live session for a new one, and records that the old one was used. This extends the session, but not
 * past `expiresAt`. An exchange does not count as a request, so automatic refreshes by an open page do not keep an idle session alive.
 */
async function rotate(tx: Tx, ends: SessionEnds, { hash, fresh, salt, device, expiresAt }: Rotation) {
  const session = await tx
    .updateTable('sessions')
    .from('users')
    .set({ refresh_hash: fresh, refresh_salt: salt, refresh_device: device })
    .set({ last_used_at: sql<Date>`now()`, expires_at: expiresAt })
    .whereRef('users.id', '=', 'sessions.user_id')
    .where('refresh_hash', '=', hash)
    .where(ends.isLive)
    .returning(['sessions.id as sessionId', 'user_id as userId', ends.atLatest.as('endsAt')])
    .executeTakeFirst();
  if (session)
    await tx.insertInto('used_refresh_tokens').values({ hash, session_id: session.sessionId }).execute();
  return session;
}

/**
 * Returns the live session of a refresh token that was already exchanged, with its latest refresh. `isRecent`: true if the token was
 * exchanged within the given number of seconds. `isNewest`: true if no later token of the session has been exchanged.
 */
const findByUsedToken = (
  db: DbOrTx,
  ends: SessionEnds,
  { hash, graceSeconds }: { hash: Buffer; graceSeconds: number },
) =>
  db
    .selectFrom('used_refresh_tokens as used')
    .innerJoin('sessions', 'sessions.id', 'used.session_id')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id as sessionId',
      'sessions.user_id as userId',
      'sessions.refresh_hash as currentHash',
    ])
    .select(['refresh_salt as salt', 'refresh_device as device', ends.atLatest.as('endsAt')])
    .select(sql<boolean>`used.used_at > now() - make_interval(secs => ${graceSeconds})`.as('isRecent'))
    .select(
      sql<boolean>`not exists (select from used_refresh_tokens later
        where later.session_id = used.session_id and later.used_at > used.used_at)`.as('isNewest'),
    )
    .where('used.hash', '=', hash)
    .where(ends.isLive)
    .executeTakeFirst();
