import type { Db } from '../../../platform/db.ts';
import { createSafeWatermark } from './safe-watermark.ts';

/** Who asks within this time shares one look. */
const SHARED_MS = 450;

export type HasWork = (wereIdsTaken: boolean) => Promise<boolean>;
export type IdsTaken = ReturnType<typeof createIdsTaken>;

/**
 * Says to jobs that follow ids of the ledger (bets, postings, events) whether there is a reason to look: all that is new takes ids. Two
 * statements a second serve all of them. It goes by the safe watermark, so that what commits late is told late, and never passed over.
 */
export function createIdsTaken(db: Db, { sharedMs = SHARED_MS } = {}) {
  const safeWatermark = createSafeWatermark(db);
  let askedAt = Number.NEGATIVE_INFINITY;
  let asked = Promise.resolve(0n);
  const complete = (): Promise<bigint> => {
    if (performance.now() - askedAt < sharedMs) return asked;
    askedAt = performance.now();
    asked = safeWatermark();
    // Who asks for it hears of a failure.
    asked.catch(() => undefined);
    return asked;
  };

  return {
    /**
     * For one job: true while `hasWork` says so. That is asked when ids were taken since it last said no, and after `leastMs` all the
     * same: work may come by another way. It hears whether ids were taken.
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
