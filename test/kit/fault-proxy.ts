import { once, setMaxListeners } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * `delayMs`: every chunk waits so long, one after the other. `black-hole`: connections are accepted and stay open,
 * nothing passes; what was held passes once the mode changes. `reset`: present and new connections are reset.
 * `refuse`: nobody listens; present connections go on. `drop-reply`: requests reach the server, answers are lost,
 * and 200 ms after the first lost one the connection breaks.
 */
export type FaultMode = 'pass' | 'black-hole' | 'reset' | 'refuse' | 'drop-reply' | { delayMs: number };
export type FaultTarget = { host: string; port: number } | { path: string };
export type FaultProxy = { port: number; mode(next: FaultMode): void; stop(): Promise<void> };
type Direction = 'request' | 'reply';
/** Sees every chunk before it passes; one that it says false of never does, nor what comes after it that way. */
export type Watch = (chunk: Buffer, direction: Direction, connection: object) => boolean;

/** A TCP proxy on 127.0.0.1 that behaves like a bad network. */
export async function startFaultProxy(options: { target: FaultTarget; watch?: Watch }): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const changed = new EventTarget();
  // One of each connection that is held.
  setMaxListeners(0, changed);
  let mode: FaultMode = 'pass';

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (mode === 'reset') return void client.on('error', ignore).resetAndDestroy();
    const upstream = connect({ ...options.target, allowHalfOpen: true });
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
    try {
      // A side that has said all it wants still listens: the end of reading must not close the socket.
      for await (const chunk of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        await wayIsOpen();
        if (!passes(chunk, direction)) return swallow(from, to);
        if (mode === 'drop-reply' && direction === 'reply') await breakSoon(from, to);
        if (!to.write(chunk)) await once(to, 'drain');
      }
      await wayIsOpen();
      to.end();
    } catch {
      await wayIsOpen();
      from.destroy();
      to.destroy();
    }
  }

  async function wayIsOpen(): Promise<void> {
    if (typeof mode === 'object') await sleep(mode.delayMs);
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

  return { port, mode: setMode, stop };
}

/** Nothing passes any more; the end of one side is the end of both. */
function swallow(from: Socket, to: Socket): void {
  for (const end of ['end', 'close']) from.resume().once(end, () => to.destroy());
}

/** The answer is lost for good: both ends see the connection break. */
async function breakSoon(server: Socket, client: Socket): Promise<never> {
  await sleep(200);
  client.destroy();
  server.destroy();
  throw new Error('reply dropped');
}

/** Only TCP knows resets; the target may be a Unix socket. */
function reset(socket: Socket): void {
  if (socket.remoteFamily) socket.resetAndDestroy();
  else socket.destroy();
}

function ignore(): void {}
