import { type RawBuilder, sql } from 'kysely';
import type { Config } from '../../../../platform/config/config.ts';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { emitEvent, MOST_EVENTS } from '../../../base/events/service.ts';
import { announceUserChange } from '../../../base/users/service.ts';
import { authEvents } from '../schemas.ts';

export type SessionEnds = ReturnType<typeof createSessionEnds>;

type Limits = Pick<
  Config,
  'SESSION_DAYS' | 'STAFF_SESSION_HOURS' | 'PLAYER_IDLE_MINUTES' | 'STAFF_IDLE_MINUTES'
>;

/** True if the user is staff or has a role or permission. */
const holdsRights = sql<boolean>`(users.is_staff or users.roles <> '{}' or users.permissions <> '{}')`;

/**
 * Returns the end of sessions as SQL over `sessions` joined with `users`. The end is computed on every read, so that changed permissions
 * and settings take effect immediately. A session that has ended never becomes valid again.
 */
export function createSessionEnds(config: Limits) {
  const playerLife = config.SESSION_DAYS * 86_400;
  // Sessions of staff never last longer than those of players.
  const staffLife = Math.min(config.STAFF_SESSION_HOURS * 3600, playerLife);
  const playerIdle = config.PLAYER_IDLE_MINUTES * 60;
  const staffIdle = shortest(config.STAFF_IDLE_MINUTES * 60, playerIdle);

  const after = (from: RawBuilder<Date>, seconds: number) =>
    seconds === 0 ? sql`null::timestamptz` : sql`${from} + make_interval(secs => ${seconds}::float8)`;
  const isLonger = (pause: RawBuilder<unknown>, seconds: number) =>
    seconds === 0 ? sql`false` : sql`coalesce(${pause} > make_interval(secs => ${seconds}::float8), false)`;
  const created = sql<Date>`sessions.created_at`;
  const byRights = (staff: RawBuilder<unknown>, player: RawBuilder<unknown>) =>
    sql`case when ${holdsRights} then ${staff} else ${player} end`;

  /** The end of a session that had already ended under the user's previous permissions; otherwise null. */
  const wasOver = sql`case
    when ${isLonger(sql`sessions.pause_with_rights`, staffIdle)} then sessions.created_at
    when ${isLonger(sql`sessions.pause_without_rights`, playerIdle)} then sessions.created_at
    when sessions.rights_until > ${after(created, staffLife)} then ${after(created, staffLife)}
  end`;
  const atLatest = sql<Date>`least(sessions.expires_at, ${byRights(after(created, staffLife), after(created, playerLife))}, ${wasOver})`;
  const lastRequest = sql<Date>`sessions.last_request_at`;
  const end = sql<Date>`least(${atLatest}, ${byRights(after(lastRequest, staffIdle), after(lastRequest, playerIdle))})`;

  return {
    /** The latest possible end of a session. Requests do not postpone it, and tokens do not outlive it. */
    atLatest,
    /** The end of the session if no more requests are made. */
    end,
    /** True if the session has neither ended nor been revoked, and the user is not banned. Changes by a session require it. */
    isLive: sql<boolean>`(sessions.revoked_at is null and users.banned_at is null and ${end} > now())`,
    /** The minimum interval between two writes of a session's last request time. It is short enough for the shortest idle limit. */
    noteEveryMs: Math.min(60, (staffIdle || playerIdle || 600) / 10) * 1000,
    /** Number of seconds without a request after which the session ends; 0 means never. */
    idleSeconds: sql<number>`${byRights(sql`${staffIdle}::int`, sql`${playerIdle}::int`)}`,
  };
}

/** Returns the shorter of two limits; 0 means no limit. */
const shortest = (a: number, b: number) => (a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b));

/** The reason why a session has ended. Clients may show it to users. */
export type Ending =
  | ('SIGNED_OUT' | 'SIGNED_IN_AGAIN' | 'ENDED_BY_USER' | 'REFRESH_REPLAYED' | 'PASSWORD_CHANGED')
  | ('MFA_ENABLED' | 'MFA_DISABLED' | 'MFA_RESET' | 'PASSKEY_REMOVED' | 'EMAIL_CHANGED')
  | ('BANNED' | 'CLOSED_FOR_TEST');

/** Ends a session unless it has already ended. Every process and the user are notified at commit. */
export async function revokeSession(tx: Tx, sessionId: string, reason: Ending): Promise<boolean> {
  const ended = await tx
    .updateTable('sessions')
    .set({ revoked_at: sql<Date>`now()`, revoked_reason: reason })
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  if (!ended) return false;
  await notifyProcesses(tx, sessionId);
  await emitEvent(tx, {
    event: authEvents['session.revoked'],
    userId: ended.user_id,
    data: { sessionId, reason },
  });
  return true;
}

/** Ends every session of a user except one, and returns the number of ended sessions. */
export async function revokeSessions(
  tx: Tx,
  userId: number,
  reason: Ending,
  except: string | null = null,
): Promise<number> {
  const ended = await tx
    .updateTable('sessions')
    .set({ revoked_at: sql<Date>`now()`, revoked_reason: reason })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .$if(except !== null, (q) => q.where('id', '<>', except!))
    .returning('id')
    .execute();
  if (ended.length === 0) return 0;
  await announceUserChange(tx, userId);
  const about = (sessionId: string | null) => ({
    event: authEvents['session.revoked'],
    userId,
    data: { sessionId, reason },
  });
  // Null means all sessions. If one session is kept, each of the others needs a separate event.
  const named = except === null ? [null] : ended.map(({ id }) => id);
  for (let at = 0; at < named.length; at += MOST_EVENTS)
    await emitEvent(tx, ...named.slice(at, at + MOST_EVENTS).map(about));
  return ended.length;
}

const notifyProcesses = (tx: Tx, sessionId: string) =>
  sql`select pg_notify('access_changed', ${`session:${sessionId}`})`.execute(tx);

/** Locks a session until `tx` ends, so that it cannot end earlier. Throws 401 UNAUTHORIZED if it has already ended. */
export async function holdLive(tx: Tx, ends: Pick<SessionEnds, 'isLive'>, sessionId: string): Promise<void> {
  const session = await liveSessions(tx, ends)
    .select('sessions.id')
    .where('sessions.id', '=', sessionId)
    .forShare('sessions')
    .executeTakeFirst();
  if (!session) throw commonErrors.UNAUTHORIZED();
}

/** Returns true if a session was started, or confirmed with the password (password/confirm.ts), within the last `seconds`. */
export async function isJustOpened(db: DbOrTx, sessionId: string, seconds: number): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select(
      sql<number>`extract(epoch from now() - greatest(created_at, confirmed_at))::float8`.as('ageSeconds'),
    )
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row !== undefined && row.ageSeconds <= seconds;
}

/** The live sessions, joined with their users. */
export const liveSessions = (db: DbOrTx, { isLive }: Pick<SessionEnds, 'isLive'>) =>
  db.selectFrom('sessions').innerJoin('users', 'users.id', 'sessions.user_id').where(isLive);
