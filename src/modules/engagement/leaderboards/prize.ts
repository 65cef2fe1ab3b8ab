import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { JobHopeless } from '../../../platform/queue.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { getUser } from '../../base/users/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { leaderboardErrors } from './errors.ts';
import { finishIfPaid, type Given, pay } from './pay.ts';
import { findRun, idOf, lockRun, type RunRow, type ScoreRow } from './queries.ts';
import { type Amounts, amountsOf } from './rules.ts';
import type { PrizeRequest } from './schemas.ts';

export type PrizeDeps = { db: Db; gate: Gate; currencies: Currencies };
type Wanted = z.output<typeof PrizeRequest>;

const Job = z.object({ leaderboardId: z.number().int(), userId: z.number().int() });

export function createPrizes(deps: PrizeDeps) {
  return {
    /**
     * Staff gives a prize, once per place. Throws 404 LEADERBOARD_NOT_FOUND, LEADERBOARD_USER_NOT_FOUND, CURRENCY_NOT_FOUND, 409
     * LEADERBOARD_NOT_FINISHED, LEADERBOARD_PRIZE_PAID, LEADERBOARD_NO_PRIZE, RATE_STALE, 400 AMOUNT_OUT_OF_RANGE, what the gate refuses the
     * winner, and as lockForDecision does.
     */
    give: (by: StaffCall, wanted: Wanted, key: string | undefined): Promise<Given> =>
      runIdempotently(
        deps.db,
        {
          userId: by.user.id,
          key,
          operation: 'leaderboard.prize',
          input: wanted,
          alsoLocks: [wanted.userId],
        },
        (tx) => give(tx, deps, by, wanted),
      ),

    /** The job of the queue: pays a winner by itself. Whoever may not receive the prize at this moment loses it for good. */
    payOwed: (payload: unknown): Promise<void> => {
      const job = Job.safeParse(payload);
      if (!job.success) throw new JobHopeless('names no winner');
      return transaction(deps.db, (tx) => payOwed(tx, deps, job.data));
    },
  };
}

async function give(tx: Tx, deps: PrizeDeps, by: StaffCall, wanted: Wanted): Promise<Given> {
  const { userId, currency: currencyId } = wanted;
  const named = readAmounts(wanted);
  const runId = idOf(wanted.leaderboardId);
  if (runId === undefined || !(await findRun(tx, runId))) throw leaderboardErrors.LEADERBOARD_NOT_FOUND();
  if (!(await findScore(tx, runId, userId))) throw leaderboardErrors.LEADERBOARD_USER_NOT_FOUND();
  await lockForDecision(tx, by, userId);
  const { run, score } = await lockWinner(tx, runId, userId);
  const prizeUsd = await prizeOf(tx, run, score);
  const amounts = amountsOf(prizeUsd, named);
  if (!amounts) throw commonErrors.AMOUNT_OUT_OF_RANGE({ prizeUsdAmount: formatUnits(prizeUsd) });
  await assertMayReceive(tx, deps, userId);
  const given = await pay(tx, deps, { run, score, ...amounts, currencyId, actorId: by.user.id });
  const facts = { leaderboardId: wanted.leaderboardId, userId, place: score.place };
  await recordAudit(tx, by, { before: { ...facts, paidAt: null }, after: { ...facts, ...given } });
  return given;
}

/** Amounts above zero, of eight decimals at most. Throws 400 AMOUNT_OUT_OF_RANGE. */
function readAmounts({ usdAmount, fullUsdAmount }: Wanted): Partial<Amounts> {
  const read = (text: string): Units => {
    const amount = parseUnits(text);
    if (!amount) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
    return amount;
  };
  return {
    ...(usdAmount !== undefined && { usdAmount: read(usdAmount) }),
    ...(fullUsdAmount !== undefined && { fullUsdAmount: read(fullUsdAmount) }),
  };
}

const findScore = (tx: Tx, runId: number, userId: number): Promise<ScoreRow | undefined> =>
  tx
    .selectFrom('leaderboard_scores')
    .selectAll()
    .where('leaderboard_id', '=', runId)
    .where('user_id', '=', userId)
    .executeTakeFirst();

/** The player must be locked. */
async function lockWinner(tx: Tx, runId: number, userId: number): Promise<{ run: RunRow; score: ScoreRow }> {
  const run = (await lockRun(tx, runId))!;
  const score = await findScore(tx, runId, userId);
  if (!score) throw leaderboardErrors.LEADERBOARD_USER_NOT_FOUND();
  return { run, score };
}

/** What the place wins and nobody has paid. */
async function prizeOf(tx: Tx, run: RunRow, score: ScoreRow): Promise<Units> {
  if (run.status !== 'AWAITING_PAYOUT' && run.status !== 'FINISHED')
    throw leaderboardErrors.LEADERBOARD_NOT_FINISHED({ status: run.status });
  const paid = await findPayment(tx, score);
  if (paid) throw leaderboardErrors.LEADERBOARD_PRIZE_PAID({ transactionId: String(paid.entry_id) });
  if (score.prize_usd === null) throw leaderboardErrors.LEADERBOARD_NO_PRIZE();
  return score.prize_usd;
}

const findPayment = (tx: Tx, { leaderboard_id, user_id }: ScoreRow) =>
  tx
    .selectFrom('leaderboard_prizes')
    .select('entry_id')
    .where('leaderboard_id', '=', leaderboard_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst();

async function assertMayReceive(tx: Tx, { gate }: PrizeDeps, userId: number): Promise<void> {
  const { country_code: country } = await getUser(tx, userId);
  await gate.assertMay(tx, { action: 'bonus', userId, country });
}

async function payOwed(
  tx: Tx,
  deps: PrizeDeps,
  { leaderboardId: runId, userId }: z.output<typeof Job>,
): Promise<void> {
  const { country_code: country } = await getUser(tx, userId);
  const refusals = await deps.gate.refusals(tx, { action: 'bonus', userId, country });
  const run = await lockRun(tx, runId);
  const score = await findScore(tx, runId, userId);
  // Somebody else has paid it, or the places were frozen anew.
  if (run?.status !== 'AWAITING_PAYOUT' || !score?.prize_usd || (await findPayment(tx, score))) return;
  if (refusals.length > 0) {
    await skip(tx, score);
    return finishIfPaid(tx, run);
  }
  const amounts = { usdAmount: score.prize_usd, fullUsdAmount: score.prize_usd };
  await pay(tx, deps, { run, score, ...amounts, currencyId: run.currency_id });
}

const skip = (tx: Tx, { leaderboard_id, user_id }: ScoreRow) =>
  tx
    .updateTable('leaderboard_scores')
    .set({ prize_usd: null, is_skipped: true })
    .where('leaderboard_id', '=', leaderboard_id)
    .where('user_id', '=', user_id)
    .execute();
