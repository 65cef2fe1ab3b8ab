import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { announce } from './announce.ts';
import { leaderboardErrors } from './errors.ts';
import {
  findRun,
  idOf,
  lockRun,
  type RunRow,
  type ScheduleRow,
  scheduleConfigOf,
  setStatus,
} from './queries.ts';
import { makeDueRuns, makeRun, queueAdvance, SETTLES_MS, type Settings, startingNow } from './runs.ts';
import type {
  Cancellation,
  Leaderboard,
  LeaderboardSchedule,
  PrizePlace,
  ScheduleChange,
  SpecialRequest,
} from './schemas.ts';
import { scheduleOf, toRun } from './staff-lists.ts';

export type AdministerDeps = { db: Db; siteConfig: Settings; currencies: Pick<Currencies, 'get'> };
type Shown = z.input<typeof Leaderboard>;

const DAY_MS = 86_400_000;
const LONGEST_MS = 366 * DAY_MS;

export const createAdministration = (deps: AdministerDeps) => ({
  /**
   * Switches a schedule on or off and says what its next runs are like; those that are there keep their settings. Switched on, it has a run
   * from now to the end of the running period. Throws 404 LEADERBOARD_SCHEDULE_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE.
   */
  setSchedule: (
    by: StaffCall,
    id: string,
    change: z.output<typeof ScheduleChange>,
  ): Promise<z.input<typeof LeaderboardSchedule>> =>
    transaction(deps.db, (tx) => setSchedule(tx, deps, by, { id, change })),

  /** Makes a run beside the schedules. Throws 404 CURRENCY_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE, VALIDATION_FAILED. */
  createSpecial: (by: StaffCall, wanted: z.output<typeof SpecialRequest>): Promise<Shown> =>
    transaction(deps.db, (tx) => createSpecial(tx, deps, by, wanted)),

  /** Ends a run without prizes. Throws 404 LEADERBOARD_NOT_FOUND, 409 LEADERBOARD_STATUS_CONFLICT once it has ended. */
  cancel: (by: StaffCall, leaderboardId: string, { reason }: z.output<typeof Cancellation>): Promise<Shown> =>
    transaction(deps.db, (tx) => cancel(tx, by, { leaderboardId, reason })),
});

async function setSchedule(
  tx: Tx,
  { siteConfig }: AdministerDeps,
  by: StaffCall,
  { id, change }: { id: string; change: z.output<typeof ScheduleChange> },
) {
  const { now, generation } = await startingNow(tx);
  // Runs that bets of until now need are made on the settings of until now.
  await makeDueRuns(tx, siteConfig, { upTo: now, generation });
  const before = (await tx
    .selectFrom('leaderboard_schedules')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()) as unknown as ScheduleRow | undefined;
  await freshActor(tx, by);
  if (!before) throw leaderboardErrors.LEADERBOARD_SCHEDULE_NOT_FOUND();
  const { enabled, name, description } = change;
  const prizes = JSON.stringify(inOrder(change.prizes));
  const after = (await tx
    .updateTable('leaderboard_schedules')
    .set({ enabled, name, description, prizes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()) as unknown as ScheduleRow;
  const isRunning = after.next_start !== null && after.next_start > now;
  if (enabled && !isRunning) await makeRun(tx, siteConfig, { schedule: after, from: now, generation });
  await recordAudit(tx, by, { before: auditOf(before), after: auditOf(after) });
  return scheduleOf(tx, id);
}

const auditOf = (row: ScheduleRow) => ({ id: row.id, enabled: row.enabled, config: scheduleConfigOf(row) });

/** By place, as amounts are written here. Throws 400 AMOUNT_OUT_OF_RANGE. */
const inOrder = (prizes: readonly PrizePlace[]): PrizePlace[] =>
  prizes
    .map(({ place, usdAmount }) => ({ place, usdAmount: formatUnits(above(0n, usdAmount)) }))
    .sort((a, b) => a.place - b.place);

/** The most that a single prize may be. */
const MOST_USD = 10_000_000n * 100_000_000n;

function above(least: Units, text: string): Units {
  const amount = parseUnits(text);
  if (amount === undefined || amount <= least || amount > MOST_USD)
    throw commonErrors.AMOUNT_OUT_OF_RANGE({ least: formatUnits(least), most: formatUnits(MOST_USD) });
  return amount;
}

async function createSpecial(
  tx: Tx,
  { siteConfig, currencies }: AdministerDeps,
  by: StaffCall,
  wanted: z.output<typeof SpecialRequest>,
): Promise<Shown> {
  const { name, description, eligible } = wanted;
  const currencyId = currencies.get(wanted.currencyId).id;
  const prizes = JSON.stringify(inOrder(wanted.prizes));
  const minBetUsd = above(-1n, wanted.minBetUsd);
  const { now, generation } = await startingNow(tx);
  await freshActor(tx, by);
  const startDate = wanted.startDate === undefined ? now : new Date(wanted.startDate);
  const endDate = new Date(wanted.endDate);
  if (startDate < now) throw invalidField('startDate', 'is over: bets of then are not counted any more');
  const lasts = endDate.getTime() - startDate.getTime();
  if (lasts <= 0 || lasts > LONGEST_MS || startDate.getTime() - now.getTime() > LONGEST_MS)
    throw invalidField('endDate', 'needs to be after startDate; both within 366 days');
  const isBegun = startDate.getTime() === now.getTime();
  const run = (await tx
    .insertInto('leaderboards')
    .values({
      type: 'SPECIAL',
      status: isBegun ? 'ACTIVE' : 'SCHEDULED',
      name,
      description,
      currency_id: currencyId,
      min_bet_usd: minBetUsd,
      prizes,
      categories: eligible.categories,
      provider_ids: eligible.providerIds,
      game_slugs: eligible.gameSlugs,
      moves_prizes_up: siteConfig.get('COMMON').leaderboards.movesPrizesUp,
      start_date: startDate,
      end_date: endDate,
      generation,
      created_by: by.user.id,
    })
    .returningAll()
    .executeTakeFirstOrThrow()) as unknown as RunRow;
  await queueAdvance(tx, run.id, isBegun ? new Date(endDate.getTime() + SETTLES_MS) : startDate);
  await announce(tx, [run.id]);
  await recordAudit(tx, by, { after: runAuditOf(run) });
  return toRun(run);
}

const runAuditOf = (run: RunRow) => {
  const { id, type, status, config } = toRun(run);
  return { id, type, status, config, startDate: iso(run.start_date), endDate: iso(run.end_date) };
};

async function cancel(
  tx: Tx,
  by: StaffCall,
  { leaderboardId, reason }: { leaderboardId: string; reason: string },
): Promise<Shown> {
  const id = idOf(leaderboardId);
  const run = id === undefined ? undefined : await lockRun(tx, id);
  await freshActor(tx, by);
  if (!run) throw leaderboardErrors.LEADERBOARD_NOT_FOUND();
  if (run.status !== 'SCHEDULED' && run.status !== 'ACTIVE')
    throw leaderboardErrors.LEADERBOARD_STATUS_CONFLICT({ status: run.status });
  await setStatus(tx, run.id, 'CANCELLED');
  await announce(tx, [run.id]);
  const after = (await findRun(tx, run.id))!;
  await recordAudit(tx, by, { before: runAuditOf(run), after: runAuditOf(after), reason });
  return toRun(after);
}
