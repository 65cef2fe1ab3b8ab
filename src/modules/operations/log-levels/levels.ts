import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import { runLater } from '../../../platform/jobs/timers.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import { LEVELS, LOGGERS } from '../../../platform/observability/loggers.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';

/** `default` applies to log lines without a named logger. */
const NAMES = ['default', ...LOGGERS] as const;

const byName = <T extends z.ZodType>(schema: T) =>
  Object.fromEntries(NAMES.map((name) => [name, schema])) as Record<(typeof NAMES)[number], T>;

/** Loggers that are not listed use `default`. If `default` is not listed either, they use the configured level. */
const LevelChoice = z.strictObject(byName(z.enum(LEVELS).optional()));

const LoggerLevel = object('LoggerLevel', {
  level: z.object(byName(z.enum([...LEVELS, 'silent']))),
  expiresAt: Timestamp.nullable().meta({ description: 'Null if only the configured levels apply.' }),
});

export type LogLevelDeps = { db: Db; logLevels: LogLevels };

type LogLevels = ReturnType<typeof createLogLevels>;

type Levels = { level: z.output<typeof LevelChoice>; expiresAt: Date; leftMs: number };

/** The PostgreSQL channel through which every process is notified of a change. */
const CHANNEL = 'log_levels_changed';

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

/** Returns the stored levels and the time until they expire by the database clock, or undefined if they have expired. */
async function readLevels(db: DbOrTx): Promise<Levels | undefined> {
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
  // Ignores names of loggers that exist only in a newer version.
  const parsed = LevelChoice.strip().safeParse(row.levels);
  return { level: parsed.data ?? {}, expiresAt: row.expires_at, leftMs: row.leftMs };
}

export const getLogLevels = operation({
  method: 'GET',
  path: '/admin/logger',
  tag: 'Admin Core',
  access: { permission: 'logger.read' },
  summary: 'Get the current log levels',
  response: LoggerLevel,
  handler: ({ logLevels }: LogLevelDeps) => logLevels.current(),
});

const LoggerLevelChange = z.strictObject({
  level: LevelChoice,
  ttlSeconds: z.number().int().min(1).max(3600).default(900),
});

export const changeLogLevels = operation({
  method: 'PUT',
  path: '/admin/logger',
  tag: 'Admin Core',
  access: { permission: 'logger.write' },
  gate: 'none',
  summary: 'Change the log levels of all processes temporarily',
  description:
    'Replaces the previous temporary levels. Loggers that are not listed in the body use `default`, or their configured level if ' +
    '`default` is omitted. After `ttlSeconds` the configured levels apply again. An empty `level` restores the configured levels ' +
    'immediately.',
  body: LoggerLevelChange,
  response: LoggerLevel,
  handler: async ({ db, logLevels }: LogLevelDeps, { by, body }) => {
    await transaction(db, (tx) => storeLevels(tx, by, body));
    await logLevels.reload();
    return logLevels.current();
  },
});

async function storeLevels(
  tx: Tx,
  by: StaffCall,
  { level, ttlSeconds }: z.output<typeof LoggerLevelChange>,
): Promise<void> {
  const before = await readLevels(tx);
  const ttl = Object.keys(level).length === 0 ? 0 : ttlSeconds;
  const row = {
    levels: JSON.stringify(level),
    expires_at: sql<Date>`now() + make_interval(secs => ${ttl})`,
  };
  await tx
    .insertInto('log_levels')
    .values(row)
    .onConflict((conflict) => conflict.column('one').doUpdateSet(row))
    .execute();
  await sql`select pg_notify(${CHANNEL}, '')`.execute(tx);
  // The caller is checked after the write, because the write may have to wait for another change.
  await freshActor(tx, by);
  await recordAudit(tx, by, { before: before?.level ?? {}, after: level });
}
