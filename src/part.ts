import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPartApp, type PartName } from './apps.ts';
import type { Config } from './platform/config.ts';
import type { Logs } from './platform/log.ts';
import { createServices, type Services } from './services.ts';

const PORTS = {
  api: 'PORT',
  backoffice: 'BACKOFFICE_PORT',
  realtime: 'REALTIME_PORT',
  worker: 'WORKER_PORT',
} as const;

/** How long requests that are still arriving may take once a part is stopping. */
const ARRIVING_MS = 4000;

export type Part = { url: string; stop: () => Promise<void> };

/** Loads one part, and nothing that belongs to another alone; answers how it is started, which resolves once it listens. */
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
  return {
    url,
    /** Lets load balancers turn away, answers what is in flight, finishes bets and jobs, lets go of the database. */
    async stop() {
      services.core.startShutdown();
      // Nobody is sent to a worker.
      if (!jobs) await sleep(config.SHUTDOWN_DRAIN_MS);
      const closed = app.close();
      silent.end();
      setTimeout(() => app.server.closeAllConnections(), ARRIVING_MS).unref();
      // Nobody can come any more: whoever is sent away now goes elsewhere.
      await sockets?.close();
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
