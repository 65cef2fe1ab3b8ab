import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Listens, and answers the port: 0 takes a free one. Of a port that is taken it says which setting names another. */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  setting: string,
): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} is taken: stop what listens there, or set ${setting}`);
  });
  return (server.address() as AddressInfo).port;
}

/** Where a listener is found that listens everywhere. */
export const reachable = (host: string) => (host === '0.0.0.0' ? '127.0.0.1' : host);
