import type { Db } from '../../../platform/db.ts';
import { createSafeWatermark } from './safe-watermark.ts';

/** Callers within this time share one query. */
const SHARED_MS = 450;

export type HasWork = (wereIdsTaken: boolean) => Promise<boolean>;
export type IdsTaken = ReturnType<typeof createIdsTaken>;

/**
 * Tells jobs that follow ids of the ledger (bets, postings, events) whether there may be anything new: whatever is new takes ids. Two
 * statements a second serve all jobs. It compares safe watermarks, so that what commits late is reported late but never missed.
 */
export function createIdsTaken(db: Db, { sharedMs = SHARED_MS } = {}) {
  const safeWatermark = createSafeWatermark(db);
  let askedAt = Number.NEGATIVE_INFINITY;
  let asked = Promise.resolve(0n);
  const complete = (): Promise<bigint> => {
    if (performance.now() - askedAt < sharedMs) return asked;
    askedAt = performance.now();
    asked = safeWatermark();
    // The callers get the failure.
    asked.catch(() => undefined);
    return asked;
  };

  return {
    /**
     * For one job: true while `hasWork` answers true. It is called when ids were taken since it last answered false, and after `leastMs`
     * anyway, since work may come by another way; its argument is whether ids were taken.
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
