import { LRUCache } from 'lru-cache';
import type { AdapterFactory, AdapterPayload } from 'oidc-provider';

/** Maximum number of entries of each kind. The oldest entries are dropped, so that the sandbox can run for weeks. */
export const KEPT = 10_000;

/** Stores the provider's codes, sessions and interactions in this process's memory. */
export function memoryAdapter(): AdapterFactory {
  return () => {
    const kept = new LRUCache<string, AdapterPayload>({ max: KEPT });
    const find = (is: (payload: AdapterPayload) => boolean) => [...kept.values()].find(is);
    return {
      upsert: async (id, payload, seconds = 0) => void kept.set(id, payload, { ttl: seconds * 1000 }),
      find: async (id) => kept.get(id),
      findByUid: async (uid) => find((payload) => payload.uid === uid),
      findByUserCode: async (code) => find((payload) => payload.userCode === code),
      consume: async (id) => {
        const found = kept.get(id);
        if (found) found.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => void kept.delete(id),
      revokeByGrantId: async (grantId) => {
        for (const [id, payload] of kept) if (payload.grantId === grantId) kept.delete(id);
      },
    };
  };
}
