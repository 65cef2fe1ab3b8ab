import { type RawBuilder, sql } from 'kysely';
import type { Config } from '../../../platform/config.ts';

export type SessionEnds = ReturnType<typeof createSessionEnds>;

type Limits = Pick<
  Config,
  'SESSION_DAYS' | 'STAFF_SESSION_HOURS' | 'PLAYER_IDLE_MINUTES' | 'STAFF_IDLE_MINUTES'
>;

/** Whether the user has any rights: is staff, or has a role or permission. */
const holdsRights = sql<boolean>`(users.is_staff or users.roles <> '{}' or users.permissions <> '{}')`;

/**
 * When sessions end, as SQL over `sessions` joined with `users`: computed on every read, so that rights that are gained or lost, and
 * changed settings, take effect immediately. A session that has ended never comes back.
 */
export function createSessionEnds(config: Limits) {
  const playerLife = config.SESSION_DAYS * 86_400;
  // Sessions with rights never last longer than those of players.
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

  /** When the session ended under rights that its user had before, if it did. */
  const wasOver = sql`case
    when ${isLonger(sql`sessions.pause_with_rights`, staffIdle)} then sessions.created_at
    when ${isLonger(sql`sessions.pause_without_rights`, playerIdle)} then sessions.created_at
    when sessions.rights_until > ${after(created, staffLife)} then ${after(created, staffLife)}
  end`;
  const atLatest = sql<Date>`least(sessions.expires_at, ${byRights(after(created, staffLife), after(created, playerLife))}, ${wasOver})`;
  const lastRequest = sql<Date>`sessions.last_request_at`;
  const end = sql<Date>`least(${atLatest}, ${byRights(after(lastRequest, staffIdle), after(lastRequest, playerIdle))})`;

  return {
    /** The end that no request postpones: tokens do not outlive it. */
    atLatest,
    /** The end if the session makes no more requests. */
    end,
    isAlive: sql<boolean>`(${end} > now())`,
    /** How often a last request is recorded at most: often enough for the shortest idle time. */
    noteEveryMs: Math.min(60, (staffIdle || playerIdle || 600) / 10) * 1000,
    /** Seconds without a request after which the session ends; 0: never. */
    idleSeconds: sql<number>`${byRights(sql`${staffIdle}::int`, sql`${playerIdle}::int`)}`,
  };
}

/** The shorter one; 0 is none. */
const shortest = (a: number, b: number) => (a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b));
