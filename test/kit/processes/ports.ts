import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Returns ports that are currently free. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** First port of the kernel's ephemeral range. */
const LOWEST_OF_CLIENTS = 32_768;
const LOWEST = 15_000;

/** Returns free ports below the ephemeral range, so a server that is down for a while finds its port free when it restarts. */
export async function serverPorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(LOWEST, LOWEST_OF_CLIENTS);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

const PLATFORM_PORTS = [
  'PORT',
  'BACKOFFICE_PORT',
  'REALTIME_PORT',
  'WORKER_PORT',
  'SANDBOX_PORT',
  'SANDBOX_SMTP_PORT',
] as const;

/** Returns settings with which a whole platform listens on currently free ports. */
export async function platformPorts(): Promise<Record<(typeof PLATFORM_PORTS)[number], string>> {
  const free = await freePorts(PLATFORM_PORTS.length);
  return Object.fromEntries(PLATFORM_PORTS.map((name, i) => [name, String(free[i])])) as Record<
    (typeof PLATFORM_PORTS)[number],
    string
  >;
}
