import { commonErrors } from '../errors.ts';

/** Limits the concurrent work for each key. Work for one key never delays work for another. */
export type ConcurrencyLimitByKey = ReturnType<typeof createConcurrencyLimitByKey>;

type Bounds = { concurrency: number; queue: number };

/**
 * Allows up to `concurrency` calls to run at a time for each key, and queues up to `queue` more in order of arrival. Work that does not
 * wait costs only a map entry.
 */
export function createConcurrencyLimitByKey(options: Bounds & { refusal: () => Error }) {
  const { concurrency, queue, refusal } = options;
  const running = new Map<number, number>();
  const waiting = new Map<number, (() => void)[]>();
  return {
    /**
     * Acquires a slot. Returns undefined if a slot is free, otherwise a promise that resolves once a slot is acquired. Throws `refusal` if
     * too many callers are waiting already.
     */
    enter(key: number): Promise<void> | undefined {
      const taken = running.get(key) ?? 0;
      if (taken < concurrency) {
        running.set(key, taken + 1);
        return undefined;
      }
      const line = waiting.get(key) ?? [];
      if (line.length >= queue) throw refusal();
      if (line.length === 0) waiting.set(key, line);
      return new Promise<void>((resolve) => line.push(resolve));
    },
    /** Releases a slot acquired by `enter`. */
    leave(key: number) {
      const line = waiting.get(key);
      const next = line?.shift();
      if (line?.length === 0) waiting.delete(key);
      // The slot is passed directly to the next waiting caller without becoming free in between.
      if (next) return next();
      const taken = running.get(key)!;
      if (taken > 1) running.set(key, taken - 1);
      else running.delete(key);
    },
  };
}

/**
 * Creates a concurrency limit without keys, for one kind of work that needs much memory or processor time. Throws 503 SERVICE_UNAVAILABLE
 * if `queue` callers are waiting already.
 */
export function createConcurrencyLimit(bounds: Bounds) {
  const refusal = () => commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 2 });
  const limit = createConcurrencyLimitByKey({ ...bounds, refusal });
  const ONLY = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    await limit.enter(ONLY);
    try {
      return await work();
    } finally {
      limit.leave(ONLY);
    }
  };
}
