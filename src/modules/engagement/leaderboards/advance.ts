import { sql } from 'kysely';
import { z } from 'zod';
import { int4Array, int8Array } from '../../../platform/database/arrays.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { addJob, JobHopeless } from '../../../platform/queue/queue.ts';
import { SUPERADMIN } from '../../base/access/roles/rules.ts';
import { getUser } from '../../base/users/service.ts';
import { readRestrictions, transactionTime } from '../../compliance/gate/service.ts';
import { lockCursor } from '../../games/bets/consume.ts';
import { sliceAfter } from '../../games/bets/effects.ts';
import { createSafeWatermark, reservedBelow } from '../../money/ledger/safe-watermark.ts';
import { CURSOR, type EngineDeps, lockRun, prizesOf, type RunRow, STANDING, setStatus } from './queries.ts';
import { type Award, awardsOf, isEnough, type Standing } from './rules.ts';
import { announce, makeDueRuns, queueAdvance, SETTLES_MS } from './runs.ts';

/** The delay before the next attempt if bets are not committed yet or the consumer lags. */
const RETRY_MS = 1000;

const Job = z.object({ leaderboardId: z.number().int() });

/**
 * Creates the handler of the task `leaderboard`, which moves a run to its next status when the change is due. At its start, a run changes
 * from SCHEDULED to ACTIVE. A minute after its end, it changes from ACTIVE to FINALIZING, and the next run of its schedule is created. The
 * ranks are frozen once all earlier effects are applied. After the end of a cancelled run, the next run of its schedule is created too.
 * Uses the database clock. Each step locks the cursor and the run, so that it happens only once, however many workers are running.
 */
export function createAdvance(deps: EngineDeps) {
  const safeWatermark = createSafeWatermark(deps.db, { patienceMs: 100 });
  const advance = async (runId: number): Promise<void> => {
    const complete = await safeWatermark();
    const mayContinue = await transaction(deps.db, (tx) => step(tx, deps, { runId, complete }));
    if (mayContinue) await advance(runId);
  };
  return async (payload: unknown): Promise<void> => {
    const job = Job.safeParse(payload);
    if (!job.success) throw new JobHopeless('the payload contains no leaderboard id');
    await advance(job.data.leaderboardId);
  };
}

