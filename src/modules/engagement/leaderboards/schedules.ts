import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { Id, line, strictObject, text } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import {
  assertValue,
  type Leave,
  pairOf,
  staffValueErrors,
  withProposals,
} from '../../base/staff-value/service.ts';
import { Prizes, sortedPrizes, sumOf } from './prizes.ts';
import { type RunRow, readSchedules, type ScheduleRow } from './queries.ts';
import { makeDueRuns, makeRun, startingNow } from './runs.ts';
import { LeaderboardSchedule, leaderboardErrors, type PrizePlace } from './schemas.ts';
import type { LeaderboardDeps } from './service.ts';
import { toRun, toScheduleConfig } from './view.ts';

type Schedule = z.input<typeof LeaderboardSchedule>;

const ScheduleChange = strictObject('LeaderboardScheduleChange', {
  enabled: z.boolean(),
  name: line(100),
  description: text(1000),
  prizes: Prizes,
});
type ScheduleChange = z.output<typeof ScheduleChange>;

const SchedulePath = z.object({ id: Id });

const reading = {
  method: 'GET',
  tag: 'Admin Leaderboard',
  access: { permission: 'leaderboard.read' },
} as const;

export const listSchedules = operation({
  ...reading,
  path: '/admin/leaderboards/schedule',
  summary: 'List leaderboard schedules',
  response: z.array(LeaderboardSchedule),
  handler: async ({ reads }: LeaderboardDeps) => toSchedules(reads, await readSchedules(reads)),
});

export const getSchedule = operation({
  ...reading,
  path: '/admin/leaderboards/schedule/{id}',
  summary: 'Get a schedule with its latest leaderboards',
  params: SchedulePath,
  response: LeaderboardSchedule,
  errors: [leaderboardErrors.LEADERBOARD_SCHEDULE_NOT_FOUND],
  handler: ({ reads }: LeaderboardDeps, { params }) => scheduleOf(reads, params.id),
});

export const updateSchedule = operation({
  method: 'POST',
  path: '/admin/leaderboards/schedule/{id}',
  tag: 'Admin Leaderboard',
  access: { permission: 'leaderboard.pay' },
  gate: 'none',
  stepUp: true,
  createsValue: 'pays',
  summary: 'Enable, disable or configure a schedule',
  description:
    'Existing leaderboards keep their settings. Enabling a schedule immediately starts a leaderboard that lasts until the end of ' +
    'the current period. Prizes may be paid automatically.',
  params: SchedulePath,
  body: ScheduleChange,
  response: LeaderboardSchedule,
  errors: [
    leaderboardErrors.LEADERBOARD_SCHEDULE_NOT_FOUND,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
  ],
  handler: (deps: LeaderboardDeps, { by, params: { id }, body: change }) =>
    withProposals(deps.db, by, () =>
      transaction(deps.db, async (tx) => {
        const { siteConfig } = deps;
        await lockPlayers(tx, [by.user.id]);
        const { now, generation } = await startingNow(tx);
        // Bets that were settled before this time belong to leaderboards with the previous settings.
        await makeDueRuns(tx, siteConfig, { upTo: now, generation });
        const before = await lockSchedule(tx, id);
        await freshActor(tx, by);
        if (!before) throw leaderboardErrors.LEADERBOARD_SCHEDULE_NOT_FOUND();
        const prizes = sortedPrizes(change.prizes);
        const leave = await assertSchedule(tx, deps, by, { before, change, prizes });
        const after = await store(tx, id, { ...change, prizes });
        const isRunning = after.next_start !== null && after.next_start > now;
        if (change.enabled && !isRunning)
          await makeRun(tx, siteConfig, { schedule: after, from: now, generation });
        await recordAudit(tx, by, {
          before: toAudit(before),
          after: { ...toAudit(after), ...pairOf(leave) },
        });
        return scheduleOf(tx, id);
      }),
    ),
});

async function lockSchedule(tx: Tx, id: string): Promise<ScheduleRow | undefined> {
  const row = await tx
    .selectFrom('leaderboard_schedules')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row as ScheduleRow | undefined;
}

async function store(
  tx: Tx,
  id: string,
  { enabled, name, description, prizes }: ScheduleChange,
): Promise<ScheduleRow> {
  const row = await tx
    .updateTable('leaderboard_schedules')
    .set({ enabled, name, description, prizes: JSON.stringify(prizes), updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as ScheduleRow;
}

/**
 * An enabled schedule pays prizes repeatedly without an upper limit, so enabling a schedule or raising its prizes needs a second approver.
 * One person may lower the prizes or disable the schedule.
 */
async function assertSchedule(
  tx: Tx,
  deps: LeaderboardDeps,
  by: StaffCall,
  { before, change, prizes }: { before: ScheduleRow; change: ScheduleChange; prizes: PrizePlace[] },
): Promise<Leave> {
  const pays = change.enabled && prizes.length > 0;
  const isMore = !before.enabled || sumOf(prizes) > sumOf(before.prizes);
  return assertValue(tx, deps, by, {
    operation: 'leaderboard.schedule',
    input: { id: before.id, prizes: JSON.stringify(prizes) },
    usdAmount: pays && isMore ? null : 0n,
    recipients: [],
    reason: `Schedule ${before.id} of leaderboards`,
  });
}

const toAudit = (row: ScheduleRow) => ({ id: row.id, enabled: row.enabled, config: toScheduleConfig(row) });

/** Returns a schedule with its latest leaderboards. Throws 404 LEADERBOARD_SCHEDULE_NOT_FOUND. */
async function scheduleOf(db: DbOrTx, id: string): Promise<Schedule> {
  const rows = (await readSchedules(db)).filter((row) => row.id === id);
  const [found] = await toSchedules(db, rows);
  if (!found) throw leaderboardErrors.LEADERBOARD_SCHEDULE_NOT_FOUND();
  return found;
}

const toSchedules = (db: DbOrTx, rows: readonly ScheduleRow[]): Promise<Schedule[]> =>
  Promise.all(
    rows.map(async (row) => ({
      id: row.id,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
      enabled: row.enabled,
      config: toScheduleConfig(row),
      leaderboards: (await latestRuns(db, row.id)).map(toRun),
    })),
  );

/** The number of leaderboards that are returned with a schedule. */
const RUNS = 20;

async function latestRuns(db: DbOrTx, scheduleId: string): Promise<RunRow[]> {
  const rows = await db
    .selectFrom('leaderboards')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .orderBy('end_date', 'desc')
    .limit(RUNS)
    .execute();
  return rows.map((row) => row as RunRow);
}
