import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createPartApp, type PartName } from './apps.ts';
import { type Config, ConfigError, loadConfig } from './platform/config.ts';
import { isUsed } from './platform/db.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { createLog, type Log, type Logs } from './platform/log.ts';
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
  const folder = join(resolve(dataDir), 'secrets');
  const file = join(folder, name);
  // The folder above stays open: the user that PostgreSQL runs as passes through it to its data.
  mkdirSync(resolve(dataDir), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8');
}

export type Database = { url: string; stop: () => Promise<void> };

/**
 * DATABASE_URL, or the embedded PostgreSQL: started, or joined when another part has started it. Whoever leaves last
 * stops it.
 */
export async function openDatabase(config: Config, say: (line: string) => void): Promise<Database> {
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, stop: async () => {} };
  const postgres = await startEmbeddedPostgres({ dataDir: resolve(config.DATA_DIR, 'postgres'), log: say });
  const stop = async () => {
    if (!(await isUsed(postgres.url, 'croupier'))) await postgres.stop();
  };
  return { url: postgres.url, stop };
}

const PORTS = {
  api: 'PORT',
  backoffice: 'BACKOFFICE_PORT',
  realtime: 'REALTIME_PORT',
  worker: 'WORKER_PORT',
} as const;

/** How long requests that are still arriving may take once a part is stopping. */
const ARRIVING_MS = 4000;

/** Starts one part; resolves once it listens. */
export async function startPart(name: PartName, config: Config, log: Logs, databaseUrl: string) {
  const services: Services = await createServices({ config, log, name, databaseUrl });
  const app = await createPartApp(name, services);
  const silent = watchSilent(app.server);
  const url = await listen(app, config, PORTS[name]).catch(async (error: unknown) => {
    await services.close();
    throw error;
  });
  const jobs = name === 'worker' ? startWorker(services, databaseUrl) : undefined;
  log.info({ url }, 'listening');
  return {
    url,
    /** Answers what is in flight, finishes bets and jobs, lets go of the database. */
    async stop() {
      services.core.startShutdown();
      const closed = app.close();
      silent.end();
      setTimeout(() => app.server.closeAllConnections(), ARRIVING_MS).unref();
      await closed;
      await jobs?.close();
      await services.close();
    },
  };
}

type App = Awaited<ReturnType<typeof createPartApp>>;

/** Tells which setting to change when the port is taken. */
async function listen(app: App, config: Config, setting: (typeof PORTS)[PartName]): Promise<string> {
  const port = config[setting];
  try {
    return await app.listen({ port, host: config.HOST });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} is taken: stop what listens there, or set ${setting}`);
  }
}

/**
 * A server that closes lets go of connections that wait for their next request, not of those that never sent a first
 * one: browsers and load balancers keep such in store.
 */
function watchSilent(server: Server) {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    end() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}

/**
 * Runs `stop` once on SIGTERM, SIGINT, when the parent is gone or when the returned function is called; then exits: 0 when
 * all was finished in time and nothing had failed.
 */
export function exitWith(stop: () => Promise<void>, config: Config, log: Log) {
  let stopping = false;
  const exit = (reason: string, code = 0) => {
    if (stopping) return;
    stopping = true;
    if (code === 0) log.info({ reason }, 'stopping');
    else console.error(`${reason}; stopping`);
    setTimeout(() => {
      log.error({}, 'not everything finished in time');
      process.exit(1);
    }, config.SHUTDOWN_MS).unref();
    stop().then(
      () => process.exit(code),
      (error) => {
        log.error({ error: String(error) }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => exit('SIGTERM'));
  process.on('SIGINT', () => exit('SIGINT'));
  process.on('disconnect', () => exit('the parent process is gone'));
  return exit;
}

export const createPartLog = (name: string, config: Config): Logs =>
  createLog({ level: config.LOG_LEVEL, service: name });
