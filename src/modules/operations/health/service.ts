import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { readCommit } from '../../../platform/commit.ts';
import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import { unsafeSettings } from '../../../platform/durability.ts';
import { isMigrated } from '../../../platform/migrate.ts';
import { VERSION } from '../../../platform/version.ts';
import type { HealthResult } from './schemas.ts';

export type Core = ReturnType<typeof createCore>;
type Health = z.output<typeof HealthResult>;
/** `degraded`: reported as an error, but the process goes on taking requests: no other one would serve them better. */
type Component = { status: 'up' | 'down' | 'degraded'; [fact: string]: unknown };

type CoreDeps = { db: Db; config: Config; databaseClock: DatabaseClock };

/** Health of the process: read from memory, so that it answers also when the database or its pool does not. */
export function createCore({ db, config, databaseClock }: CoreDeps) {
  const commit = config.COMMIT ?? readCommit();
  let shuttingDown = false;
  let migrated: boolean | undefined;
  let unsafe: string[] = [];
  const look = async () => {
    migrated = await isMigrated(db);
    unsafe = await unsafeSettings(db);
  };
  const database = (): Component => ({
    status: databaseClock.isUp() ? 'up' : 'down',
    beatMs: Math.round(databaseClock.lastBeatMs()),
  });
  const durability = (): Component =>
    unsafe.length === 0 || config.ALLOW_UNSAFE_DATABASE ? { status: 'up' } : { status: 'down', off: unsafe };
  type Report = { report: () => Component; isForReady: boolean };
  const reports = new Map<string, Report>();
  const reported = (which: (report: Report) => boolean = () => true) =>
    Object.fromEntries(
      [...reports].filter(([, r]) => which(r)).map(([name, { report }]) => [name, report()]),
    );
  return {
    /** Adds a component to the health of this process, and where said to what tells whether it is ready. */
    report: (name: string, report: () => Component, { isForReady = false } = {}): void =>
      void reports.set(name, { report, isForReady }),
    /** Reads once what does not change while the process runs. */
    start: look,
    startShutdown: () => {
      shuttingDown = true;
    },
    isStopping: () => shuttingDown,
    health: () => result({ database: database(), durability: durability(), ...reported() }, shuttingDown),
    ready: () =>
      result(
        {
          database: database(),
          queue: database(),
          migrations: { status: migrated === true ? 'up' : 'down' },
          ...reported(({ isForReady }) => isForReady),
        },
        shuttingDown,
      ),
    version: () => ({ version: VERSION, commit, time: iso(new Date()) }),
  };
}

function result(details: Record<string, Component>, shuttingDown: boolean): { status: number; body: Health } {
  const part = (isIn: (status: Component['status']) => boolean) =>
    Object.fromEntries(Object.entries(details).filter(([, component]) => isIn(component.status)));
  const isDown = Object.values(details).some(({ status }) => status === 'down');
  const isUp = !isDown && !shuttingDown;
  const status = shuttingDown ? 'shutting_down' : isUp ? 'ok' : 'error';
  return {
    status: isUp ? 200 : 503,
    body: { status, info: part((s) => s === 'up'), error: part((s) => s !== 'up'), details },
  };
}
