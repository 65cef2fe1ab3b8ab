import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { outsideSnapshot, readsAlone } from '../database/snapshot.ts';

/**
 * Shares one read among concurrent calls. Calls that arrive during a read wait for the next one. That read begins after those calls, so it
 * sees their earlier writes.
 */
export function createSharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<T> | undefined;
  let queued: Promise<T> | undefined;
  const start = (): Promise<T> => {
    queued = undefined;
    const own = outsideSnapshot(read).finally(() => {
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

/** Shares one read among all callers that arrive within `ms` of its start. After a failure the next caller reads again. */
export function sharedFor<T>(ms: number, read: (now: number) => Promise<T>, now = () => performance.now()) {
  let known: { at: number; value: Promise<T> } | undefined;
  return (): Promise<T> => {
    const at = now();
    if (known && at - known.at < ms) return known.value;
    const reading = { at, value: outsideSnapshot(() => read(at)) };
    known = reading;
    reading.value.catch(() => {
      if (known === reading) known = undefined;
    });
    return reading.value;
  };
}

/** Shares reads by key and remembers at most `most` keys. With `ms` = 0 every caller reads separately. */
export function sharedByKey(ms: number, most: number, now = () => performance.now()) {
  const known = new LRUCache<string, { at: number; value: Promise<unknown> }>({ max: most });
  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const at = now();
    const shared = known.get(key);
    if (shared && at - shared.at < ms) return shared.value as Promise<T>;
    const value = outsideSnapshot(read);
    const reading = { at, value };
    known.set(key, reading);
    value.catch(() => {
      if (known.peek(key) === reading) known.delete(key);
    });
    return value;
  };
}

/** Maximum number of keys in one statement. */
const MOST = 256;

/**
 * Batches single reads by key: all calls within one turn of the event loop share a statement. Nothing is cached, so a caller sees
 * everything that was committed before the call. Resolves to undefined if `read` did not find the key.
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
  // A snapshot must read its own point in time, and a replica read must use its own server. These reads can therefore not be shared.
  return (key) => (readsAlone() ? read([key]).then((found) => found.get(key)) : loader.load(key));
}
