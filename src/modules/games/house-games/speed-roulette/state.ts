/**
 * One read for all concurrent calls: while one is in flight, later calls wait for the next one, which begins after they
 * were made and so sees what they have done.
 */
export function createSharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<T> | undefined;
  let queued: Promise<T> | undefined;
  const start = (): Promise<T> => {
    queued = undefined;
    const own = read().finally(() => {
      if (inFlight === own) inFlight = undefined;
    });
    inFlight = own;
    return own;
  };
  return () => {
    if (queued) return queued;
    if (!inFlight) return start();
    queued = inFlight.then(start, start);
    return queued;
  };
}
