import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from 'socket.io';
import type { Config } from '../platform/config/config.ts';
import type { AppError } from '../platform/errors.ts';
import { isSiteOrigin } from '../platform/net/origins.ts';
import type { ClusterAdapter } from './adapter.ts';
import { type Connection, drop, sendTogether } from './connection.ts';
import type { Door } from './door.ts';

const PATH = '/socket.io';
const CLOSING_MS = 1000;

type TransportDeps = { server: HttpServer; config: Config; cluster: ClusterAdapter };

/** Creates the Socket.IO server, with the checks of door.ts in front of it. */
export function createTransport(deps: TransportDeps, door: Door) {
  const { server, config, cluster } = deps;
  const io = createServer(deps, door.refusal);
  const leaveUpgrades = guardUpgrades(server, door.refusal);
  io.engine.on('connection', (connection: Connection) => {
    connection.once('close', door.enter(connection.request));
    guardPackets(connection, config.REALTIME_MESSAGES_PER_MINUTE);
    sendTogether(connection);
  });
  return {
    io,
    /** Disconnects clients without a closing message, so that they reconnect to another process automatically. */
    disconnect(): Promise<void> {
      door.close();
      io.engine.close();
      return leaveUpgrades();
    },
    async close(): Promise<void> {
      await io.of('/').adapter.close();
      await cluster.close();
    },
  };
}

type Refusal = (request: IncomingMessage) => AppError | undefined;

function createServer({ server, config, cluster }: TransportDeps, refusal: Refusal): Server {
  return new Server(server, {
    path: PATH,
    serveClient: false,
    adapter: cluster.adapter,
    transports: ['websocket', 'polling'],
    cors: {
      origin: (origin, done) => done(null, origin !== undefined && isSiteOrigin(origin, config)),
      credentials: true,
    },
    maxHttpBufferSize: config.REALTIME_FRAME_BYTES,
    connectTimeout: config.REALTIME_CONNECT_TIMEOUT_MS,
    // Upgrade requests have already been checked (guardUpgrades).
    allowRequest: (request, done) => {
      const refused = request.headers.upgrade === undefined ? refusal(request) : undefined;
      done(refused?.code, refused === undefined);
    },
  });
}

/**
 * Checks upgrade requests before Socket.IO does, because Socket.IO would return 400 for every rejection. The returned function closes
 * connections that are still open one second after its call.
 */
function guardUpgrades(server: HttpServer, refusal: Refusal): () => Promise<void> {
  const open = new Set<Duplex>();
  const upgrades = server.listeners('upgrade') as ((...args: [IncomingMessage, Duplex, Buffer]) => void)[];
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refused = request.url?.startsWith(`${PATH}/`) ? refusal(request) : undefined;
    if (refused) {
      socket.on('error', () => undefined);
      const body = JSON.stringify({
        statusCode: refused.status,
        code: refused.code,
        message: refused.message,
      });
      return void socket.end(
        `HTTP/1.1 ${refused.status} Refused\r\ncontent-type: application/json; charset=utf-8\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    for (const upgrade of upgrades) upgrade.call(server, request, socket, head);
  });
  return async () => {
    const until = performance.now() + CLOSING_MS;
    while (open.size > 0 && performance.now() < until) await sleep(20);
    for (const socket of open) socket.destroy();
  };
}

/** Drops connections that send binary data, or far more packets than the message limit allows. The official client never does this. */
function guardPackets(connection: Connection, messagesPerMinute: number): void {
  const most = Math.max(1000, messagesPerMinute * 2);
  let window = 0;
  let packets = 0;
  connection.on('data', (data: unknown) => {
    const now = Math.floor(performance.now() / 60_000);
    if (now !== window) packets = 0;
    window = now;
    if (++packets > most || typeof data !== 'string') drop(connection);
  });
}
