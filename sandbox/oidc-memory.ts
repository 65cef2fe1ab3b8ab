import type { AdapterFactory, AdapterPayload } from 'oidc-provider';

const KEPT = 10_000;

/** Keeps what the provider gives out (codes, sessions, interactions) in the memory of this process. */
export function memoryAdapter(): AdapterFactory {
  return () => {
    const kept = new Map<string, { payload: AdapterPayload; until: number }>();
    const find = (is: (payload: AdapterPayload) => boolean) =>
      [...kept.values()].find(({ payload, until }) => until > Date.now() && is(payload))?.payload;
    return {
      upsert: async (id, payload, seconds) => {
        kept.delete(id);
        kept.set(id, { payload, until: seconds ? Date.now() + seconds * 1000 : Number.POSITIVE_INFINITY });
        forget(kept);
      },
      find: async (id) => {
        const found = kept.get(id);
        return found && found.until > Date.now() ? found.payload : undefined;
      },
      findByUid: async (uid) => find((payload) => payload.uid === uid),
      findByUserCode: async (code) => find((payload) => payload.userCode === code),
      consume: async (id) => {
        const found = kept.get(id);
        if (found) found.payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => void kept.delete(id),
      revokeByGrantId: async (grantId) => {
        for (const [id, { payload }] of kept) if (payload.grantId === grantId) kept.delete(id);
      },
    };
  };
}

/** Lets the oldest go, so that a sandbox may run for weeks. */
export function forget(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= KEPT) return;
    map.delete(key);
  }
}
