import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createPartApp, type PartName } from './apps.ts';
import { type Config, ConfigError, loadConfig } from './platform/config.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { createLog, type Log } from './platform/log.ts';
import { createServices, type Services } from './services.ts';
import { startWorker } from './worker.ts';

/** The configuration of this process, or an exit with what is wrong with it. */
export function readConfig(): Config {
  try {
    return loadConfig(process.env, localSecret);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

/** A secret for development, made once and kept beside the data: what it signed stays valid after a restart. */
function localSecret(name: string, dataDir: string): string {
  const file = join(resolve(dataDir), 'secrets', name);
  mkdirSync(join(resolve(dataDir), 'secrets'), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8');
}

export type Database = { url: string; stop: () => Promise<void> };

/** DATABASE_URL, or the embedded PostgreSQL: started, or joined when another part has started it. */
export async function openDatabase(config: Config, say: (line: string) => void): Promise<Database> {
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, stop: async () => {} };
  const postgres = await startEmbeddedPostgres({ dataDir: resolve(config.DATA_DIR, 'postgres'), log: say });
  return { url: postgres.url, stop: postgres.stop };
}

const PORTS = {
  api: 'PORT',
  backoffice: 'BACKOFFICE_PORT',
  realtime: 'REALTIME_PORT',
  worker: 'WORKER_PORT',
} as const;

/** Starts one part; resolves once it listens. */
export async function startPart(name: PartName, config: Config, log: Log, databaseUrl: string) {
  const services: Services = await createServices({ config, log, name, databaseUrl });
  const app = await createPartApp(name, services);
  const jobs = name === 'worker' ? startWorker(services) : undefined;
  const url = await app.listen({ port: config[PORTS[name]], host: config.HOST });
  log.info({ url }, 'listening');
  return {
    url,
    /** Answers what is in flight, finishes bets and jobs, lets go of the database. */
    async stop() {
      services.core.startShutdown();
      await app.close();
      await jobs?.close();
      await services.close();
    },
  };
}

/** Runs `stop` once on SIGTERM, SIGINT or when the parent is gone, then exits: 0 when all was finished in time. */
export function exitWith(stop: () => Promise<void>, config: Config, log: Log): void {
  let stopping = false;
  const exit = (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error({}, 'not everything finished in time');
      process.exit(1);
    }, config.SHUTDOWN_MS).unref();
    stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ error: String(error) }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => exit('SIGTERM'));
  process.on('SIGINT', () => exit('SIGINT'));
  process.on('disconnect', () => exit('the parent process is gone'));
}

export const createPartLog = (name: string, config: Config): Log =>
  createLog({ level: config.LOG_LEVEL, service: name });
