import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { currencyToUsdDown, formatUnits } from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { getUser, isHidden } from '../../base/users/service.ts';
import { type Gate, transactionTime } from '../../compliance/gate/service.ts';
import { betErrors } from '../../games/bets/errors.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { challengeErrors } from './errors.ts';
import { getForStaff } from './lists.ts';
import {
  type ChallengeRow,
  type Facts,
  findChallenge,
  insertAward,
  lockChallenge,
  ownerOf,
  readFacts,
  termsOf,
  updateChallenge,
} from './queries.ts';
import { refusalOf } from './rules.ts';
import type { ChallengeAward } from './schemas.ts';
import { auditOf, type Shown, type ToUsd, titleOfRow } from './show.ts';

export type AwardDeps = {
  db: Db;
  gate: Gate;
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
  toUsd: ToUsd;
};
type Request = z.output<typeof ChallengeAward> & { id: string; key: string | undefined };

/**
 * Pays the reward to the player of a bet that can win, chosen or another, and finishes the challenge. Throws 404 CHALLENGE_NOT_FOUND,
 * BET_NOT_FOUND, CURRENCY_NOT_FOUND, 409 CHALLENGE_FINISHED, CHALLENGE_BET_NOT_ELIGIBLE, RATE_STALE, what the gate refuses, and as
 * lockForDecision does.
 */
export async function award(deps: AwardDeps, by: StaffCall, { key, ...request }: Request): Promise<Shown> {
  const betId = BigInt(request.betId);
  if (!(await findChallenge(deps.db, request.id))) throw challengeErrors.CHALLENGE_NOT_FOUND();
  const userId = await ownerOf(deps.db, betId);
  if (userId === undefined) throw betErrors.BET_NOT_FOUND();
  const repeatable = {
    userId: by.user.id,
    key,
    operation: 'challenge.award',
    input: request,
    alsoLocks: [userId],
  };
  return runIdempotently(deps.db, repeatable, async (tx) => {
    await lockForDecision(tx, by, userId);
    const before = await lockChallenge(tx, request.id);
    if (!before) throw challengeErrors.CHALLENGE_NOT_FOUND();
    if (before.status === 'FINISHED') throw challengeErrors.CHALLENGE_FINISHED();
    const facts = (await readFacts(tx, before.id, betId))!;
    const rule = refusalOf(termsOf(before), facts.bet, facts.player);
    if (rule) throw challengeErrors.CHALLENGE_BET_NOT_ELIGIBLE({ rule });
    await pay(tx, deps, by, { challenge: before, betId, facts, sendNotification: request.sendNotification });
    const after = (await findChallenge(tx, before.id))!;
    await recordAudit(tx, by, { before: auditOf(before), after: auditOf(after) });
    return getForStaff({ ...deps, db: tx }, by, before.id);
  });
}

type Won = { challenge: ChallengeRow; betId: bigint; facts: Facts; sendNotification: boolean };

/** Player and challenge must be locked. */
async function pay(
  tx: Tx,
  deps: AwardDeps,
  by: StaffCall,
  { challenge, betId, facts, sendNotification }: Won,
): Promise<void> {
  const { userId } = facts;
  const winner = await getUser(tx, userId);
  await deps.gate.assertMay(tx, { action: 'bonus', userId, country: winner.country_code });
  const { id, reward_currency_id: currencyId, reward_amount: amount } = challenge;
  const usdAmount = currencyToUsdDown(amount, deps.currencies.freshRate(deps.currencies.get(currencyId)));
  const n = challenge.awards + 1;
  await payReward(tx, {
    userId,
    currencyId,
    amount,
    usdAmount,
    kind: 'challenge.reward',
    from: 'prizes',
    key: `challenge:${id}:${n}`,
    actorId: by.user.id,
  });
  await insertAward(tx, {
    challenge_id: id,
    n,
    bet_id: betId,
    user_id: userId,
    currency_id: currencyId,
    amount,
    usd_amount: usdAmount,
    confirmed_by: by.user.id,
  });
  const isChosen = challenge.winner_bet_id === betId;
  await updateChallenge(tx, id, {
    status: 'FINISHED',
    winner_id: userId,
    winner_bet_id: betId,
    winner_selected_at: isChosen ? challenge.winner_selected_at : await transactionTime(tx),
    winner_confirmed_by: by.user.id,
    awards: n,
  });
  const reward = { rewardCurrency: currencyId, rewardAmount: formatUnits(amount) };
  const title = titleOfRow(challenge);
  const name = isHidden(winner) ? null : winner.username;
  if (!challenge.is_hidden)
    await emitEvent(tx, {
      event: 'challenge.won',
      data: { challengeId: id, title, winner: name, ...reward },
    });
  if (sendNotification)
    await notify(tx, userId, 'challenge.won', {
      challengeId: id,
      title,
      amount: reward.rewardAmount,
      currencyId,
    });
}
