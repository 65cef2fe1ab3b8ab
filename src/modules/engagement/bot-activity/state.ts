import { sql } from 'kysely';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { createMirror } from '../../../platform/mirror.ts';
import { type ActivityRow, readActive } from './queries.ts';
import { isPlaying } from './rules.ts';

export type ActivityState = ReturnType<typeof createActivityState>;

/** Notified at commit when an activity, or who is a bot, has changed. */
export const CHANGED = 'bot_activities_changed';
/** Notified while somebody looks at the live feed and there is something to make for it. */
const WATCHED = 'live_bets_watched';
/** How often that is said, and how long it counts. */
const SAY_MS = 10_000;
const COUNTS_MS = 25_000;

/** The active activities in memory, and whether anybody looks. All of it costs nothing while there are none. */
export function createActivityState({
  db,
  databaseClock,
  log,
}: {
  db: Db;
  databaseClock: DatabaseClock;
  log: Log;
}) {
  let active: readonly ActivityRow[] = [];
  let [heardAt, saidAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const mirror = createMirror({
    what: 'activities of bots',
    channel: CHANGED,
    read: () => readActive(db),
    apply: (read) => {
      active = read;
    },
    databaseClock,
    log,
  });
  const playing = (): readonly ActivityRow[] => {
    if (active.length === 0) return active;
    const now = new Date(databaseClock.now());
    return active.filter(({ behavior, play_days: playDays, start_minute: startMinute }) =>
      isPlaying({ behavior, playDays, startMinute }, now),
    );
  };
  return {
    start: () =>
      Promise.all([
        mirror.start(),
        databaseClock.onNotice(WATCHED, () => {
          heardAt = performance.now();
        }),
      ]),
    close: mirror.close,
    reload: mirror.reload,
    hasActive: () => active.length > 0,
    /** Activities whose time it is. */
    playing,
    isWatched: () => performance.now() - heardAt < COUNTS_MS,

    /** Tells the worker that somebody looks, where that makes it do something. */
    async sayWatched(): Promise<void> {
      const now = performance.now();
      if (now - saidAt < SAY_MS || playing().length === 0) return;
      saidAt = now;
      await sql`select pg_notify(${WATCHED}, '')`.execute(db);
    },
  };
}
