import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId, Id } from '../../../http/schemas.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { currencyToUsdDown, formatUnits, type Units } from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { event, events } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import {
  assertValue,
  type Leave,
  pairOf,
  staffValueErrors,
  withProposals,
} from '../../base/staff-value/service.ts';
import { getUser, isHidden } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { betErrors } from '../../games/bets/schemas.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { challengeMessages } from './messages.ts';
import {
  type ChallengeDeps,
  type ChallengeRow,
  challengeErrors,
  type Facts,
  findChallenge,
  holdMoment,
  insertAward,
  lockChallenge,
  ownerOf,
  readFacts,
  termsOf,
  updateChallenge,
} from './queries.ts';
import { RULES, refusalOf } from './rules.ts';
import { auditOf, BetId, Challenge, ChallengePath, getForStaff, titleOfRow } from './view.ts';

export const challengeEvents = events({
  'challenge.won': event(
    'public',
    'The reward of a challenge was paid to its winner.',
    z.strictObject({
      challengeId: Id,
      title: z.string(),
      winner: z.string().nullable().meta({ description: 'The username; null for hidden players.' }),
      rewardCurrency: CurrencyId,
      rewardAmount: Amount,
    }),
  ),
});

export const payAward = operation({
  method: 'POST',
  path: '/admin/challenge/{id}/award',
  tag: 'Admin Challenge',
  access: { permission: 'challenge.pay' },
  gate: 'staff',
  stepUp: true,
  createsValue: 'pays',
  idempotent: true,
  summary: 'Pay the reward and finish a challenge',
  description:
    'Pays the player of the selected bet, or of another bet that can win. The bet is checked again. If ' +
    `CHALLENGE_BET_NOT_ELIGIBLE is returned, \`details.rule\` is the rule that the bet does not meet: ${RULES.join(', ')}.`,
  params: ChallengePath,
  body: z.strictObject({ betId: BetId, sendNotification: z.boolean() }),
  response: Challenge,
  errors: [
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    challengeErrors.CHALLENGE_NOT_FOUND,
    betErrors.BET_NOT_FOUND,
    challengeErrors.CHALLENGE_FINISHED,
    challengeErrors.CHALLENGE_BET_NOT_ELIGIBLE,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
    gateErrors.AUTH_GEO_BLOCKED,
    commonErrors.CURRENCY_NOT_FOUND,
    currencyErrors.RATE_STALE,
  ],
  handler: async (deps: ChallengeDeps, { by, params: { id }, body, idempotencyKey: key }) => {
    const betId = BigInt(body.betId);
    if (!(await findChallenge(deps.db, id))) throw challengeErrors.CHALLENGE_NOT_FOUND();
    const userId = await ownerOf(deps.db, betId);
    if (userId === undefined) throw betErrors.BET_NOT_FOUND();
    const request = {
      userId: by.user.id,
      key,
      operation: 'challenge.award',
      input: { id, ...body },
      alsoLocks: [userId],
    };
    const work = async (tx: Tx) => {
      await lockForDecision(tx, by, userId);
      const before = await lockChallenge(tx, id);
      if (!before) throw challengeErrors.CHALLENGE_NOT_FOUND();
      if (before.status === 'FINISHED') throw challengeErrors.CHALLENGE_FINISHED();
      const facts = (await readFacts(tx, id, betId))!;
      const rule = refusalOf(termsOf(before), facts.bet, facts.player);
      if (rule) throw challengeErrors.CHALLENGE_BET_NOT_ELIGIBLE({ rule });
      const leave = await assertAward(tx, deps, by, { challenge: before, betId, userId });
      await pay(tx, deps, by, { challenge: before, betId, facts, sendNotification: body.sendNotification });
      const after = (await findChallenge(tx, id))!;
      await recordAudit(tx, by, {
        before: auditOf(before),
        after: { ...auditOf(after), ...pairOf(leave) },
      });
      return getForStaff(tx, deps, by, id);
    };
    return withProposals(deps.db, by, () => runIdempotently(deps.db, request, work));
  },
});

/**
 * Checks the staff limits. A reward counts towards them when it is paid. The staff member who set the amount may not pay the reward alone.
 */
function assertAward(
  tx: Tx,
  deps: ChallengeDeps,
  by: StaffCall,
  { challenge, betId, userId }: { challenge: ChallengeRow; betId: bigint; userId: number },
): Promise<Leave> {
  const usdAmount = usdOf(deps, challenge);
  const { reward_amount: amount, reward_currency_id: currencyId } = challenge;
  return assertValue(tx, deps, by, {
    operation: 'challenge.award',
    input: { challengeId: challenge.id, betId: String(betId), amount: formatUnits(amount), currencyId },
    usdAmount,
    recipients: [{ userId, usdAmount }],
    reason: `Reward of challenge ${challenge.id}`,
    setUpBy: [challenge.reward_set_by ?? challenge.created_by],
  });
}

/** Returns the USD value of the reward. Throws 409 RATE_STALE or 404 CURRENCY_NOT_FOUND. */
const usdOf = (
  { currencies }: ChallengeDeps,
  { reward_currency_id: currencyId, reward_amount: amount }: ChallengeRow,
): Units => currencyToUsdDown(amount, currencies.freshRate(currencies.get(currencyId)));

type Won = { challenge: ChallengeRow; betId: bigint; facts: Facts; sendNotification: boolean };

/** Pays the reward. The player and the challenge must be locked. */
async function pay(
  tx: Tx,
  deps: ChallengeDeps,
  by: StaffCall,
  { challenge, betId, facts, sendNotification }: Won,
): Promise<void> {
  const { userId } = facts;
  const winner = await getUser(tx, userId);
  await deps.gate.assertMay(tx, { action: 'bonus', userId, country: winner.country_code });
  const { id, reward_currency_id: currencyId, reward_amount: amount } = challenge;
  const usdAmount = usdOf(deps, challenge);
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
    created_at: (await holdMoment(tx)).at,
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
      event: challengeEvents['challenge.won'],
      data: { challengeId: id, title, winner: name, ...reward },
    });
  if (sendNotification)
    await notify(tx, userId, challengeMessages['challenge.won'], {
      challengeId: id,
      title,
      amount: reward.rewardAmount,
      currencyId,
    });
}
