import { commonErrors } from './errors.ts';

/**
 * Runs work that is dear in memory or processor time, `atOnce` at a time, in order of arrival. Throws 503 SERVICE_UNAVAILABLE
 * when more than `queue` wait already.
 */
export function createConcurrencyLimit({ atOnce, queue }: { atOnce: number; queue: number }) {
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

/** Turns of many: those of one key never keep those of another waiting. */
export type ConcurrencyLimitByKey = {
  /** Takes a turn: undefined at once, or a promise of the moment when it is there. Throws `refusal` when too many wait already. */
  enter(key: number): Promise<void> | undefined;
  /** Gives the turn back that `enter` gave. */
  leave(key: number): void;
};

/**
 * Of each key `atOnce` at a time, in order of arrival, and `queue` that wait. Whoever need not wait costs an entry of a map and
 * nothing else.
 */
export function createConcurrencyLimitByKey(options: {
  atOnce: number;
  queue: number;
  refusal: () => Error;
}): ConcurrencyLimitByKey {
  const { atOnce, queue, refusal } = options;
  const running = new Map<number, number>();
  const waiting = new Map<number, (() => void)[]>();
  return {
    enter(key) {
      const taken = running.get(key) ?? 0;
      if (taken < atOnce) {
        running.set(key, taken + 1);
        return undefined;
      }
      const line = waiting.get(key) ?? [];
      if (line.length >= queue) throw refusal();
      if (line.length === 0) waiting.set(key, line);
      return new Promise<void>((resolve) => line.push(resolve));
    },
    leave(key) {
      const line = waiting.get(key);
      const next = line?.shift();
      if (line?.length === 0) waiting.delete(key);
      // The turn goes from hand to hand.
      if (next) return next();
      const taken = running.get(key)!;
      if (taken > 1) running.set(key, taken - 1);
      else running.delete(key);
    },
  };
}
