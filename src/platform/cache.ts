import { LRUCache } from 'lru-cache';

/**
 * Creates a cache of the `max` most recently used entries. It allocates memory when entries are added. The library's own `max` option
 * allocates the memory of all entries immediately, which takes milliseconds for a large cache.
 */
export const createCache = <K extends {}, V extends {}>(
  max: number,
  options: { ttl?: number; dispose?: (value: V, key: K) => void } = {},
): LRUCache<K, V> => new LRUCache<K, V>({ maxSize: max, sizeCalculation: () => 1, ...options });
