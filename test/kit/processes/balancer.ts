import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../../crash/client.ts';

export type Balancer = {
  url: string;
  /** Addresses of the backends that currently get new connections. */
  serving(): string[];
  close(): Promise<void>;
};

const PROBE_MS = 100;
const PROBE_TIMEOUT_MS = 1000;
const CONNECT_TIMEOUT_MS = 1000;
/** Number of consecutive probes without a response after which a backend is considered dead. */
const SILENT_PROBES = 2;

type State = { isServing: boolean; silent: number; open: Set<Socket> };

/**
 * Distributes TCP connections round-robin over backends whose /health/ready returns 200. A backend that returns 503 gets no new connections
 * but keeps its existing ones. A backend that misses two consecutive probes loses its connections, as with common load balancers.
 */
export async function startBalancer(backends: () => readonly string[]): Promise<Balancer> {
  const states = new Map<string, State>();
  const clients = new Set<Socket>();
  let turn = 0;
  let isClosed = false;

  const stateOf = (url: string): State => {
    const state = states.get(url) ?? { isServing: false, silent: 0, open: new Set() };
    states.set(url, state);
    return state;
  };
  const probe = async (url: string): Promise<void> => {
    const state = stateOf(url);
    const status = await call('GET', `${url}/health/ready`, { timeoutMs: PROBE_TIMEOUT_MS }).then(
      (reply) => reply.status,
      () => undefined,
    );
    state.isServing = status === 200;
    state.silent = status === undefined ? state.silent + 1 : 0;
    if (state.silent >= SILENT_PROBES) for (const socket of state.open) socket.destroy();
  };
  const serving = () => backends().filter((url) => states.get(url)?.isServing);

  /**
   * Connects to one of the ready backends, trying each once. If none is ready, tries all backends, because a refused connection is more
   * useful than no response.
   */
  const reach = async (): Promise<Socket | undefined> => {
    const all = serving().length > 0 ? serving() : backends();
    const first = turn++;
    for (const i of all.keys()) {
      const url = all[(first + i) % all.length]!;
      const socket = await connected(url);
      if (!socket) continue;
      const { open } = stateOf(url);
      open.add(socket);
      return socket.once('close', () => open.delete(socket));
    }
    return undefined;
  };

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, async (client) => {
    clients.add(client);
    client.on('error', ignore).once('close', () => clients.delete(client));
    const upstream = await reach();
    if (!upstream || client.destroyed) {
      upstream?.destroy();
      return void client.resetAndDestroy();
    }
    join(client, upstream);
    join(upstream, client);
    client.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await Promise.all(backends().map(probe));
  const probing = (async () => {
    for (; !isClosed; await sleep(PROBE_MS)) await Promise.all(backends().map(probe));
  })();

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serving,
    async close() {
      isClosed = true;
      server.close();
      for (const socket of clients) socket.destroy();
      await probing;
    },
  };
}

async function connected(url: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', ignore);
  const isConnected = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    sleep(CONNECT_TIMEOUT_MS, false, { ref: false }),
  ]);
  if (isConnected) return socket;
  socket.destroy();
  return undefined;
}

/** Pipes data from one socket to the other. Closes the second socket in the same way as the first one was closed. */
function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.once('close', () => {
    if (from.readableEnded) to.end();
    else if (!to.destroyed) to.resetAndDestroy();
  });
}

function ignore(): void {}
