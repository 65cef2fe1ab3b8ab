import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { CHANNEL, LevelChoice, LoggerLevel, type LogLevelDeps, readLevels } from './service.ts';

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
    'Replaces the previous temporary levels. Loggers that the body does not name use `default`. Without `default` they use the ' +
    'configured level. After `ttlSeconds` the configured levels apply again. An empty `level` restores them immediately.',
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
  // The check comes after the write, because the write may have to wait for another change.
  await freshActor(tx, by);
  await recordAudit(tx, by, { before: before?.level ?? {}, after: level });
}
