import DataLoader from 'dataloader';

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
