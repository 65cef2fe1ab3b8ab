import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { periodEnd } from '../../../platform/periods.ts';
import { addJob } from '../../../platform/queue.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { lockCursor } from '../../games/bets/consume.ts';
import { CURSOR, type RunRow, type ScheduleRow, typeOf } from './queries.ts';

export type Settings = Pick<SiteConfig, 'get'>;

/** Takes a run from one state to the next when its time has come. */
export const ADVANCE = 'leaderboard';

/** Bets that were settled before the end are committed by then. */
export const SETTLES_MS = 60_000;

const PERIOD_OF = { daily: 'DAY', weekly: 'WEEK', monthly: 'MONTH' } as const;

/**
 * The moment from which a new run counts: no bet of that time or later has been consumed. Locks the cursor until the transaction ends, so that
 * none is.
 */
export async function startingNow(tx: Tx): Promise<{ now: Date; generation: number }> {
  const { generation } = await lockCursor(tx, CURSOR);
  const { rows } = await sql<{ now: Date }>`
    select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as now`.execute(tx);
  return { now: rows[0]!.now, generation };
}

/** The next run of a schedule, unless it is there. The cursor and the schedule must be locked. */
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

/** Makes the runs that bets up to a time belong to. The cursor must be locked. */
export async function makeDueRuns(
  tx: Tx,
  settings: Settings,
  { upTo, generation }: { upTo: Date; generation: number },
): Promise<void> {
  const due = (await tx
    .selectFrom('leaderboard_schedules')
    .selectAll()
    .where('enabled', '=', true)
    .where('next_start', '<=', upTo)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()) as unknown as ScheduleRow[];
  for (const schedule of due)
    for (let from = schedule.next_start!; from <= upTo; )
      from = await makeRun(tx, settings, { schedule, from, generation });
}

export const queueAdvance = (tx: Tx, id: RunRow['id'], runAt?: Date): Promise<void> =>
  addJob(tx, ADVANCE, { leaderboardId: id }, { key: `${ADVANCE}:${id}`, ...(runAt && { runAt }) });
