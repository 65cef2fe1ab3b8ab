import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for something to become true, and says what when it does not. */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const giveUp = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > giveUp) throw new Error(`not in ${withinMs} ms: ${isSo}`);
    await sleep(5);
  }
}
