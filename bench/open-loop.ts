/** One connection, which its players use in turn. */
export type Seat = { send(startedMs: number): void; close(): void };

/** The rejections so far. `isStopped` is true once the time is up or there were too many rejections. */
export type Refusals = {
  refusals: number;
  firstRefusal: string | undefined;
  broken: string | undefined;
  isStopped: boolean;
};

type Refused = { text: string; bodyAt: number; most: number };

/** Counts a rejected request. Returns false if there were too many, which ends the run. */
export function refuse(run: Refusals, { text, bodyAt, most }: Refused): boolean {
  run.refusals++;
  run.firstRefusal ??= `${text.slice(9, 12)} ${text.slice(bodyAt, bodyAt + 300)}`;
  if (run.refusals < most) return true;
  run.broken ??= `${run.refusals} requests were refused: ${run.firstRefusal}`;
  run.isStopped = true;
  return false;
}

/**
 * Open loop: requests arrive at random times (Poisson), regardless of whether earlier ones have finished. If no connection is free, a
 * request waits, and the wait is part of its latency. Arrivals are checked every millisecond. The connection that has been free for the
 * longest time sends the next request.
 */
export function createArrivals(perSecond: number, run: Pick<Refusals, 'isStopped'>) {
  const free: Seat[] = [];
  const waiting: number[] = [];
  let nextMs = 0;
  const gapMs = () => (-Math.log(1 - Math.random()) / perSecond) * 1000;
  const tick = (): void => {
    if (run.isStopped) return;
    for (const now = performance.now(); nextMs <= now; nextMs += gapMs()) {
      const seat = free.shift();
      if (seat) seat.send(nextMs);
      else waiting.push(nextMs);
    }
    setTimeout(tick, 1);
  };
  return {
    backlog: () => waiting.length,
    start(): void {
      nextMs = performance.now() + gapMs();
      tick();
    },
    release(seat: Seat): void {
      const arrivedMs = waiting.shift();
      if (arrivedMs === undefined) free.push(seat);
      else seat.send(arrivedMs);
    },
  };
}
