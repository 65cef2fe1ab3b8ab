import { sql } from 'kysely';
import { z } from 'zod';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { addJob, JobHopeless } from '../../../platform/queue/queue.ts';
import { baseEvents } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { effectsAfterCursor } from '../../games/bets/effects.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { post } from '../../money/ledger/post.ts';
import { createSafeWatermark } from '../../money/ledger/safe-watermark.ts';
import { countGiven } from '../../money/rewards/pay.ts';
import { challengeMessages } from './messages.ts';
import { publicationOf } from './publication.ts';
import {
  type AwardRow,
  type Candidate,
  type ChallengeRow,
  CURSOR,
  challengeErrors,
  endAward,
  findChallenge,
  firstCandidate,
  getStandingAward,
  lockChallenge,
  readFacts,
  termsOf,
  updateChallenge,
} from './queries.ts';
import { refusalOf, refusalOfBet, takenOf, usdOfTaken } from './rules.ts';
import { titleOfRow } from './view.ts';

/** The task that reviews a challenge's winner, or selects a winner if there is none. */
export const DECIDE = 'challenge-decision';

/**
 * How long after its settlement a bet must wait before it can win. By then, all bets that were settled earlier but committed later have
 * arrived.
 */
const SETTLES_FOR_MS = 3000;

/**
 * Queues a decision about a challenge for the time at which a bet that was settled at `settledAt` can win. Without `settledAt` the decision
 * is due immediately. A queued decision that is due earlier keeps its time.
 */
export const queueDecision = (tx: Tx, challengeId: string, settledAt?: Date): Promise<void> =>
  addJob(
    tx,
    DECIDE,
    { challengeId },
    {
      key: `${DECIDE}:${challengeId}`,
      ...(settledAt && { runAt: new Date(settledAt.getTime() + SETTLES_FOR_MS), keepsTime: true }),
    },
  );

type DecideDeps = { db: Db };

const Job = z.object({ challengeId: z.uuid() });

/** The handler of the task `challenge-decision`. */
export async function runDecision(deps: DecideDeps, payload: unknown): Promise<void> {
  const job = Job.safeParse(payload);
  if (!job.success) throw new JobHopeless('the payload contains no challenge id');
  await decide(deps, job.data.challengeId);
}

/** Reviews the winner of a challenge, or selects a winner if there is none. Queues another decision if it is too early. */
export async function decide(deps: DecideDeps, id: string): Promise<void> {
  await review(deps.db, id);
  const challenge = await findChallenge(deps.db, id);
  if (challenge?.status === 'ACTIVE') await selectWinner(deps, id);
}

/** Discards a selected bet that no longer counts, so that the next one can win. If the reward was paid, it is reversed. */
async function review(db: Db, id: string): Promise<void> {
  const found = await findChallenge(db, id);
  if (!found || found.winner_id === null) return;
  await transaction(db, async (tx) => {
    await lockPlayers(tx, [found.winner_id!]);
    const challenge = await lockChallenge(tx, id);
    // A concurrent change of the winner has already queued its own review.
    if (!challenge || challenge.winner_bet_id !== found.winner_bet_id) return;
    if (await stillCounts(tx, challenge)) return;
    if (challenge.status === 'FINISHED') return reverseAfterRollback(tx, challenge);
    await reopen(tx, challenge);
  });
}

/** Reopens a challenge that has lost its winner. */
async function reopen(tx: Tx, challenge: ChallengeRow): Promise<void> {
  const published = await publicationOf(tx, { ...challenge, status: 'ACTIVE' });
  await updateChallenge(tx, challenge.id, {
    status: 'ACTIVE',
    winner_id: null,
    winner_bet_id: null,
    winner_selected_at: null,
    winner_confirmed_by: null,
    ...published,
  });
}

async function stillCounts(tx: Tx, challenge: ChallengeRow): Promise<boolean> {
  const facts = await readFacts(tx, challenge.id, challenge.winner_bet_id!);
  // The current state of bets in detached months is unknown. Such a bet remains valid, because it can no longer change.
  return !facts || refusalOfBet(termsOf(challenge), facts.bet) === undefined;
}

/** The delay before the next attempt if the consumer lags or a winning bet is being rolled back. */
const RETRY_MS = 2000;

/** Selects the bet that was settled first, once the consumer has processed every bet that may have been settled before it. */
async function selectWinner({ db }: DecideDeps, id: string): Promise<void> {
  const first = await firstCandidate(db, id);
  if (!first) return;
  const isDue = await hasSettledLongEnough(db, first);
  const isConsumed = isDue && (await isConsumedSoFar(db));
  await transaction(db, async (tx) => {
    if (!isDue) return queueDecision(tx, id, first.settledAt);
    if (!isConsumed || !(await storeWinner(tx, id, first))) await retryLater(tx, id);
  });
}

