import { setTimeout as sleep } from 'node:timers/promises';

/** The longest delay of a Node timer, 24.8 days. A longer one fires immediately, with a TimeoutOverflowWarning. */
const LONGEST_MS = 2 ** 31 - 1;

/** Waits for `ms` or until the signal is aborted. The wait does not keep the process alive. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const options = { ref: false, ...(signal && { signal }) };
  for (let restMs = ms; !signal?.aborted; restMs -= LONGEST_MS) {
    await sleep(Math.min(restMs, LONGEST_MS), undefined, options).catch(() => undefined);
    if (restMs <= LONGEST_MS) return;
  }
}

/**
 * Runs the work once after a delay of any length, such as one computed from a date. Returns a function that cancels it. The timer does not
 * keep the process alive.
 */
export function runLater(ms: number, work: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (restMs: number) => {
    const next = restMs > LONGEST_MS ? () => arm(restMs - LONGEST_MS) : work;
    timer = setTimeout(next, Math.min(restMs, LONGEST_MS)).unref();
  };
  arm(Math.max(0, ms));
  return () => clearTimeout(timer);
}

/** Resolves to the result of the work, or to undefined after `ms`. If the work fails after that, the failure is ignored. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
