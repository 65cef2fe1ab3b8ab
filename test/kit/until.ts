import { setTimeout as sleep } from 'node:timers/promises';

const MINUTE_MS = 60_000;

/** Waits for the next minute if this one is about to end, so that per-minute counts fall into one minute. */
export async function withinOneMinute(forMs = 15_000): Promise<void> {
  const left = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (left < forMs) await sleep(left + 100);
}

/** The condition usually becomes true soon. The long timeout is for busy machines. */
const WITHIN_MS = 60_000;

/**
 * Waits until a condition is true. Most conditions are queries or requests, and checking them constantly would take processor time away
 * from the processes that make them true. If the condition does not become true in time, throws an error that contains the condition.
 */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = WITHIN_MS): Promise<void> {
  const giveUp = performance.now() + withinMs;
  for (;;) {
    const began = performance.now();
    if (await isSo()) return;
    const now = performance.now();
    if (now > giveUp) throw new Error(`not in ${withinMs} ms: ${isSo}`);
    await sleep(Math.min(Math.max(5, 5 * (now - began)), 100));
  }
}
