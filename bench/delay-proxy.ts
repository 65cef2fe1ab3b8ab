import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A TCP proxy to a Unix socket that simulates a distant server: it delays every byte by `delayMs` in each direction. Bytes are delayed
 * independently of each other, so the delay does not limit the throughput.
 */
export async function startDelayProxy(path: string, delayMs: number) {
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket) => {
    const later = (work: () => void) => (delayMs === 0 ? work() : void setTimeout(work, delayMs));
    from.on('data', (chunk) => later(() => to.writable && to.write(chunk)));
    from.on('end', () => later(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      later(() => to.destroy());
    });
  };
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ path });
    for (const socket of [client, upstream]) sockets.add(socket);
    pass(client, upstream);
    pass(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
