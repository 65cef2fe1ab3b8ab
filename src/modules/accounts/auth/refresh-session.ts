import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Config } from '../../../platform/config.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { hashToken } from '../../../platform/encryption.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { authErrors } from './errors.ts';
import { rotate } from './queries.ts';
import { revokeSession } from './revoke-sessions.ts';
import type { SessionEnds } from './session-ends.ts';
import type { SessionTokens, TokenSigner } from './token-signer.ts';

type Deps = { db: Db; config: Config; log: Log; metrics: Metrics; ends: SessionEnds; signer: TokenSigner };

/**
 * Exchanges a refresh token for new tokens. A token that was exchanged before answers 409 REFRESH_CONFLICT within REFRESH_GRACE_MS
 * (two tabs); after that it ends the session, because one of the two holders of the token is not its owner.
 */
export async function refreshSession(deps: Deps, refreshToken: string): Promise<SessionTokens> {
  const { db, ends, signer } = deps;
  const hash = hashToken(refreshToken);
  const fresh = randomBytes(32).toString('base64url');
  const change = { hash, fresh: hashToken(fresh), expiresAt: signer.refreshExpiry() };
  const session = await transaction(db, (tx) => rotate(tx, ends, change));
  if (session)
    return signer.tokensOf({ userId: session.user_id, sessionId: session.id, endsAt: session.endsAt }, fresh);
  const used = await findUsed(deps, hash);
  if (used?.isRecent) throw authErrors.REFRESH_CONFLICT();
  if (used) await endReplayed(deps, used);
  throw commonErrors.UNAUTHORIZED();
}

/** The live session whose refresh token this was before it was exchanged. */
const findUsed = ({ db, config }: Deps, hash: Buffer) =>
  db
    .selectFrom('used_refresh_tokens')
    .innerJoin('sessions', 'sessions.id', 'session_id')
    .select(['session_id as sessionId', 'user_id as userId'])
    .select(
      sql<boolean>`used_at > now() - make_interval(secs => ${config.REFRESH_GRACE_MS / 1000})`.as('isRecent'),
    )
    .where('hash', '=', hash)
    .where('sessions.revoked_at', 'is', null)
    .executeTakeFirst();

async function endReplayed(
  { db, metrics, log }: Deps,
  { sessionId, userId }: { sessionId: string; userId: number },
): Promise<void> {
  if (!(await transaction(db, (tx) => revokeSession(tx, sessionId, 'REFRESH_REPLAYED')))) return;
  metrics.refreshTokensReplayed.inc();
  log.warn({ userId, sessionId }, 'refresh token replayed: the session has ended');
}
