import { sql } from 'kysely';
import { z } from 'zod';
import { Amount, Id } from '../../../http/schemas.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { periodEnd } from '../../../platform/periods.ts';
import { addJob, JobHopeless } from '../../../platform/queue/queue.ts';
import { event, events } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import { toShortPublicUser, usersById } from '../../base/users/service.ts';
import { lockCursor } from '../../games/bets/consume.ts';
import {
  CURSOR,
  type EngineDeps,
  type Leader,
  lockRun,
  type RunRow,
  type ScheduleRow,
  topOf,
  typeOf,
} from './queries.ts';
import { formatScore } from './view.ts';

const MAX_LEADERS = 10;

export const leaderboardEvents = events({
  'leaderboard.updated': event(
    'public',
    'The ranks or the state of a leaderboard have changed.',
    z.strictObject({
      leaderboardId: Id,
      status: z.enum(['SCHEDULED', 'ACTIVE', 'FINALIZING', 'AWAITING_PAYOUT', 'FINISHED', 'CANCELLED']),
      leaders: z
        .array(
          z.strictObject({
            place: z.number().int().min(1),
            username: z.string().nullable().meta({ description: 'A username; null if the player hides it.' }),
            score: Amount,
          }),
        )
        .max(MAX_LEADERS),
    }),
  ),
});

type Settings = EngineDeps['siteConfig'];

/** The task that moves a run to its next status when the change is due. */
export const ADVANCE = 'leaderboard';

/**
 * The delay between the end of a run and the freezing of its ranks. By then, all bets that were settled before the end have been committed.
 */
export const SETTLES_MS = 60_000;

const PERIOD_OF = { daily: 'DAY', weekly: 'WEEK', monthly: 'MONTH' } as const;

/**
 * Returns the earliest possible start of a new run: no bet that was settled at or after this time has been consumed. Locks the cursor, so
 * that no bet is consumed until the transaction ends.
 */
export async function startingNow(tx: Tx): Promise<{ now: Date; generation: number }> {
  const { generation } = await lockCursor(tx, CURSOR);
  const { rows } = await sql<{ now: Date }>`
    select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as now`.execute(tx);
  return { now: rows[0]!.now, generation };
}

/** Creates the next run of a schedule unless it already exists. Returns the end of the run. The cursor and the schedule must be locked. */
export async function makeRun(
  tx: Tx,
  settings: Settings,
  { schedule, from, generation }: { schedule: ScheduleRow; from: Date; generation: number },
): Promise<Date> {
  const until = periodEnd(PERIOD_OF[schedule.id], from);
  const { name, description, currency_id, min_bet_usd, prizes, categories, provider_ids, game_slugs } =
    schedule;
  const terms = { name, description, currency_id, min_bet_usd, categories, provider_ids, game_slugs };
  const made = await tx
    .insertInto('leaderboards')
    .values({
      ...terms,
      type: typeOf(schedule),
      status: 'ACTIVE',
      schedule_id: schedule.id,
      prizes: JSON.stringify(prizes),
      moves_prizes_up: settings.get('COMMON').leaderboards.movesPrizesUp,
      start_date: from,
      end_date: until,
      generation,
    })
    .onConflict((oc) => oc.columns(['schedule_id', 'end_date']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made) await queueAdvance(tx, made.id, new Date(until.getTime() + SETTLES_MS));
  await tx
    .updateTable('leaderboard_schedules')
    .set({ next_start: until })
    .where('id', '=', schedule.id)
    .execute();
  return until;
}

/** Creates the runs for all bets that were settled up to a given time. The cursor must be locked. */
export async function makeDueRuns(
  tx: Tx,
  settings: Settings,
  { upTo, generation }: { upTo: Date; generation: number },
): Promise<void> {
  const due = await tx
    .selectFrom('leaderboard_schedules')
    .selectAll()
    .where('enabled', '=', true)
    .where('next_start', '<=', upTo)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  for (const row of due) {
    const schedule = row as ScheduleRow;
    for (let from = schedule.next_start!; from <= upTo; )
      from = await makeRun(tx, settings, { schedule, from, generation });
  }
}

export const queueAdvance = (tx: Tx, id: RunRow['id'], runAt?: Date): Promise<void> =>
  addJob(tx, ADVANCE, { leaderboardId: id }, { key: `${ADVANCE}:${id}`, ...(runAt && { runAt }) });

/** The task that announces a run later because it changed too soon after its last announcement. */
export const ANNOUNCE = 'leaderboard-news';

const LEADERS = 10;
/** The minimum interval between two announcements of a run. */
const EVERY_MS = 5000;

const Job = z.object({ leaderboardId: z.number().int() });

/**
 * Emits `leaderboard.updated` for the runs whose status or first ten players have changed since the last announcement: immediately, or
 * through a task five seconds after that announcement. The runs must be locked.
 */
export async function announce(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const run = (await lockRun(tx, id))!;
    const leaders = await leadersOf(tx, id);
    if (run.status === run.announced_status && isSame(leaders, run.leaders)) continue;
    const { dueAt, isDue } = await readDue(tx, id);
    if (isDue) await emit(tx, run, leaders);
    else await addJob(tx, ANNOUNCE, { leaderboardId: id }, { key: `${ANNOUNCE}:${id}`, runAt: dueAt });
  }
}

/** The handler of the task `leaderboard-news`. */
export async function announceLater({ db }: { db: Db }, payload: unknown): Promise<void> {
  const job = Job.safeParse(payload);
  if (!job.success) throw new JobHopeless('the payload contains no leaderboard id');
  const { leaderboardId: id } = job.data;
  await transaction(db, async (tx) => {
    if (!(await lockRun(tx, id))) throw new JobHopeless('the leaderboard does not exist');
    await announce(tx, [id]);
  });
}

const leadersOf = async (tx: Tx, id: number): Promise<Leader[]> =>
  (await topOf(tx, id, LEADERS)).map(({ userId, score }) => ({ userId, score }));

const isSame = (a: readonly Leader[], b: readonly Leader[]): boolean =>
  a.length === b.length &&
  a.every(({ userId, score }, i) => userId === b[i]!.userId && score === b[i]!.score);

/** Returns the time at which a run may be announced again. Compares with the current time instead of the start of the transaction. */
async function readDue(tx: Tx, id: number): Promise<{ dueAt: Date; isDue: boolean }> {
  const { rows } = await sql<{ dueAt: Date; isDue: boolean }>`
    select due as "dueAt", due <= clock_timestamp() as "isDue" from (
      select coalesce(date_trunc('milliseconds', announced_at) + ${EVERY_MS + 1} * interval '1 ms', created_at) as due
      from leaderboards where id = ${id}) next`.execute(tx);
  return rows[0]!;
}

async function emit(tx: Tx, { id, status }: RunRow, leaders: readonly Leader[]): Promise<void> {
  const userIds = leaders.map(({ userId }) => userId);
  const users = await usersById(tx, userIds);
  const announced = leaders.map(({ userId, score }, i) => {
    const { id, username } = toShortPublicUser(users.get(userId)!, undefined);
    return { place: i + 1, username: id === null ? null : username, score: formatScore(score) };
  });
  await emitEvent(tx, {
    event: leaderboardEvents['leaderboard.updated'],
    data: { leaderboardId: String(id), status, leaders: announced },
  });
  await sql`
    update leaderboards set leaders = ${JSON.stringify(leaders)}, announced_status = status, announced_at = clock_timestamp()
    where id = ${id}`.execute(tx);
}
