import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Listens and returns the port. Port 0 selects a free port. If the port is in use, the error names the setting to change. */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  setting: string,
): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} is in use: stop the program that listens on it, or set ${setting}`);
  });
  return (server.address() as AddressInfo).port;
}

/** Returns the address at which a listener on all interfaces can be reached. */
export const reachable = (host: string) => (host === '0.0.0.0' ? '127.0.0.1' : host);
