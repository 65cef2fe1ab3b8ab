import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { createMirror } from '../../../platform/mirror.ts';

export const CHANNEL = 'countries_changed';

export type Blocked = ReturnType<typeof createBlocked>;

/** The blocked countries in memory. Nothing is known before `start`. */
export function createBlocked({
  db,
  databaseClock,
  log,
}: {
  db: Db;
  databaseClock: DatabaseClock;
  log: Log;
}) {
  let codes: ReadonlySet<string> = new Set();
  const { start, reload, close } = createMirror({
    what: 'blocked countries',
    channel: CHANNEL,
    read: async () => db.selectFrom('countries').select('code').where('is_blocked', '=', true).execute(),
    apply: (rows) => {
      codes = new Set(rows.map((row) => row.code));
    },
    databaseClock,
    log,
  });
  return { start, reload, close, has: (code: string): boolean => codes.has(code) };
}
