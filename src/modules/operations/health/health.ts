import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { readCommit } from '../../../platform/commit.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Availability } from '../../../platform/database/availability.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { unsafeSettings } from '../../../platform/database/durability.ts';
import { isMigrated } from '../../../platform/database/schema/migrate.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { VERSION } from '../../../platform/version.ts';

const Components = z.record(z.string(), z.unknown());

/**
 * `info` contains the components that are up, `error` those that are down or degraded, and `details` all of them. A degraded component does
 * not change the overall status.
 */
const HealthResult = object('HealthResult', {
  status: z.enum(['ok', 'error', 'shutting_down']),
  info: Components.nullable().optional(),
  error: Components.nullable().optional(),
  details: Components.nullable().optional(),
});
export type HealthResult = z.output<typeof HealthResult>;

export type HealthDeps = { core: Core; config: Config; log: Log };

type Core = ReturnType<typeof createCore>;
/**
 * A `degraded` component is reported as an error, but the process continues to serve requests, because the component would be degraded in
 * other processes too.
 */
type Component = { status: 'up' | 'down' | 'degraded'; [fact: string]: unknown };

export type CoreDeps = {
  db: Db;
  config: Config;
  databaseClock: Pick<DatabaseClock, 'isUp' | 'lastBeatMs' | 'onGap'>;
  availability: Pick<Availability, 'isCommitting' | 'lastCommitMs' | 'isBehind' | 'refusal'>;
  log: Log;
};

/**
 * Reports the health of the process. It does not use the connection pool, so it responds in time even if the database does not. A separate
 * connection is used to test whether the database responds. A small write, at most once a second, tests whether it commits.
 */
export function createCore(deps: CoreDeps) {
  const { db, config } = deps;
  const commit = config.COMMIT ?? readCommit();
  const { connection, commits, primary, settings } = createDatabaseReports(deps);
  let shuttingDown = false;
  let migrated: boolean | undefined;
  type Report = { report: () => Component; isForReady: boolean };
  const reports = new Map<string, Report>();
  const otherComponents = (isIncluded: (report: Report) => boolean = () => true) =>
    Object.fromEntries(
      [...reports].filter(([, r]) => isIncluded(r)).map(([name, { report }]) => [name, report()]),
    );
  const database = async () => ({ database: connection(), commits: await commits(), primary: primary() });
  return {
    /** Adds a component to the health of this process. If `isForReady`, the component also affects the readiness of the process. */
    report: (name: string, report: () => Component, { isForReady = false } = {}): void =>
      void reports.set(name, { report, isForReady }),
    /** Reads facts that change only when the process or the database server restarts. */
    async start(): Promise<void> {
      migrated = await isMigrated(db);
      await settings.start();
    },
    startShutdown: () => {
      shuttingDown = true;
    },
    isStopping: () => shuttingDown,
    health: async () =>
      result({ ...(await database()), durability: settings.report(), ...otherComponents() }, shuttingDown),
    ready: async () =>
      result(
        {
          ...(await database()),
          ...(config.DATABASE_REPLICATION === 'required' ? { durability: settings.report() } : {}),
          queue: connection(),
          migrations: { status: migrated === true ? 'up' : 'down' },
          ...otherComponents(({ isForReady }) => isForReady),
        },
        shuttingDown,
      ),
    version: () => ({ version: VERSION, commit, time: iso(new Date()) }),
  };
}

function createDatabaseReports({ db, config, databaseClock, availability, log }: CoreDeps) {
  let unsafe: string[] = [];
  const checkSettings = async () => {
    const found = await unsafeSettings(db, config);
    if (found.length > 0 && unsafe.length === 0)
      log.error({ problems: found }, 'unsafe database settings: acknowledged commits could be lost');
    unsafe = found;
  };
  return {
    connection: (): Component => ({
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
        ? { status: 'degraded', problem: 'the database has lost acknowledged commits' }
        : { status: 'up' };
    },
    settings: {
      async start(): Promise<void> {
        await checkSettings();
        // After an interruption of the connection, a different server with different settings may respond.
        databaseClock.onGap(() => void checkSettings().catch(() => undefined));
      },
      report: (): Component =>
        unsafe.length === 0 ? { status: 'up' } : { status: 'down', problems: unsafe },
    },
  };
}

function result(
  details: Record<string, Component>,
  shuttingDown: boolean,
): { status: number; body: HealthResult } {
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

const shared = { method: 'GET', tag: 'Core', access: 'anonymous' } as const;

export const getHealth = operation({
  ...shared,
  path: '/health',
  summary: 'Get the health of the service',
  otherStatuses: [503],
  response: HealthResult,
  handler: async ({ core }: HealthDeps, { setStatus }) => {
    const { status, body } = await core.health();
    setStatus(status);
    return body;
  },
});

export const getLiveness = operation({
  ...shared,
  path: '/health/live',
  summary: 'Check that the process responds',
  response: z.object({ status: z.string() }),
  handler: () => ({ status: 'ok' }),
});

export const getReadiness = operation({
  ...shared,
  path: '/health/ready',
  summary: 'Check that the service can accept requests',
  description:
    'Returns 200 if the database responds and can commit, the queue works, and all migrations are applied.',
  otherStatuses: [503],
  response: HealthResult,
  handler: async ({ core }: HealthDeps, { setStatus }) => {
    const { status, body } = await core.ready();
    setStatus(status);
    return body;
  },
});

export const getVersion = operation({
  ...shared,
  path: '/version',
  summary: 'Get the deployed version',
  response: object('VersionInfo', { version: z.string(), commit: z.string(), time: Timestamp }),
  handler: ({ core }: HealthDeps) => core.version(),
});
