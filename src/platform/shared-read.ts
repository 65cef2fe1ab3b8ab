import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';

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

/** One read for everybody who asks within `ms` of its beginning. What failed is read again by the next who asks. */
export function sharedFor<T>(ms: number, read: (now: number) => Promise<T>, now = () => performance.now()) {
  let known: { at: number; value: Promise<T> } | undefined;
  return (): Promise<T> => {
    const at = now();
    if (known && at - known.at < ms) return known.value;
    const reading = { at, value: read(at) };
    known = reading;
    reading.value.catch(() => {
      if (known === reading) known = undefined;
    });
    return reading.value;
  };
}

/** The same for many things by their keys, `most` of which are remembered. With 0 ms everybody reads for themselves. */
export function sharedByKey(ms: number, most: number, now = () => performance.now()) {
  const known = new LRUCache<string, { at: number; value: Promise<unknown> }>({ max: most });
  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const at = now();
    const shared = known.get(key);
    if (shared && at - shared.at < ms) return shared.value as Promise<T>;
    const value = read();
    const reading = { at, value };
    known.set(key, reading);
    value.catch(() => {
      if (known.peek(key) === reading) known.delete(key);
    });
    return value;
  };
}

/** Most keys of one statement. */
const MOST = 256;

/**
 * A read of one thing by its key, where many ask at the same moment: what is asked within one turn of the event loop shares a
 * statement. Nothing is kept: whoever asks sees everything that was committed before. Undefined: `read` has not found it.
 */
export function readTogether<Key, Found>(
  read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>,
): (key: Key) => Promise<Found | undefined> {
  const loader = new DataLoader<Key, Found | undefined>(
    async (keys) => {
      const found = await read(keys);
      return keys.map((key) => found.get(key));
    },
    { cache: false, maxBatchSize: MOST, batchScheduleFn: setImmediate },
  );
  return (key) => loader.load(key);
}
