/** One connection and the players who use it in turn. */
export type Seat = { send(startedMs: number): void; close(): void };

/** How a run is ended: by its time, or by too many refusals. */
export type Refusals = {
  refusals: number;
  firstRefusal: string | undefined;
  broken: string | undefined;
  isStopped: boolean;
};

type Refused = { text: string; bodyAt: number; most: number };

/** Counts an answer that is none. False: there were too many, and the run is over. */
export function refuse(run: Refusals, { text, bodyAt, most }: Refused): boolean {
  run.refusals++;
  run.firstRefusal ??= `${text.slice(9, 12)} ${text.slice(bodyAt, bodyAt + 300)}`;
  if (run.refusals < most) return true;
  run.broken ??= `${run.refusals} requests were refused: ${run.firstRefusal}`;
  run.isStopped = true;
  return false;
}

/**
 * Open loop: requests arrive at random (Poisson), whether or not earlier ones are answered. One that finds no free
 * connection waits, and its latency counts from its arrival. Arrivals are noticed every millisecond. Connections take turns, and so do
 * their players: the one that has been free for longest sends next.
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
