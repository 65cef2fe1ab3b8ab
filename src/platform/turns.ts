import { commonErrors } from './errors.ts';

/**
 * Runs work that is dear in memory or processor time, `atOnce` at a time, in order of arrival. Throws 503 SERVICE_UNAVAILABLE
 * when more than `queue` wait already.
 */
export function createTurns({ atOnce, queue }: { atOnce: number; queue: number }) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= queue) throw commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 2 });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
