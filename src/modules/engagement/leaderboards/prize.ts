import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import {
  currencyToUsdDown,
  formatUnits,
  parseUnits,
  type Units,
  usdToCurrencyDown,
} from '../../../platform/money.ts';
import { JobHopeless } from '../../../platform/queue.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { getUser } from '../../base/users/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { announceState } from './announce.ts';
import { leaderboardErrors } from './errors.ts';
import { findRun, idOf, lockRun, type RunRow, type ScoreRow, setStatus } from './queries.ts';
import { type Amounts, amountsOf } from './rules.ts';
import type { LeaderboardPrize, PrizeRequest } from './schemas.ts';

export type PrizeDeps = { db: Db; gate: Gate; currencies: Currencies };
type Wanted = z.output<typeof PrizeRequest>;
type Given = z.input<typeof LeaderboardPrize>;

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
async function prizeOf(tx: Tx, run: RunRow, { user_id, prize_usd }: ScoreRow): Promise<Units> {
  if (run.status !== 'AWAITING_PAYOUT' && run.status !== 'FINISHED')
    throw leaderboardErrors.LEADERBOARD_NOT_FINISHED({ status: run.status });
  if (prize_usd === null) throw leaderboardErrors.LEADERBOARD_NO_PRIZE();
  const paid = await tx
    .selectFrom('leaderboard_prizes')
    .select('entry_id')
    .where('leaderboard_id', '=', run.id)
    .where('user_id', '=', user_id)
    .executeTakeFirst();
  if (paid) throw leaderboardErrors.LEADERBOARD_PRIZE_PAID({ transactionId: String(paid.entry_id) });
  return prize_usd;
}

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
  if (run?.status !== 'AWAITING_PAYOUT' || !score?.prize_usd || (await isPaid(tx, score))) return;
  if (refusals.length > 0) {
    await skip(tx, score);
    return finishIfPaid(tx, run);
  }
  const amounts = { usdAmount: score.prize_usd, fullUsdAmount: score.prize_usd };
  await pay(tx, deps, { run, score, ...amounts, currencyId: run.currency_id });
}

const isPaid = async (tx: Tx, { leaderboard_id, user_id }: ScoreRow): Promise<boolean> =>
  (await tx
    .selectFrom('leaderboard_prizes')
    .select('user_id')
    .where('leaderboard_id', '=', leaderboard_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()) !== undefined;

const skip = (tx: Tx, { leaderboard_id, user_id }: ScoreRow) =>
  tx
    .updateTable('leaderboard_scores')
    .set({ prize_usd: null, is_skipped: true })
    .where('leaderboard_id', '=', leaderboard_id)
    .where('user_id', '=', user_id)
    .execute();

type Payment = Amounts & { run: RunRow; score: ScoreRow; currencyId: string; actorId?: number };

/** Pays at the rate of now, tells the winner, and finishes the run with its last prize. Player and run must be locked. */
async function pay(tx: Tx, { currencies }: PrizeDeps, payment: Payment): Promise<Given> {
  const { run, score, usdAmount, fullUsdAmount, currencyId, actorId } = payment;
  const userId = score.user_id;
  const place = score.place!;
  const currency = currencies.get(currencyId);
  const rate = currencies.freshRate(currency);
  const amount = usdToCurrencyDown(usdAmount, rate, currency.decimals);
  if (amount === 0n) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals: currency.decimals });
  const { entryId, at } = await payReward(tx, {
    userId,
    currencyId,
    amount,
    usdAmount: currencyToUsdDown(amount, rate),
    kind: 'leaderboard.prize',
    from: 'prizes',
    key: `leaderboard:${run.id}:${userId}`,
    ...(actorId !== undefined && { actorId }),
  });
  await tx
    .insertInto('leaderboard_prizes')
    .values({
      leaderboard_id: run.id,
      user_id: userId,
      place,
      usd_amount: usdAmount,
      full_usd_amount: fullUsdAmount,
      currency_id: currencyId,
      amount,
      entry_id: entryId,
      paid_by: actorId ?? null,
      created_at: at as never,
    })
    .execute();
  const shown = { leaderboardId: String(run.id), place, amount: formatUnits(amount), currencyId };
  await notify(tx, userId, 'leaderboard.prize', { ...shown, name: run.name });
  await finishIfPaid(tx, run);
  return {
    ...shown,
    userId,
    usdAmount: formatUnits(usdAmount),
    fullUsdAmount: formatUnits(fullUsdAmount),
    transactionId: String(entryId),
    paidAt: iso(at),
  };
}

async function finishIfPaid(tx: Tx, run: RunRow): Promise<void> {
  const { rows } = await sql<{ isOpen: boolean }>`
    select exists (
      select from leaderboard_scores s left join leaderboard_prizes p using (leaderboard_id, user_id)
      where s.leaderboard_id = ${run.id} and s.prize_usd is not null and p.user_id is null) as "isOpen"`.execute(
    tx,
  );
  if (rows[0]!.isOpen) return;
  await setStatus(tx, run.id, 'FINISHED');
  await announceState(tx, { ...run, status: 'FINISHED' });
}
