import type { z } from 'zod';
import { iso } from '../../platform/clock.ts';
import { readCommit } from '../../platform/commit.ts';
import type { Config } from '../../platform/config.ts';
import type { Db } from '../../platform/db.ts';
import { unsafeSettings } from '../../platform/durability.ts';
import { isMigrated } from '../../platform/migrate.ts';
import type { Pulse } from '../../platform/pulse.ts';
import { VERSION } from '../../platform/version.ts';
import type { HealthResult } from './schemas.ts';

export type Core = ReturnType<typeof createCore>;
type Health = z.output<typeof HealthResult>;
type Component = { status: 'up' | 'down'; [fact: string]: unknown };

/** Health of the process: read from memory, so that it answers also when the database or its pool does not. */
export function createCore({ db, config, pulse }: { db: Db; config: Config; pulse: Pulse }) {
  const commit = config.COMMIT ?? readCommit();
  let shuttingDown = false;
  let migrated: boolean | undefined;
  let unsafe: string[] = [];
  const look = async () => {
    migrated = await isMigrated(db);
    unsafe = await unsafeSettings(db);
  };
  const database = (): Component => ({
    status: pulse.isUp() ? 'up' : 'down',
    beatMs: Math.round(pulse.lastBeatMs()),
  });
  const durability = (): Component =>
    unsafe.length === 0 || config.ALLOW_UNSAFE_DATABASE ? { status: 'up' } : { status: 'down', off: unsafe };
  const reports = new Map<string, () => Component>();
  const reported = () => Object.fromEntries([...reports].map(([name, report]) => [name, report()]));
  return {
    /** Adds a component to the health of this process. */
    report: (name: string, report: () => Component): void => void reports.set(name, report),
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
        },
        shuttingDown,
      ),
    version: () => ({ version: VERSION, commit, time: iso(new Date()) }),
  };
}

function result(details: Record<string, Component>, shuttingDown: boolean): { status: number; body: Health } {
  const part = (status: Component['status']) =>
    Object.fromEntries(Object.entries(details).filter(([, component]) => component.status === status));
  const error = part('down');
  const isUp = Object.keys(error).length === 0 && !shuttingDown;
  const status = shuttingDown ? 'shutting_down' : isUp ? 'ok' : 'error';
  return { status: isUp ? 200 : 503, body: { status, info: part('up'), error, details } };
}
