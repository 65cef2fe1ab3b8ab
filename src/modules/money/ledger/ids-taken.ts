import type { Db } from '../../../platform/database/db.ts';
import { createSafeWatermark } from './safe-watermark.ts';

/** Callers within this time share one query. */
const SHARED_MS = 450;

export type HasWork = (wereIdsTaken: boolean) => Promise<boolean>;
export type IdsTaken = ReturnType<typeof createIdsTaken>;

/**
 * Lets jobs that follow ledger ids (bets, postings, events) skip their query while there can be no new rows. Every new row reserves an id.
 * Two statements a second serve all jobs. It compares safe watermarks, so that a late commit is noticed late but never missed.
 */
export function createIdsTaken(db: Db, { sharedMs = SHARED_MS } = {}) {
  const safeWatermark = createSafeWatermark(db);
  let askedAt = Number.NEGATIVE_INFINITY;
  let asked = Promise.resolve(0n);
  const complete = (): Promise<bigint> => {
    if (performance.now() - askedAt < sharedMs) return asked;
    askedAt = performance.now();
    asked = safeWatermark();
    // The awaiting callers handle the error.
    asked.catch(() => undefined);
    return asked;
  };

  return {
    /**
     * Returns a function for one job that is true while `hasWork` returns true. `hasWork` is called if ids were reserved since it last
     * returned false. After `leastMs` it is called in any case, because work may have other sources. Its argument is true if ids were
     * reserved.
     */
    since(hasWork: HasWork, leastMs: number): () => Promise<boolean> {
      let known = -1n;
      let lookedAt = Number.NEGATIVE_INFINITY;
      return async () => {
        const now = await complete();
        if (now === known && performance.now() - lookedAt < leastMs) return false;
        if (await hasWork(now !== known)) return true;
        known = now;
        lookedAt = performance.now();
        return false;
      };
    },
  };
}
