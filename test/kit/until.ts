import { setTimeout as sleep } from 'node:timers/promises';

/** What is waited for comes at once; a machine that others use too has time. */
const WITHIN_MS = process.env.CI ? 60_000 : 20_000;

/** Waits for something to become true, and says what when it does not. */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = WITHIN_MS): Promise<void> {
  const giveUp = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > giveUp) throw new Error(`not in ${withinMs} ms: ${isSo}`);
    await sleep(5);
  }
}
