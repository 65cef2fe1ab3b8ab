/** What was set lately, by name. */
export type Recent<Value> = {
  get(name: string): Value | undefined;
  has(name: string): boolean;
  set(name: string, value: Value): void;
  delete(name: string): void;
};

/**
 * Remembers the newest `most` entries at least, and twice as many at most, a tenth as dear as what keeps the order of use: full, it becomes
 * the older half, and the older half of before is forgotten. Reading makes nothing newer.
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
