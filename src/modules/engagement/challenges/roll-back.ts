import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { post } from '../../money/ledger/post.ts';
import { countGiven } from '../../money/rewards/pay.ts';
import { challengeErrors } from './errors.ts';
import { getForStaff } from './lists.ts';
import {
  type AwardRow,
  type ChallengeRow,
  endAward,
  findChallenge,
  lockChallenge,
  standingAward,
  updateChallenge,
} from './queries.ts';
import { queueDecision } from './queue.ts';
import { takenOf, usdOfTaken } from './rules.ts';
import type { ChallengeRollback } from './schemas.ts';
import { auditOf, type Shown, type ToUsd, titleOfRow } from './show.ts';

export type RollBackDeps = { db: Db; toUsd: ToUsd };
type Request = z.output<typeof ChallengeRollback> & { id: string; key: string | undefined };

/**
 * Takes the reward back; the bet does not win the challenge again, and another one can. Throws 404 CHALLENGE_NOT_FOUND, 409
 * CHALLENGE_NOT_AWARDED, CHALLENGE_REWARD_SPENT, and as lockForDecision does.
 */
export async function rollBack(
  deps: RollBackDeps,
  by: StaffCall,
  { key, ...request }: Request,
): Promise<Shown> {
  const known = await findChallenge(deps.db, request.id);
  if (!known) throw challengeErrors.CHALLENGE_NOT_FOUND();
  const repeatable = {
    userId: by.user.id,
    key,
    operation: 'challenge.rollback',
    input: request,
    alsoLocks: known.winner_id === null ? [] : [known.winner_id],
  };
  return runIdempotently(deps.db, repeatable, async (tx) => {
    const before = await lockFinished(tx, by, request.id);
    const { reason, withdrawLessIfNotEnoughBalance: takesLess, sendNotification } = request;
    const taken = await takeReward(tx, before, { by: by.user.id, reason, takesLess });
    if (sendNotification) await tellWinner(tx, before, taken);
    const after = (await findChallenge(tx, before.id))!;
    await recordAudit(tx, by, {
      before: auditOf(before),
      after: { ...auditOf(after), taken: formatUnits(taken) },
      reason,
    });
    return getForStaff({ ...deps, db: tx }, by, before.id);
  });
}

/** Locks the winner, then the challenge. */
async function lockFinished(tx: Tx, by: StaffCall, id: string): Promise<ChallengeRow> {
  const known = await findChallenge(tx, id);
  if (!known) throw challengeErrors.CHALLENGE_NOT_FOUND();
  if (known.status !== 'FINISHED') throw challengeErrors.CHALLENGE_NOT_AWARDED();
  await lockForDecision(tx, by, known.winner_id!);
  const row = await lockChallenge(tx, id);
  if (row?.status !== 'FINISHED' || row.winner_id !== known.winner_id)
    throw challengeErrors.CHALLENGE_NOT_AWARDED();
  return row;
}

/**
 * After the paid bet itself was rolled back: takes what is there of the reward, and what is not stays with us. Winner and challenge must be
 * locked.
 */
export async function rollBackPaid(tx: Tx, challenge: ChallengeRow): Promise<void> {
  const taken = await takeReward(tx, challenge, { by: null, reason: null, takesLess: true });
  if (taken > 0n) await tellWinner(tx, challenge, taken);
  await emitEvent(tx, { event: 'admin.alert', data: { kind: 'CHALLENGE_REVERSED', id: challenge.id } });
}

type How = { by: number | null; reason: string | null; takesLess: boolean };

async function takeReward(tx: Tx, challenge: ChallengeRow, { by, reason, takesLess }: How): Promise<Units> {
  const award = await standingAward(tx, challenge.id);
  const { user_id: userId, currency_id: currencyId } = award;
  const wallet = (await balancesOf(tx, userId)).find((balance) => balance.currencyId === currencyId);
  const cash = wallet?.cash ?? 0n;
  const taken = takenOf(award.amount, { cash, takesLess });
  if (taken === undefined)
    throw challengeErrors.CHALLENGE_REWARD_SPENT({ currencyId, available: formatUnits(cash) });
  if (taken > 0n) await postBack(tx, award, { taken, by, reason });
  await endAward(tx, award, { taken, by, reason });
  await updateChallenge(tx, challenge.id, {
    status: 'ACTIVE',
    winner_id: null,
    winner_bet_id: null,
    winner_selected_at: null,
    winner_confirmed_by: null,
  });
  await queueDecision(tx, challenge.id);
  return taken;
}

async function postBack(
  tx: Tx,
  award: AwardRow,
  { taken, by, reason }: { taken: Units; by: number | null; reason: string | null },
): Promise<void> {
  const { user_id: userId, currency_id: currencyId } = award;
  const kind = 'challenge.rollback';
  await post(tx, [
    {
      key: `challenge:${award.challenge_id}:${award.n}:rollback`,
      kind,
      postings: [{ userId, currencyId, kind, debit: 'cash', credit: 'prizes', amount: taken }],
      ...(by !== null && { actorId: by }),
      ...(reason !== null && { memo: reason }),
    },
  ]);
  const usdAmount = usdOfTaken({ amount: award.amount, usdAmount: award.usd_amount }, taken);
  await countGiven(tx, kind, { userId, currencyId, amount: taken, usdAmount });
}

const tellWinner = (tx: Tx, challenge: ChallengeRow, taken: Units): Promise<void> =>
  notify(tx, challenge.winner_id!, 'challenge.rolled-back', {
    challengeId: challenge.id,
    title: titleOfRow(challenge),
    amount: formatUnits(taken),
    currencyId: challenge.reward_currency_id,
  });
