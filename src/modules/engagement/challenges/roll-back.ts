import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { text } from '../../../http/schemas.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits } from '../../../platform/money.ts';
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
import { notifyWinner, reverseReward } from './decide.ts';
import {
  type ChallengeDeps,
  type ChallengeRow,
  challengeErrors,
  findChallenge,
  getStandingAward,
  lockChallenge,
} from './queries.ts';
import { auditOf, Challenge, ChallengePath, getForStaff } from './view.ts';

export const rollBackAward = operation({
  method: 'POST',
  path: '/admin/challenge/{id}/rollback',
  tag: 'Admin Challenge',
  access: { permission: 'challenge.pay' },
  gate: 'staff',
  stepUp: true,
  createsValue: 'pays',
  idempotent: true,
  summary: 'Reverse a paid reward and reopen the challenge',
  description:
    "The bet cannot win this challenge again, but another bet can. Deducts the reward from the winner's balance. If the balance " +
    'is too low, nothing is deducted unless withdrawLessIfNotEnoughBalance is true.',
  params: ChallengePath,
  body: z.strictObject({
    reason: text(500).trim().min(1),
    withdrawLessIfNotEnoughBalance: z.boolean(),
    sendNotification: z.boolean(),
  }),
  response: Challenge,
  errors: [
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    challengeErrors.CHALLENGE_NOT_FOUND,
    challengeErrors.CHALLENGE_NOT_AWARDED,
    challengeErrors.CHALLENGE_REWARD_SPENT,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
  ],
  handler: async (deps: ChallengeDeps, { by, params: { id }, body, idempotencyKey: key }) => {
    const { reason, withdrawLessIfNotEnoughBalance: takesLess, sendNotification } = body;
    const found = await findChallenge(deps.db, id);
    if (!found) throw challengeErrors.CHALLENGE_NOT_FOUND();
    const request = {
      userId: by.user.id,
      key,
      operation: 'challenge.rollback',
      input: { id, ...body },
      alsoLocks: found.winner_id === null ? [] : [found.winner_id],
    };
    const work = async (tx: Tx) => {
      const before = await lockFinished(tx, by, id);
      const leave = await assertRollback(tx, deps, by, { challenge: before, reason });
      const taken = await reverseReward(tx, before, { by: by.user.id, reason, takesLess });
      if (sendNotification) await notifyWinner(tx, before, taken);
      const after = (await findChallenge(tx, id))!;
      await recordAudit(tx, by, {
        before: auditOf(before),
        after: { ...auditOf(after), taken: formatUnits(taken), ...pairOf(leave) },
        reason,
      });
      return getForStaff(tx, deps, by, id);
    };
    return withProposals(deps.db, by, () => runIdempotently(deps.db, request, work));
  },
});

async function assertRollback(
  tx: Tx,
  deps: ChallengeDeps,
  by: StaffCall,
  { challenge, reason }: { challenge: ChallengeRow; reason: string },
): Promise<Leave> {
  const { n, user_id: userId, usd_amount: usdAmount } = await getStandingAward(tx, challenge.id);
  return assertValue(tx, deps, by, {
    operation: 'challenge.rollback',
    input: { challengeId: challenge.id, award: n },
    usdAmount,
    recipients: [{ userId, usdAmount }],
    reason,
  });
}

/** Locks the winner, then the challenge. */
async function lockFinished(tx: Tx, by: StaffCall, id: string): Promise<ChallengeRow> {
  const found = await findChallenge(tx, id);
  if (!found) throw challengeErrors.CHALLENGE_NOT_FOUND();
  if (found.status !== 'FINISHED') throw challengeErrors.CHALLENGE_NOT_AWARDED();
  await lockForDecision(tx, by, found.winner_id!);
  const row = await lockChallenge(tx, id);
  if (row?.status !== 'FINISHED' || row.winner_id !== found.winner_id)
    throw challengeErrors.CHALLENGE_NOT_AWARDED();
  return row;
}
