import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId, Id, strictObject } from '../../../http/schemas.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import {
  assertValue,
  type Leave,
  pairOf,
  staffValueErrors,
  withProposals,
} from '../../base/staff-value/service.ts';
import { UserId } from '../../base/users/schemas.ts';
import { getUser } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { findPayment, findScore, pay } from './prizes.ts';
import { getRun, lockRun, type RunRow, type ScoreRow } from './queries.ts';
import { type Amounts, amountsOf } from './rules.ts';
import { LeaderboardPrize, leaderboardErrors } from './schemas.ts';
import type { LeaderboardDeps } from './service.ts';

const PrizeRequest = strictObject('GivePrizeRequest', {
  usdAmount: Amount.optional().meta({ description: "The default is the prize for the player's rank." }),
  fullUsdAmount: Amount.optional().meta({
    description: "The nominal prize. The default is the prize for the player's rank.",
  }),
  currency: CurrencyId,
  leaderboardId: Id,
  userId: UserId,
});
type PrizeRequest = z.output<typeof PrizeRequest>;

export const givePrize = operation({
  method: 'POST',
  path: '/admin/leaderboards/give-prize',
  tag: 'Admin Leaderboard',
  access: { permission: 'leaderboard.pay' },
  gate: 'staff',
  stepUp: true,
  createsValue: 'pays',
  idempotent: true,
  summary: 'Pay a winner the prize for their rank',
  description:
    'Each prize is paid once, at the current exchange rate. Paying the last prize finishes the leaderboard.',
  body: PrizeRequest,
  response: LeaderboardPrize,
  errors: [
    leaderboardErrors.LEADERBOARD_NOT_FOUND,
    leaderboardErrors.LEADERBOARD_USER_NOT_FOUND,
    leaderboardErrors.LEADERBOARD_NOT_FINISHED,
    leaderboardErrors.LEADERBOARD_PRIZE_PAID,
    leaderboardErrors.LEADERBOARD_NO_PRIZE,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    commonErrors.CURRENCY_NOT_FOUND,
    currencyErrors.RATE_STALE,
    gateErrors.USER_BANNED,
    gateErrors.SELF_EXCLUDED,
    gateErrors.AUTH_GEO_BLOCKED,
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
  ],
  handler: (deps: LeaderboardDeps, { by, body, idempotencyKey: key }) => {
    const request = {
      userId: by.user.id,
      key,
      operation: 'leaderboard.prize',
      input: body,
      alsoLocks: [body.userId],
    };
    return withProposals(deps.db, by, () =>
      runIdempotently(deps.db, request, (tx) => give(tx, deps, by, body)),
    );
  },
});

async function give(
  tx: Tx,
  deps: LeaderboardDeps,
  by: StaffCall,
  request: PrizeRequest,
): Promise<z.input<typeof LeaderboardPrize>> {
  const { leaderboardId, userId, currency: currencyId } = request;
  const requested = readAmounts(request);
  const { id: runId } = await getRun(tx, leaderboardId);
  if (!(await findScore(tx, runId, userId))) throw leaderboardErrors.LEADERBOARD_USER_NOT_FOUND();
  await lockForDecision(tx, by, userId);
  const { run, score } = await lockWinner(tx, runId, userId);
  const prizeUsd = await unpaidPrizeOf(tx, run, score);
  const amounts = amountsOf(prizeUsd, requested);
  if (!amounts) throw commonErrors.AMOUNT_OUT_OF_RANGE({ prizeUsdAmount: formatUnits(prizeUsd) });
  const { country_code: country } = await getUser(tx, userId);
  await deps.gate.assertMay(tx, { action: 'bonus', userId, country });
  const leave = await assertPrize(tx, deps, by, { request, run, usdAmount: amounts.usdAmount });
  const given = await pay(tx, deps, { run, score, ...amounts, currencyId, actorId: by.user.id });
  const facts = { leaderboardId, userId, place: score.place };
  await recordAudit(tx, by, {
    before: { ...facts, paidAt: null },
    after: { ...facts, ...given, ...pairOf(leave) },
  });
  return given;
}

const assertPrize = (
  tx: Tx,
  deps: LeaderboardDeps,
  by: StaffCall,
  {
    request: { leaderboardId, userId, currency: currencyId },
    run,
    usdAmount,
  }: { request: PrizeRequest; run: RunRow; usdAmount: Units },
): Promise<Leave> =>
  assertValue(tx, deps, by, {
    operation: 'leaderboard.prize',
    input: { leaderboardId, userId, currencyId, usdAmount: formatUnits(usdAmount) },
    usdAmount,
    recipients: [{ userId, usdAmount }],
    reason: `Prize of leaderboard ${leaderboardId}`,
    setUpBy: [run.created_by, run.approved_by],
    isBudgeted: run.approved_by !== null,
  });

/** Parses amounts above zero with at most eight decimals. Throws 400 AMOUNT_OUT_OF_RANGE. */
function readAmounts({ usdAmount, fullUsdAmount }: PrizeRequest): Partial<Amounts> {
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

/** Locks the run and the score of a winner. The player must already be locked. */
async function lockWinner(tx: Tx, runId: number, userId: number): Promise<{ run: RunRow; score: ScoreRow }> {
  const run = (await lockRun(tx, runId))!;
  const score = await findScore(tx, runId, userId);
  if (!score) throw leaderboardErrors.LEADERBOARD_USER_NOT_FOUND();
  return { run, score };
}

/** Returns the prize of the player's rank. Throws 409 if the rank has no prize, the prize was paid, or the ranks are not final. */
async function unpaidPrizeOf(tx: Tx, run: RunRow, score: ScoreRow): Promise<Units> {
  if (run.status !== 'AWAITING_PAYOUT' && run.status !== 'FINISHED')
    throw leaderboardErrors.LEADERBOARD_NOT_FINISHED({ status: run.status });
  const paid = await findPayment(tx, score);
  if (paid) throw leaderboardErrors.LEADERBOARD_PRIZE_PAID({ transactionId: String(paid.entry_id) });
  if (score.prize_usd === null) throw leaderboardErrors.LEADERBOARD_NO_PRIZE();
  return score.prize_usd;
}
