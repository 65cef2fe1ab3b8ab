import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId, line, strictObject, Time, text } from '../../../http/schemas.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
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
import { Prizes, parseAbove, sortedPrizes, sumOf } from './prizes.ts';
import { findRun, idOf, lockRun, type RunRow, setStatus } from './queries.ts';
import { announce, queueAdvance, SETTLES_MS, startingNow } from './runs.ts';
import { Leaderboard, LeaderboardPath, leaderboardErrors, type PrizePlace } from './schemas.ts';
import type { LeaderboardDeps } from './service.ts';
import { toRun, toRunAudit } from './view.ts';

const list = (maxLength: number) => z.array(text(maxLength)).max(100).default([]);

const SpecialRequest = strictObject('LeaderboardSpecialRequest', {
  name: line(100),
  description: text(1000),
  startDate: Time.optional().meta({ description: 'The default is the current time.' }),
  endDate: Time,
  currencyId: CurrencyId,
  minBetUsd: Amount.default('0'),
  prizes: Prizes,
  eligible: strictObject('LeaderboardGames', {
    categories: list(64),
    providerIds: z.array(z.number().int().min(0).max(2_147_483_647)).max(100).default([]),
    gameSlugs: list(100),
  }).prefault({}),
});
type SpecialRequest = z.output<typeof SpecialRequest>;

export const createSpecial = operation({
  method: 'POST',
  path: '/admin/leaderboards',
  tag: 'Admin Leaderboard',
  access: { permission: 'leaderboard.pay' },
  gate: 'none',
  stepUp: true,
  createsValue: 'pays',
  summary: 'Create a special leaderboard',
  description: 'Special leaderboards are independent of the schedules. Prizes may be paid automatically.',
  body: SpecialRequest,
  response: Leaderboard,
  errors: [
    commonErrors.CURRENCY_NOT_FOUND,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
  ],
  handler: (deps: LeaderboardDeps, { by, body }) =>
    withProposals(deps.db, by, () =>
      transaction(deps.db, async (tx) => {
        const currencyId = deps.currencies.get(body.currencyId).id;
        const prizes = sortedPrizes(body.prizes);
        const minBetUsd = parseAbove(-1n, body.minBetUsd);
        await lockPlayers(tx, [by.user.id]);
        const { now, generation } = await startingNow(tx);
        await freshActor(tx, by);
        const dates = readDates(body, now);
        const request = { ...body, currencyId, prizes, minBetUsd };
        const leave = await assertSpecial(tx, deps, by, request);
        const run = await insertRun(tx, deps, { ...request, ...dates, generation, by, leave });
        await queueAdvance(
          tx,
          run.id,
          dates.hasBegun ? new Date(dates.endDate.getTime() + SETTLES_MS) : dates.startDate,
        );
        await announce(tx, [run.id]);
        await recordAudit(tx, by, { after: { ...toRunAudit(run), ...pairOf(leave) } });
        return toRun(run);
      }),
    ),
});

type Request = Omit<SpecialRequest, 'prizes' | 'minBetUsd'> & { prizes: PrizePlace[]; minBetUsd: Units };

const DAY_MS = 86_400_000;
const LONGEST_MS = 366 * DAY_MS;

type Dates = { startDate: Date; endDate: Date; hasBegun: boolean };

/** Returns the dates of a leaderboard. Throws 400 VALIDATION_FAILED. */
function readDates({ startDate: start, endDate: end }: SpecialRequest, now: Date): Dates {
  const startDate = start === undefined ? now : new Date(start);
  const endDate = new Date(end);
  if (startDate < now) throw invalidField('startDate', 'is in the past; earlier bets are no longer counted');
  const lasts = endDate.getTime() - startDate.getTime();
  if (lasts <= 0 || lasts > LONGEST_MS || startDate.getTime() - now.getTime() > LONGEST_MS)
    throw invalidField('endDate', 'needs to be after startDate; both within 366 days');
  return { startDate, endDate, hasBegun: startDate.getTime() === now.getTime() };
}

/**
 * Checks the staff limits. A leaderboard's prizes count towards them when the leaderboard is created, because they may be paid
 * automatically. The proposal contains everything that determines who wins, so that the second approver approves exactly that leaderboard.
 */
function assertSpecial(
  tx: Tx,
  deps: LeaderboardDeps,
  by: StaffCall,
  { name, currencyId, startDate, endDate, eligible, prizes, minBetUsd }: Request,
): Promise<Leave> {
  return assertValue(tx, deps, by, {
    operation: 'leaderboard.special',
    input: {
      name,
      currencyId,
      startDate: startDate ?? null,
      endDate,
      minBetUsd: formatUnits(minBetUsd),
      prizes: JSON.stringify(prizes),
      categories: JSON.stringify(eligible.categories),
      providerIds: JSON.stringify(eligible.providerIds),
      gameSlugs: JSON.stringify(eligible.gameSlugs),
    },
    usdAmount: sumOf(prizes),
    recipients: [],
    reason: `Leaderboard ${name}`,
    setUpBy: [by.user.id],
  });
}

type NewRun = Omit<Request, 'startDate' | 'endDate'> &
  Dates & { generation: number; by: StaffCall; leave: Leave };

async function insertRun(
  tx: Tx,
  { siteConfig }: LeaderboardDeps,
  { by, leave, eligible, hasBegun, ...run }: NewRun,
): Promise<RunRow> {
  const row = await tx
    .insertInto('leaderboards')
    .values({
      type: 'SPECIAL',
      status: hasBegun ? 'ACTIVE' : 'SCHEDULED',
      name: run.name,
      description: run.description,
      currency_id: run.currencyId,
      min_bet_usd: run.minBetUsd,
      prizes: JSON.stringify(run.prizes),
      categories: eligible.categories,
      provider_ids: eligible.providerIds,
      game_slugs: eligible.gameSlugs,
      moves_prizes_up: siteConfig.get('COMMON').leaderboards.movesPrizesUp,
      start_date: run.startDate,
      end_date: run.endDate,
      generation: run.generation,
      created_by: by.user.id,
      approved_by: leave.agreed?.actor_id ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as RunRow;
}

export const cancelLeaderboard = operation({
  method: 'POST',
  path: '/admin/leaderboards/{leaderboardId}/cancel',
  tag: 'Admin Leaderboard',
  access: { permission: 'leaderboard.write' },
  gate: 'none',
  summary: 'Cancel a leaderboard that has not ended',
  description: 'No prizes are paid.',
  params: LeaderboardPath,
  body: z.strictObject({ reason: text(500).trim().min(1) }),
  response: Leaderboard,
  errors: [leaderboardErrors.LEADERBOARD_NOT_FOUND, leaderboardErrors.LEADERBOARD_STATUS_CONFLICT],
  handler: ({ db }: LeaderboardDeps, { by, params, body: { reason } }) =>
    transaction(db, async (tx) => {
      const id = idOf(params.leaderboardId);
      const run = id === undefined ? undefined : await lockRun(tx, id);
      await freshActor(tx, by);
      if (!run) throw leaderboardErrors.LEADERBOARD_NOT_FOUND();
      if (run.status !== 'SCHEDULED' && run.status !== 'ACTIVE')
        throw leaderboardErrors.LEADERBOARD_STATUS_CONFLICT({ status: run.status });
      await setStatus(tx, run.id, 'CANCELLED');
      await announce(tx, [run.id]);
      const after = (await findRun(tx, run.id))!;
      await recordAudit(tx, by, { before: toRunAudit(run), after: toRunAudit(after), reason });
      return toRun(after);
    }),
});
