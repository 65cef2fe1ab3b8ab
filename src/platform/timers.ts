import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, until the signal says that there is nothing to wait for any more. The wait alone does not keep the process alive. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined);

/** What the work resolves to; undefined when it takes longer than `ms`. Work that is not waited for may fail unheard. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  const late = sleep(ms, undefined, { signal: done.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    work.catch(() => undefined);
  }
}
