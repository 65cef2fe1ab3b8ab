import { sql } from 'kysely';
import { z } from 'zod';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { JobHopeless } from '../../../platform/queue.ts';
import { lockCursor } from '../../games/bets/consume.ts';
import { sliceAfter } from '../../games/bets/effects.ts';
import { createSafeWatermark, reservedBelow } from '../../money/ledger/safe-watermark.ts';
import { announce } from './announce.ts';
import { type FreezeDeps, freeze } from './freeze.ts';
import { CURSOR, lockRun, type RunRow, setStatus } from './queries.ts';
import { makeDueRuns, queueAdvance, SETTLES_MS } from './runs.ts';

export type AdvanceDeps = FreezeDeps & { db: Db };

/** How long to wait for bets in flight, and for the consumer, before another look. */
const LOOK_AGAIN_MS = 1000;

const Job = z.object({ leaderboardId: z.number().int() });

/**
 * Takes a run on as its time has come: SCHEDULED to ACTIVE at its start; ACTIVE to FINALIZING a minute after its end, which makes the next run of its
 * schedule; FINALIZING to frozen places when every effect of before has been applied. One that was cancelled
 * makes the next run of its schedule too. The clock is that of the database, and each step locks the
 * cursor and the run, so that however many do it, it happens once.
 */
export function createAdvance(deps: AdvanceDeps) {
  const safeWatermark = createSafeWatermark(deps.db, { patienceMs: 100 });
  const advance = async (runId: number): Promise<void> => {
    const complete = await safeWatermark();
    const goesOn = await transaction(deps.db, (tx) => step(tx, deps, { runId, complete }));
    if (goesOn) await advance(runId);
  };
  return async (payload: unknown): Promise<void> => {
    const job = Job.safeParse(payload);
    if (!job.success) throw new JobHopeless('names no leaderboard');
    await advance(job.data.leaderboardId);
  };
}

type Known = { runId: number; complete: bigint };

/** One step; answers whether another one may follow immediately. */
async function step(tx: Tx, deps: AdvanceDeps, { runId, complete }: Known): Promise<boolean> {
  const cursor = await lockCursor(tx, CURSOR);
  const run = await lockRun(tx, runId);
  if (!run) throw new JobHopeless('there is no such leaderboard');
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx);
  const now = rows[0]!.now;
  switch (run.status) {
    case 'SCHEDULED':
      return begin(tx, run, now);
    case 'ACTIVE':
      return end(tx, deps, run, { now, generation: cursor.generation });
    case 'FINALIZING': {
      const isPassed = cursor.replayFrom === null && (await hasPassed(tx, run, cursor.position, complete));
      if (isPassed) await freeze(tx, deps, run);
      else await queueAdvance(tx, run.id, new Date(now.getTime() + LOOK_AGAIN_MS));
      return false;
    }
    case 'CANCELLED':
      if (run.end_date <= now)
        await makeDueRuns(tx, deps.siteConfig, { upTo: now, generation: cursor.generation });
      return false;
    default:
      return false;
  }
}

async function begin(tx: Tx, run: RunRow, now: Date): Promise<boolean> {
  if (run.start_date > now) {
    await queueAdvance(tx, run.id, run.start_date);
    return false;
  }
  await setStatus(tx, run.id, 'ACTIVE');
  await announce(tx, [run.id]);
  return true;
}

async function end(
  tx: Tx,
  deps: AdvanceDeps,
  run: RunRow,
  { now, generation }: { now: Date; generation: number },
): Promise<boolean> {
  const endsAt = new Date(run.end_date.getTime() + SETTLES_MS);
  if (endsAt > now) {
    await queueAdvance(tx, run.id, endsAt);
    return false;
  }
  await makeDueRuns(tx, deps.siteConfig, { upTo: now, generation });
  const horizon = await reservedBelow(tx);
  await sql`
    update leaderboards set status = 'FINALIZING', horizon = ${horizon}, updated_at = now() where id = ${run.id}`.execute(
    tx,
  );
  await announce(tx, [run.id]);
  return true;
}

/** Whether all effects below the horizon are known and have been applied. */
async function hasPassed(tx: Tx, run: RunRow, position: bigint, complete: bigint): Promise<boolean> {
  const horizon = run.horizon!;
  if (complete < horizon) return false;
  return (await sliceAfter(tx, position, { below: horizon, batch: 1 })) === undefined;
}