async function hasSettledLongEnough(db: Db, { settledAt }: Candidate): Promise<boolean> {
  const { rows } = await sql<{ isDue: boolean }>`
    select ${settledAt}::timestamptz + ${SETTLES_FOR_MS} * interval '1 ms' <= clock_timestamp() as "isDue"`.execute(
    db,
  );
  return rows[0]!.isDue;
}

/** The maximum wait for transactions that have already reserved ids. */
const PATIENCE_MS = 1000;

/** Returns true if all transactions with reserved ids have ended and the consumer has processed their bets. */
async function isConsumedSoFar(db: Db): Promise<boolean> {
  const below = await createSafeWatermark(db, { patienceMs: PATIENCE_MS })();
  if (below === 0n) return false;
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from ${effectsAfterCursor(CURSOR, sql`true`)} effects where position < ${below}) as waits`.execute(
    db,
  );
  return !rows[0]!.waits;
}

/** Stores the winner. Returns false if the bet is no longer the first one or no longer counts. Another attempt is then needed. */
async function storeWinner(tx: Tx, id: string, first: Candidate): Promise<boolean> {
  const { betId, userId } = first;
  await lockPlayers(tx, [userId]);
  const challenge = await lockChallenge(tx, id);
  if (challenge?.status !== 'ACTIVE') return true;
  const now = await firstCandidate(tx, id);
  const facts = await readFacts(tx, id, betId);
  if (now?.betId !== betId || !facts || refusalOf(termsOf(challenge), facts.bet, facts.player)) return false;
  await updateChallenge(tx, id, {
    status: 'WINNER_SELECTED',
    winner_id: userId,
    winner_bet_id: betId,
    winner_selected_at: await transactionTime(tx),
  });
  return true;
}

async function retryLater(tx: Tx, id: string): Promise<void> {
  const at = await transactionTime(tx);
  await queueDecision(tx, id, new Date(at.getTime() + RETRY_MS - SETTLES_FOR_MS));
}

/**
 * Reverses the reward after the winning bet was rolled back. Takes at most the winner's balance, and the casino bears the rest. The winner
 * and the challenge must be locked.
 */
async function reverseAfterRollback(tx: Tx, challenge: ChallengeRow): Promise<void> {
  const taken = await reverseReward(tx, challenge, { by: null, reason: null, takesLess: true });
  if (taken > 0n) await notifyWinner(tx, challenge, taken);
  await emitEvent(tx, {
    event: baseEvents['admin.alert'],
    data: { kind: 'CHALLENGE_REVERSED', id: challenge.id },
  });
}

type Reversal = { by: number | null; reason: string | null; takesLess: boolean };

/**
 * Takes the reward from the winner's balance and reopens the challenge. Returns the amount taken. Throws 409 CHALLENGE_REWARD_SPENT if the
 * balance is too low and `takesLess` is false.
 */
export async function reverseReward(
  tx: Tx,
  challenge: ChallengeRow,
  { by, reason, takesLess }: Reversal,
): Promise<Units> {
  const award = await getStandingAward(tx, challenge.id);
  const { user_id: userId, currency_id: currencyId } = award;
  const wallet = (await balancesOf(tx, userId)).find((balance) => balance.currencyId === currencyId);
  const cash = wallet?.cash ?? 0n;
  const taken = takenOf(award.amount, { cash, takesLess });
  if (taken === undefined)
    throw challengeErrors.CHALLENGE_REWARD_SPENT({ currencyId, available: formatUnits(cash) });
  if (taken > 0n) await postReversal(tx, award, { taken, by, reason });
  await endAward(tx, award, { taken, by, reason });
  await reopen(tx, challenge);
  await queueDecision(tx, challenge.id);
  return taken;
}

async function postReversal(
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

export const notifyWinner = (tx: Tx, challenge: ChallengeRow, taken: Units): Promise<void> =>
  notify(tx, challenge.winner_id!, challengeMessages['challenge.rolled-back'], {
    challengeId: challenge.id,
    title: titleOfRow(challenge),
    amount: formatUnits(taken),
    currencyId: challenge.reward_currency_id,
  });

/** Returns unpaid rewards of challenges with a winner, by currency. */
export async function unpaidRewards(db: DbOrTx): Promise<Map<string, Units>> {
  const rows = await db
    .selectFrom('challenges')
    .select(['reward_currency_id as currencyId', sql<string>`sum(reward_amount)::text`.as('amount')])
    .where('status', '=', 'WINNER_SELECTED')
    .where('deleted_at', 'is', null)
    .groupBy('reward_currency_id')
    .execute();
  return new Map(rows.map(({ currencyId, amount }) => [currencyId, BigInt(amount)]));
}
