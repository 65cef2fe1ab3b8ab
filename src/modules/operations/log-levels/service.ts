import { sql } from 'kysely';
import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db, DbOrTx } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import { runLater } from '../../../platform/jobs/timers.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import { LEVELS, LOGGERS } from '../../../platform/observability/loggers.ts';

/** `default` applies to log lines without a named logger. */
const NAMES = ['default', ...LOGGERS] as const;

const byName = <T extends z.ZodType>(schema: T) =>
  Object.fromEntries(NAMES.map((name) => [name, schema])) as Record<(typeof NAMES)[number], T>;

/** Loggers that are missing here use `default`. If `default` is missing too, they use the configured level. */
export const LevelChoice = z.strictObject(byName(z.enum(LEVELS).optional()));

export const LoggerLevel = object('LoggerLevel', {
  level: z.object(byName(z.enum([...LEVELS, 'silent']))),
  expiresAt: Timestamp.nullable().meta({ description: 'Null if only the configured levels apply.' }),
});

export type LogLevelDeps = { db: Db; logLevels: LogLevels };

type LogLevels = ReturnType<typeof createLogLevels>;

type Levels = { level: z.output<typeof LevelChoice>; expiresAt: Date; leftMs: number };

/** PostgreSQL channel that notifies every process of a change. */
export const CHANNEL = 'log_levels_changed';

/** Applies the temporary log levels to this process. A timer ends them, so that they expire even without a notification. */
export function createLogLevels({
  db,
  log,
  databaseClock,
}: {
  db: Db;
  log: Logs;
  databaseClock: DatabaseClock;
}) {
  let temporary: Levels | undefined;
  let cancel = () => {};

  const apply = (levels: Levels | undefined) => {
    cancel();
    temporary = levels;
    log.setLevels(levels?.level ?? {});
    if (levels) cancel = runLater(levels.leftMs, () => apply(undefined));
  };
  const mirror = createMirror({
    what: 'log levels',
    channel: CHANNEL,
    read: () => readLevels(db),
    apply,
    databaseClock,
    log,
  });
  return {
    start: mirror.start,
    reload: mirror.reload,
    async close() {
      cancel();
      await mirror.close();
    },
    /** The current levels of this process. */
    current: (): z.input<typeof LoggerLevel> => ({
      level: log.levels(),
      expiresAt: temporary ? iso(temporary.expiresAt) : null,
    }),
  };
}

/** Returns the stored levels and their remaining time by the database clock; undefined if they have expired. */
export async function readLevels(db: DbOrTx): Promise<Levels | undefined> {
  const row = await db
    .selectFrom('log_levels')
    .select([
      'levels',
      'expires_at',
      sql<number>`(extract(epoch from expires_at - clock_timestamp()) * 1000)::float8`.as('leftMs'),
    ])
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  if (!row) return undefined;
  // Ignores loggers that exist only in a newer version.
  const parsed = LevelChoice.strip().safeParse(row.levels);
  return { level: parsed.data ?? {}, expiresAt: row.expires_at, leftMs: row.leftMs };
}
