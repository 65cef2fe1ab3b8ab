import { createClient } from '@redis/client';
import type { Log } from '../observability/log.ts';

const LONGEST_PAUSE_MS = 2000;

export type Redis = ReturnType<typeof createRedis>;

/**
 * Creates a connection to Redis that reconnects automatically for an unlimited time. While it is disconnected, commands fail immediately,
 * or wait if `waits` is set. The address is never logged, because it may contain a password.
 */
export function createRedis(url: string, log: Log, { waits = false } = {}) {
  const client = createClient({
    url,
    disableOfflineQueue: !waits,
    socket: {
      reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, LONGEST_PAUSE_MS),
      connectTimeout: 2000,
    },
  });
  let isDown = false;
  client.on('error', (error: Error & { code?: string }) => {
    if (!isDown) log.warn({ error: error.code ?? error.name }, 'Redis does not respond');
    isDown = true;
  });
  client.on('ready', () => {
    if (isDown) log.info({}, 'Redis responds again');
    isDown = false;
  });
  return client;
}
