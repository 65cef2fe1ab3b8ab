import type { z } from 'zod';
import type { Availability } from '../../../platform/availability.ts';
import { iso } from '../../../platform/clock.ts';
import { readCommit } from '../../../platform/commit.ts';
import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import { unsafeSettings } from '../../../platform/durability.ts';
import type { Log } from '../../../platform/log.ts';
import { isMigrated } from '../../../platform/migrate.ts';
import { VERSION } from '../../../platform/version.ts';
import type { HealthResult } from './schemas.ts';

export type Core = ReturnType<typeof createCore>;
type Health = z.output<typeof HealthResult>;
/** `degraded`: reported as an error, but the process goes on taking requests: no other one would serve them better. */
type Component = { status: 'up' | 'down' | 'degraded'; [fact: string]: unknown };

type CoreDeps = {
  db: Db;
  config: Config;
  databaseClock: Pick<DatabaseClock, 'isUp' | 'lastBeatMs' | 'onGap'>;
  availability: Pick<Availability, 'isCommitting' | 'lastCommitMs' | 'isBehind' | 'refusal'>;
  log: Log;
};

/**
 * Health of the process. It needs nothing of the pool and answers in time, also when the database does not: whether that answers is felt by a
 * connection of its own, whether it commits by a small write, of which there is one a second at most.
 */
export function createCore(deps: CoreDeps) {
  const { db, config } = deps;
  const commit = config.COMMIT ?? readCommit();
  const { answers, commits, primary, settings } = createDatabaseReports(deps);
  let shuttingDown = false;
  let migrated: boolean | undefined;
  type Report = { report: () => Component; isForReady: boolean };
  const reports = new Map<string, Report>();
  const reported = (which: (report: Report) => boolean = () => true) =>
    Object.fromEntries(
      [...reports].filter(([, r]) => which(r)).map(([name, { report }]) => [name, report()]),
    );
  const database = async () => ({ database: answers(), commits: await commits(), primary: primary() });
  return {
    /** Adds a component to the health of this process, and where said to what tells whether it is ready. */
    report: (name: string, report: () => Component, { isForReady = false } = {}): void =>
      void reports.set(name, { report, isForReady }),
    /** Reads what does not change while the process runs, or with the server alone. */
    async start(): Promise<void> {
      migrated = await isMigrated(db);
      await settings.start();
    },
    startShutdown: () => {
      shuttingDown = true;
    },
    isStopping: () => shuttingDown,
    health: async () =>
      result({ ...(await database()), durability: settings.report(), ...reported() }, shuttingDown),
    ready: async () =>
      result(
        {
          ...(await database()),
          ...(config.DATABASE_REPLICATION === 'required' ? { durability: settings.report() } : {}),
          queue: answers(),
          migrations: { status: migrated === true ? 'up' : 'down' },
          ...reported(({ isForReady }) => isForReady),
        },
        shuttingDown,
      ),
    version: () => ({ version: VERSION, commit, time: iso(new Date()) }),
  };
}

function createDatabaseReports({ db, config, databaseClock, availability, log }: CoreDeps) {
  let unsafe: string[] = [];
  const look = async () => {
    const found = await unsafeSettings(db, config);
    if (found.length > 0 && unsafe.length === 0)
      log.error({ problems: found }, 'the database could lose what it acknowledges');
    unsafe = found;
  };
  return {
    answers: (): Component => ({
      status: databaseClock.isUp() ? 'up' : 'down',
      beatMs: Math.round(databaseClock.lastBeatMs()),
    }),
    commits: async (): Promise<Component> => ({
      status: (await availability.isCommitting()) ? 'up' : 'down',
      commitMs: Math.round(availability.lastCommitMs()),
    }),
    primary(): Component {
      const problem = availability.refusal();
      if (problem !== undefined) return { status: 'down', problem };
      return availability.isBehind()
        ? { status: 'degraded', problem: 'it has come back without what it had acknowledged' }
        : { status: 'up' };
    },
    settings: {
      async start(): Promise<void> {
        await look();
        // It may be another server than before, with settings of its own.
        databaseClock.onGap(() => void look().catch(() => undefined));
      },
      report: (): Component =>
        unsafe.length === 0 ? { status: 'up' } : { status: 'down', problems: unsafe },
    },
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
