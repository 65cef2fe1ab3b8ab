import { setTimeout as sleep } from 'node:timers/promises';

export type Unsettled = ReturnType<typeof createUnsettled>;

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Unfinished rounds: rounds in play, late wins, and round ends that are not reported yet. */
export function createUnsettled() {
  const underWay = new Set<Promise<unknown>>();
  const waiting = new Set<AbortController>();
  const untold: (() => Promise<unknown>)[] = [];
  const follow = <T>(work: Promise<T>): Promise<T> => {
    const forget = () => void underWay.delete(work);
    underWay.add(work);
    work.then(forget, forget);
    return work;
  };
  return {
    follow,
    /** Waits for this time. Ends early if all unfinished rounds must be settled. */
    async pause(ms: number): Promise<void> {
      const hurry = new AbortController();
      waiting.add(hurry);
      const options = { ref: false, signal: hurry.signal };
      await sleep(Math.min(ms, LONGEST_TIMER_MS), undefined, options).catch(() => undefined);
      waiting.delete(hurry);
    },
    /** Stores the function that reports the end of a round. `settle` calls it. */
    leave: (end: () => Promise<unknown>): void => void untold.push(end),
    /** Pays late wins and ends open rounds immediately, until no work is left. Returns the number of round ends that it reported. */
    async settle(): Promise<number> {
      let ends = 0;
      while (underWay.size + untold.length > 0) {
        for (const hurry of waiting) hurry.abort();
        for (const end of untold.splice(0)) {
          follow(end()).catch(() => undefined);
          ends++;
        }
        await Promise.allSettled(underWay);
      }
      return ends;
    },
  };
}
