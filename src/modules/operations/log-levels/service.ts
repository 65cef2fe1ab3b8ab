import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/db.ts';
import type { Logs } from '../../../platform/log.ts';
import { createMirror } from '../../../platform/mirror.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { LevelChoice, type LoggerLevel, type LoggerLevelChange } from './schemas.ts';

export type LogLevels = ReturnType<typeof createLogLevels>;

type Choice = z.output<typeof LevelChoice>;
type InForce = { level: Choice; expiresAt: Date; leftMs: number };

type LogLevelDeps = { db: Db; log: Logs; databaseClock: DatabaseClock };

const CHANNEL = 'log_levels_changed';

/** Levels of the loggers, changed for a while in every process. They end by the clock, also where no notice of it is heard. */
export function createLogLevels({ db, log, databaseClock }: LogLevelDeps) {
  let inForce: InForce | undefined;
  let timer: NodeJS.Timeout | undefined;

  const apply = (found: InForce | undefined) => {
    clearTimeout(timer);
    inForce = found;
    log.setLevels(found?.level ?? {});
    if (found) timer = setTimeout(() => apply(undefined), Math.max(0, found.leftMs)).unref();
  };
  const mirror = createMirror({
    what: 'log levels',
    channel: CHANNEL,
    read: () => readLevels(db),
    apply,
    databaseClock,
    log,
  });
  const show = (): z.input<typeof LoggerLevel> => ({
    level: log.levels(),
    ...(inForce ? { expiresAt: iso(inForce.expiresAt) } : {}),
  });
  return {
    start: mirror.start,
    async close() {
      clearTimeout(timer);
      await mirror.close();
    },

    /** What is in force in this process. */
    show,

    /** Replaces the levels that are in force for a while; `{}` ends them now. */
    async change(by: StaffCall, change: z.output<typeof LoggerLevelChange>) {
      await transaction(db, (tx) => storeLevels(tx, by, change));
      await mirror.reload();
      return show();
    },
  };
}

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
  // After the row, which changes of levels wait for.
  await freshActor(tx, by);
  await recordAudit(tx, by, { before: before?.level ?? {}, after: level });
}

/** What has not expired, and for how long it holds by the clock of the database. */
async function readLevels(db: DbOrTx): Promise<InForce | undefined> {
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
  // A newer version may know loggers that this one does not: they are left out.
  const known = LevelChoice.strip().safeParse(row.levels);
  return { level: known.data ?? {}, expiresAt: row.expires_at, leftMs: row.leftMs };
}
