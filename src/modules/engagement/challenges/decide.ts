import { sql } from 'kysely';
import { z } from 'zod';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { JobHopeless } from '../../../platform/queue.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { effectsAfterCursor } from '../../games/bets/effects.ts';
import { createSafeWatermark } from '../../money/ledger/safe-watermark.ts';
import { CURSOR } from './administer.ts';
import {
  type Candidate,
  type ChallengeRow,
  findChallenge,
  firstCandidate,
  lockChallenge,
  readFacts,
  termsOf,
  updateChallenge,
} from './queries.ts';
import { queueDecision, SETTLES_FOR_MS } from './queue.ts';
import { rollBackPaid } from './roll-back.ts';
import { refusalOf, refusalOfBet } from './rules.ts';

export type DecideDeps = { db: Db };

const Job = z.object({ challengeId: z.uuid() });

/** The job of the queue. */
export async function runDecision(deps: DecideDeps, payload: unknown): Promise<void> {
  const job = Job.safeParse(payload);
  if (!job.success) throw new JobHopeless('names no challenge');
  await decide(deps, job.data.challengeId);
}

/** Looks whether the winner of a challenge stands, and chooses one where it has none. Asks for another look where it is too early. */
export async function decide(deps: DecideDeps, id: string): Promise<void> {
  await review(deps.db, id);
  const challenge = await findChallenge(deps.db, id);
  if (challenge?.status === 'ACTIVE') await choose(deps, id);
}

/** A bet that was chosen and does not count any more makes room for the next; of one that was paid the reward is taken back. */
async function review(db: Db, id: string): Promise<void> {
  const known = await findChallenge(db, id);
  if (!known || known.winner_id === null) return;
  await transaction(db, async (tx) => {
    await lockPlayers(tx, [known.winner_id!]);
    const challenge = await lockChallenge(tx, id);
    // Whoever has changed it meanwhile has asked for another look.
    if (!challenge || challenge.winner_bet_id !== known.winner_bet_id) return;
    if (await stands(tx, challenge)) return;
    if (challenge.status === 'FINISHED') return rollBackPaid(tx, challenge);
    await updateChallenge(tx, id, {
      status: 'ACTIVE',
      winner_id: null,
      winner_bet_id: null,
      winner_selected_at: null,
    });
  });
}

async function stands(tx: Tx, challenge: ChallengeRow): Promise<boolean> {
  const facts = await readFacts(tx, challenge.id, challenge.winner_bet_id!);
  // Its month is detached: it does not change any more.
  return !facts || refusalOfBet(termsOf(challenge), facts.bet) === undefined;
}

/** While the consumer is not far enough, or a bet that wins is being rolled back. */
const AGAIN_MS = 2000;

/** Chooses the bet that was settled first, once all that could have been settled before it is in. */
async function choose({ db }: DecideDeps, id: string): Promise<void> {
  const first = await firstCandidate(db, id);
  if (!first) return;
  const isIn = await isSettledFor(db, first);
  const isConsumed = isIn && (await hasConsumed(db));
  await transaction(db, async (tx) => {
    if (!isIn) return queueDecision(tx, id, first.settledAt);
    if (!isConsumed || !(await select(tx, id, first))) await again(tx, id);
  });
}

async function isSettledFor(db: Db, { settledAt }: Candidate): Promise<boolean> {
  const { rows } = await sql<{ isIn: boolean }>`
    select ${settledAt}::timestamptz + ${SETTLES_FOR_MS} * interval '1 ms' <= clock_timestamp() as "isIn"`.execute(
    db,
  );
  return rows[0]!.isIn;
}

/** Transactions that had ids when the look began are waited for so long. */
const PATIENCE_MS = 1000;

/** Whether all of them have ended, and the consumer has consumed what they have done. */
async function hasConsumed(db: Db): Promise<boolean> {
  const below = await createSafeWatermark(db, { patienceMs: PATIENCE_MS })();
  if (below === 0n) return false;
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from ${effectsAfterCursor(CURSOR, sql`true`)} effects where position < ${below}) as waits`.execute(
    db,
  );
  return !rows[0]!.waits;
}

/** False: it is not the first any more, or does not count; another look is needed. */
async function select(tx: Tx, id: string, first: Candidate): Promise<boolean> {
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

async function again(tx: Tx, id: string): Promise<void> {
  const at = await transactionTime(tx);
  await queueDecision(tx, id, new Date(at.getTime() + AGAIN_MS - SETTLES_FOR_MS));
}
