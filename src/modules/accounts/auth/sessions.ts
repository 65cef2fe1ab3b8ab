import type { SessionUser } from '../../../http/access.ts';
import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { createAuthenticator } from './authenticator.ts';
import { authErrors } from './errors.ts';
import { type Device, type Opening, openSession } from './open-session.ts';
import { createPresence } from './presence.ts';
import { countOthers, findEndings, findLive, findStandings, isLive } from './queries.ts';
import { refreshSession } from './refresh-session.ts';
import { revokeSession, revokeSessions } from './revoke-sessions.ts';
import { createSessionEnds } from './session-ends.ts';
import { createTokenSigner, type SessionTokens } from './token-signer.ts';

export type Sessions = ReturnType<typeof createSessions>;
type Deps = {
  db: Db;
  config: Config;
  databaseClock: DatabaseClock;
  log: Log;
  metrics: Metrics;
  countryOf: (ip: string) => string | null;
};

/** Sessions: opening and refreshing them, listing and ending them; every process is notified when one ends. */
export function createSessions({ db, config, databaseClock, log, metrics, countryOf }: Deps) {
  const ends = createSessionEnds(config);
  const signer = createTokenSigner({ config, databaseClock });
  const presence = createPresence({ db, now: databaseClock.now, log, everyMs: ends.noteEveryMs });
  const isMfaForced = config.STAFF_MFA_REQUIRED;
  const { keys } = signer;

  return {
    authenticator: createAuthenticator({ db, keys, databaseClock, ends, presence, isMfaForced }),
    verifyToken: signer.verify,
    /** Stores which sessions were used last. */
    flush: presence.flush,

    open: (tx: Tx, userId: number, device: Device, opening: Opening): Promise<SessionTokens> =>
      openSession({ ends, signer, countryOf }, tx, { userId, device, opening }),
    refresh: (refreshToken: string): Promise<SessionTokens> =>
      refreshSession({ db, config, log, metrics, ends, signer }, refreshToken),
    end: (sessionId: string) => transaction(db, (tx) => revokeSession(tx, sessionId, 'SIGNED_OUT')),

    /** Ends one of the user's own live sessions. Throws 404 SESSION_NOT_FOUND for any other. */
    async endOwn(userId: number, sessionId: string): Promise<void> {
      if (!UUID.test(sessionId)) throw authErrors.SESSION_NOT_FOUND();
      const isEnded = await transaction(
        db,
        async (tx) =>
          (await isLive(tx, ends, { sessionId, userId })) && revokeSession(tx, sessionId, 'ENDED_BY_USER'),
      );
      if (!isEnded) throw authErrors.SESSION_NOT_FOUND();
    },

    /** Ends every session of the user but the current one; answers how many. */
    endOthers: (user: SessionUser) =>
      transaction(db, async (tx) => {
        const revoked = await countOthers(tx, ends, user);
        await revokeSessions(tx, user.id, 'ENDED_BY_USER', user.sessionId);
        return { revoked };
      }),

    /** What sockets must know of the sessions that are alive, by id. */
    async standings(sessionIds: readonly string[]) {
      const rows = await findStandings(db, ends, sessionIds);
      return new Map(
        rows.map(({ id, mfaAt, ...standing }) => [
          id,
          { ...standing, isMfaMissing: isMfaForced && standing.isStaff && mfaAt === null },
        ]),
      );
    },

    /** Why sessions have ended, by id: the reason that was stored, else BANNED or EXPIRED. */
    async endings(sessionIds: readonly string[]): Promise<Map<string, string>> {
      return new Map((await findEndings(db, sessionIds)).map(({ id, reason }) => [id, reason]));
    },

    /** The user's live sessions, the most recently used first. */
    async list({ id, sessionId }: SessionUser) {
      const rows = await findLive(db, ends, id);
      return rows.map((row) => ({ ...row, current: row.id === sessionId }));
    },
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
