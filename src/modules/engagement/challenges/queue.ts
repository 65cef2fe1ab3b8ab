import type { Tx } from '../../../platform/db.ts';
import { addJob } from '../../../platform/queue.ts';

/** Decides about a challenge: whether its winner stands, and who wins it. */
export const DECIDE = 'challenge-decision';

/** A bet wins once it was settled so long ago: what was settled before it and committed later is in by then. */
export const SETTLES_FOR_MS = 3000;

/**
 * Has a worker decide about a challenge: when a bet that was settled at `settledAt` can win it, without one at once. One that is due
 * sooner stays so.
 */
export const queueDecision = (tx: Tx, challengeId: string, settledAt?: Date): Promise<void> =>
  addJob(
    tx,
    DECIDE,
    { challengeId },
    {
      key: `${DECIDE}:${challengeId}`,
      ...(settledAt && { runAt: new Date(settledAt.getTime() + SETTLES_FOR_MS), keepsTime: true }),
    },
  );