/** Performs one step. Returns true if another step may follow immediately. `complete`: the safe watermark. */
async function step(
  tx: Tx,
  deps: EngineDeps,
  { runId, complete }: { runId: number; complete: bigint },
): Promise<boolean> {
  const cursor = await lockCursor(tx, CURSOR);
  const run = await lockRun(tx, runId);
  if (!run) throw new JobHopeless('the leaderboard does not exist');
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
      else await queueAdvance(tx, run.id, new Date(now.getTime() + RETRY_MS));
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
  deps: EngineDeps,
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

/** Returns true if all effects before the run's `horizon` have been committed and applied. */
async function hasPassed(tx: Tx, run: RunRow, position: bigint, complete: bigint): Promise<boolean> {
  const horizon = run.horizon!;
  if (complete < horizon) return false;
  return (await sliceAfter(tx, position, { below: horizon, batch: 1 })) === undefined;
}

/** The task that pays one winner automatically. */
export const PAY_PRIZE = 'leaderboard-prize';

/** The number of standings that one query reads. */
const READ = 500;

/**
 * Stores the ranks and prizes of a run that has ended. Players who are banned, self-excluded, in a blocked country, staff or test users are
 * skipped, and stay skipped if the ranks are frozen again. If there is no winner, the run becomes FINISHED. The run must be locked, and
 * none of its prizes may have been paid. Players are not locked, because eligibility is checked again when a prize is paid.
 */
export async function freeze(
  tx: Tx,
  { siteConfig, gate }: Pick<EngineDeps, 'siteConfig' | 'gate'>,
  run: RunRow,
): Promise<void> {
  await writePlaces(tx, run.id);
  const awards = await awardsIn(tx, gate, run);
  await writeAwards(tx, run.id, awards);
  const winners = awards.filter(({ prizeUsd }) => prizeUsd !== null);
  const status = winners.length > 0 ? 'AWAITING_PAYOUT' : 'FINISHED';
  await sql`
    update leaderboards set status = ${status}, updated_at = now(),
      frozen_upto = greatest(frozen_upto, ${run.horizon}::int8 - 1, (select position from cursors where name = 'leaderboards'))
    where id = ${run.id}`.execute(tx);
  await announce(tx, [run.id]);
  if (!siteConfig.get('COMMON').leaderboards.paysAutomatically || !(await mayPayAutomatically(tx, run)))
    return;
  for (const { userId } of winners)
    await addJob(
      tx,
      PAY_PRIZE,
      { leaderboardId: run.id, userId },
      { key: `${PAY_PRIZE}:${run.id}:${userId}` },
    );
}

/**
 * Returns false if the leaderboard was created by one person who is not a superadmin. That person cannot authorize prizes alone, so staff
 * must pay them.
 */
async function mayPayAutomatically(tx: Tx, { type, created_by, approved_by }: RunRow): Promise<boolean> {
  if (type !== 'SPECIAL' || created_by === null || approved_by !== null) return true;
  const { roles } = await getUser(tx, created_by);
  return roles.includes(SUPERADMIN);
}

const writePlaces = (tx: Tx, runId: number) =>
  sql`
  with placed as (
    select s.user_id, row_number() over (order by ${STANDING}) as place from leaderboard_scores s where s.leaderboard_id = ${runId})
  update leaderboard_scores s set place = p.place, prize_usd = null
  from placed p where s.leaderboard_id = ${runId} and s.user_id = p.user_id
    and (s.place is distinct from p.place or s.prize_usd is not null)`.execute(tx);

/** Reads enough standings to award every prize. If prizes move up to the next eligible player, more standings than prizes may be needed. */
async function awardsIn(tx: Tx, gate: EngineDeps['gate'], run: RunRow): Promise<Award[]> {
  const prizes = prizesOf(run);
  const standings: Standing[] = [];
  for (;;) {
    const more = await readStandings(tx, gate, { runId: run.id, after: standings.length });
    standings.push(...more);
    if (more.length < READ || isEnough(standings, prizes, run.moves_prizes_up)) break;
  }
  return awardsOf(standings, prizes, run.moves_prizes_up);
}

type Participant = { userId: number; isIneligible: boolean };

async function readStandings(
  tx: Tx,
  gate: EngineDeps['gate'],
  { runId, after }: { runId: number; after: number },
): Promise<Standing[]> {
  const { rows } = await sql<Participant>`
    select s.user_id as "userId", u.is_staff or u.is_test or p.is_banned or s.is_skipped as "isIneligible"
    from leaderboard_scores s join users u on u.id = s.user_id join players p on p.user_id = s.user_id
    where s.leaderboard_id = ${runId} and s.place > ${after} and s.place <= ${after + READ} order by s.place`.execute(
    tx,
  );
  const at = await transactionTime(tx);
  const ids = rows.map(({ userId }) => userId);
  const [restrictions, geoBlocked] = [await readRestrictions(tx, ids), await gate.geoBlockedAmong(tx, ids)];
  const isExcluded = (userId: number) => (restrictions.get(userId)?.excludedUntil ?? at) > at;
  return rows.map(({ userId, isIneligible }) => ({
    userId,
    isSkipped: isIneligible || isExcluded(userId) || geoBlocked.has(userId),
  }));
}

async function writeAwards(tx: Tx, runId: number, awards: readonly Award[]): Promise<void> {
  if (awards.length === 0) return;
  await sql`
    update leaderboard_scores s set prize_usd = a.prize_usd, is_skipped = a.prize_usd is null
    from unnest(${int4Array(awards.map(({ userId }) => userId))}::int4[], ${int8Array(awards.map(({ prizeUsd }) => prizeUsd))}::int8[])
      a(user_id, prize_usd)
    where s.leaderboard_id = ${runId} and s.user_id = a.user_id`.execute(tx);
}
