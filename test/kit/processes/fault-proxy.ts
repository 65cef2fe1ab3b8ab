import { once, setMaxListeners } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * `delayMs`: delays every chunk by this time, one chunk after the other. `latencyMs`: delays every chunk independently of the others, so that
 * the delay does not limit the throughput. `black-hole`: accepts connections and keeps them open but forwards nothing. The data is forwarded
 * once the mode changes. `reset`: resets existing and new connections. `refuse`: stops listening, while existing connections continue.
 * `drop-reply`: requests reach the server but replies are lost. The connection breaks 200 ms after the first lost reply.
 */
export type FaultMode =
  | 'pass'
  | 'black-hole'
  | 'reset'
  | 'refuse'
  | 'drop-reply'
  | { delayMs: number }
  | { latencyMs: number };
export type FaultTarget = { host: string; port: number } | { path: string };
export type FaultProxy = {
  port: number;
  mode(next: FaultMode): void;
  /** Returns the number of connections accepted so far. */
  accepted(): number;
  stop(): Promise<void>;
};
type Direction = 'request' | 'reply';
/** Called with each chunk before it is forwarded. If it returns false, this chunk and everything after it in this direction is dropped. */
export type Watch = (chunk: Buffer, direction: Direction, connection: object) => boolean;

type Options = {
  target: FaultTarget;
  watch?: Watch;
  /** Delays the first data of each connection until this promise resolves, to simulate slow logins. */
  login?: () => Promise<void>;
};

/** Starts a TCP proxy on 127.0.0.1 that simulates a bad network. */
export async function startFaultProxy(options: Options): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const changed = new EventTarget();
  // Each connection on hold adds a listener, so the number of listeners must be unlimited.
  setMaxListeners(0, changed);
  let mode: FaultMode = 'pass';
  let accepted = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    accepted++;
    if (mode === 'reset') return void client.on('error', ignore).resetAndDestroy();
    const upstream = connect({ ...options.target, allowHalfOpen: true, noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', ignore).once('close', () => sockets.delete(socket));
    }
    const passes = (chunk: Buffer, direction: Direction) => options.watch?.(chunk, direction, client) ?? true;
    void pump(client, upstream, { direction: 'request', passes });
    void pump(upstream, client, { direction: 'reply', passes });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  type Way = { direction: Direction; passes: (chunk: Buffer, direction: Direction) => boolean };

  async function pump(from: Socket, to: Socket, { direction, passes }: Way): Promise<void> {
    let login = direction === 'request' ? options.login : undefined;
    /** Resolves when all chunks with a latency are written. Later chunks and the end of the stream must not overtake them. */
    let delayed: Promise<unknown> = Promise.resolve();
    try {
      // A half-closed socket still receives data, so it must not be closed when reading ends.
      for await (const chunk of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        await wayIsOpen();
        await login?.();
        login = undefined;
        if (!passes(chunk, direction)) return swallow(from, to);
        if (mode === 'drop-reply' && direction === 'reply') await breakSoon(from, to);
        if (typeof mode === 'object' && 'latencyMs' in mode) {
          const turn = Promise.all([delayed, sleep(mode.latencyMs)]);
          delayed = turn.then(() => to.writable && to.write(chunk));
          continue;
        }
        await delayed;
        if (!to.write(chunk)) await once(to, 'drain');
      }
      await wayIsOpen();
      await delayed;
      to.end();
    } catch {
      await wayIsOpen();
      from.destroy();
      to.destroy();
    }
  }

  async function wayIsOpen(): Promise<void> {
    if (typeof mode === 'object' && 'delayMs' in mode) await sleep(mode.delayMs);
    while (mode === 'black-hole') await once(changed, 'mode');
  }

  function setMode(next: FaultMode): void {
    if (next === 'refuse' && server.listening) server.close();
    if (next !== 'refuse' && !server.listening) server.listen(port, '127.0.0.1');
    mode = next;
    if (next === 'reset') for (const socket of sockets) reset(socket);
    changed.dispatchEvent(new Event('mode'));
  }

  async function stop(): Promise<void> {
    setMode('refuse');
    for (const socket of sockets) socket.destroy();
    if (sockets.size > 0) await Promise.all([...sockets].map((socket) => once(socket, 'close')));
  }

  return { port, mode: setMode, accepted: () => accepted, stop };
}

/** Drops all further data. When one side closes the connection, closes the other side too. */
function swallow(from: Socket, to: Socket): void {
  for (const end of ['end', 'close']) from.resume().once(end, () => to.destroy());
}

/** Breaks the connection on both sides, so the reply is permanently lost. */
async function breakSoon(server: Socket, client: Socket): Promise<never> {
  await sleep(200);
  client.destroy();
  server.destroy();
  throw new Error('reply dropped');
}

/** Resets TCP sockets and closes others, because the target may be a Unix socket, which cannot be reset. */
function reset(socket: Socket): void {
  if (socket.remoteFamily) socket.resetAndDestroy();
  else socket.destroy();
}

function ignore(): void {}
