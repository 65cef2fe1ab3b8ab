/** Stores the most recently set values by name. */
export type Recent<Value> = {
  get(name: string): Value | undefined;
  has(name: string): boolean;
  set(name: string, value: Value): void;
  delete(name: string): void;
};

/**
 * Stores at least the newest `most` entries and at most twice that number, at a tenth of the cost of an LRU cache. There are two maps. When
 * the newer one is full, it becomes the older one, and the previous older one is dropped. Reading does not refresh an entry.
 */
export function createRecent<Value>(most: number): Recent<Value> {
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();
  return {
    get: (name) => newer.get(name) ?? older.get(name),
    has: (name) => newer.has(name) || older.has(name),
    set(name, value) {
      if (newer.size >= most && !newer.has(name)) {
        older = newer;
        newer = new Map();
      }
      newer.set(name, value);
    },
    delete(name) {
      newer.delete(name);
      older.delete(name);
    },
  };
}
