import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../platform/config/config.ts';
import type { Logs } from '../platform/observability/log.ts';
import { createPartApp, type PartName } from './apps.ts';
import { warnOfPages } from './built-pages.ts';
import { createServices, type Services } from './services.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const PORTS = {
  api: 'PORT',
  backoffice: 'BACKOFFICE_PORT',
  realtime: 'REALTIME_PORT',
  worker: 'WORKER_PORT',
} as const;

/** Time after which a stopping part closes all connections, even if a request is still arriving. */
const ARRIVING_MS = 4000;

export type Part = { url: string; stop: () => Promise<void> };

/**
 * Loads one part, without modules that only other parts need. Returns a function that starts the part and resolves once the part listens.
 */
export async function loadPart(name: PartName) {
  const [sockets, worker] = await Promise.all([
    name === 'realtime' ? import('./sockets.ts') : undefined,
    name === 'worker' ? import('./worker.ts') : undefined,
  ]);
  const own = { startSockets: sockets?.startSockets, startWorker: worker?.startWorker };
  return (config: Config, log: Logs, databaseUrl: string): Promise<Part> =>
    startPart({ name, config, log, databaseUrl, ...own });
}

type Start = {
  name: PartName;
  config: Config;
  log: Logs;
  databaseUrl: string;
  startSockets: typeof import('./sockets.ts').startSockets | undefined;
  startWorker: typeof import('./worker.ts').startWorker | undefined;
};

async function startPart({
  name,
  config,
  log,
  databaseUrl,
  startSockets,
  startWorker,
}: Start): Promise<Part> {
  const services: Services = await createServices({ config, log, name, databaseUrl });
  const app = await createPartApp(name, services);
  const sockets = await startSockets?.(services, app.server);
  const silent = watchSilent(app.server);
  const url = await listen(app, config, PORTS[name]).catch(async (error: unknown) => {
    await sockets?.close();
    await services.close();
    throw error;
  });
  const jobs = startWorker?.(services, databaseUrl);
  log.info({ url }, 'listening');
  // This check runs after startup, because hashing the sources would delay startup.
  if (name === 'api') warnOfPages(ROOT, log);
  return {
    url,
    /**
     * Stops the part. Waits SHUTDOWN_DRAIN_MS so that load balancers can move their traffic, lets running requests, bets and jobs finish,
     * then releases the database.
     */
    async stop() {
      services.core.startShutdown();
      // A worker does not have to wait, because no load balancer sends traffic to it.
      if (!jobs) await sleep(config.SHUTDOWN_DRAIN_MS);
      const closed = app.close();
      silent.end();
      setTimeout(() => app.server.closeAllConnections(), ARRIVING_MS).unref();
      // The listener is closed, so disconnected clients reconnect to another process.
      await sockets?.close();
      await closed;
      await jobs?.close();
      await services.close();
    },
  };
}

type App = Awaited<ReturnType<typeof createPartApp>>;

/** Listens on the configured port. If the port is in use, the error names the setting to change. */
async function listen(app: App, config: Config, setting: (typeof PORTS)[PartName]): Promise<string> {
  const port = config[setting];
  try {
    return await app.listen({ port, host: config.HOST });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} is in use: stop the program that listens on it, or set ${setting}`);
  }
}

/**
 * Tracks connections that have never sent a request. Browsers and load balancers open such connections in advance. Node's server.close()
 * does not close them: it closes only connections that wait for their next request.
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
