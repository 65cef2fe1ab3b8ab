import type { Settled } from './batch.ts';
import { cacheOf, clearAfterReconnect, type LaneState, NotCommitted, ROLLBACK } from './lane.ts';
import { requestsByStore, settleLocked } from './locked.ts';
import type { GameRequest } from './request.ts';

const DISABLED_MS = 250;

/**
 * Settles under the same locks as `settleLocked`, but does not read rows that stores have cached. The writes fail if the cached rows are
 * outdated. Returns undefined if nothing was committed, for example because the cache is outdated or a transaction is a repetition. The
 * batch must then be settled with rows read from the database. No request is rejected because of cached rows: it stays open instead.
 */
export async function settleCached(
  state: LaneState,
  requests: readonly GameRequest[],
): Promise<Settled | undefined> {
  if (performance.now() < state.cacheDisabledUntil) return undefined;
  clearAfterReconnect(state);
  const stores = requestsByStore(requests).filter(([store]) => store.cache);
  if (stores.length === 0) return undefined;
  const caches = new Map(stores.map(([store]) => [store, cacheOf(state, store)]));
  try {
    return await settleLocked(state, requests, caches);
  } catch (error) {
    for (const [store, own] of stores) store.cache!.evict(caches.get(store), own);
    if (!(error instanceof NotCommitted)) throw error;
    await state.lane.send([ROLLBACK]).catch(() => undefined);
    state.cacheDisabledUntil = performance.now() + DISABLED_MS;
    return undefined;
  }
}
