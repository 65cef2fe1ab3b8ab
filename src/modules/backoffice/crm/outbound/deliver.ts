import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import { type Db, transaction } from '../../../../platform/database/db.ts';
import { messageOf } from '../../../../platform/errors.ts';
import { LeftAlone, NotSent, type Outbound, Unanswered } from '../../../../platform/net/outbound.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { buryJob } from '../../../../platform/queue/dead.ts';
import { JobHopeless } from '../../../../platform/queue/queue.ts';
import * as queries from './queries.ts';
import { isAlwaysSent, MAX_ATTEMPTS, pauseAfter, type Verdict, verdictOf } from './rules.ts';

/** The task of a dead letter. When it runs, it appends the message to its player's waiting messages. */
export const REDELIVER = 'crm.deliver';

type Deps = { db: Db; outbound: Outbound; secret: string; clock: Clock; log: Log };

/** The number of players whose messages are delivered concurrently. */
const WIDTH = 8;
const PLAYERS = 200;
/** A run starts no delivery after this time, so that the worker can stop. */
const RUN_MS = 2000;
/** Time after which an idle process reads whether a message is due: a retry, or a message that another process has stored. */
const READ_MS = 5000;

/**
 * The result for a player. IDLE: no messages are left. LATER: the next attempt is scheduled. LEFT_ALONE: the message was not sent
 * because the circuit breaker is open.
 */
type Outcome = 'IDLE' | 'LATER' | 'LEFT_ALONE';

/**
 * Posts messages to the CRM, in order for each player. A message that cannot be delivered delays only later messages of the same player.
 * Only one process may run this at a time. A message may be delivered twice, but always with the same id.
 */
export function createDelivery(deps: Deps) {
  let readAt = Number.NEGATIVE_INFINITY;
  /** Reports that there may be messages, so that the next check reads whether one is due. */
  const wake = () => {
    readAt = Number.NEGATIVE_INFINITY;
  };
  return {
    wake,
    async isDue(): Promise<boolean> {
      if (performance.now() - readAt < READ_MS) return false;
      readAt = performance.now();
      return queries.isAnyDue(deps.db);
    },
    run: (closing?: AbortSignal): Promise<void> => deliver(deps, closing).finally(wake),
  };
}

async function deliver(deps: Deps, closing?: AbortSignal): Promise<void> {
  const until = performance.now() + RUN_MS;
  let isLeftAlone = false;
  const mayContinue = () => !isLeftAlone && !closing?.aborted && performance.now() < until;
  for (let players = await queries.duePlayers(deps.db, PLAYERS); players.length > 0 && mayContinue(); ) {
    const lane = async () => {
      while (mayContinue()) {
        const userId = players.pop();
        if (userId === undefined) return;
        if ((await deliverTo(deps, userId, mayContinue)) === 'LEFT_ALONE') isLeftAlone = true;
      }
    };
    players.reverse();
    await Promise.all(Array.from({ length: WIDTH }, lane));
    players = await queries.duePlayers(deps.db, PLAYERS);
  }
}

async function deliverTo(deps: Deps, userId: number, mayContinue: () => boolean): Promise<Outcome> {
  const { db } = deps;
  do {
    const message = await queries.nextMessage(db, userId);
    if (!message) {
      await queries.setIdle(db, userId);
      return 'IDLE';
    }
    if (message.isSilenced && !isAlwaysSent(message.name)) {
      await queries.removeMessage(db, message.id);
      continue;
    }
    const verdict = await post(deps, message);
    if (verdict === 'LEFT_ALONE') return verdict;
    if (verdict.is === 'DONE') await queries.removeMessage(db, message.id);
    else if (await handleFailure(deps, message, verdict)) return 'LATER';
  } while (mayContinue());
  return 'LATER';
}

async function post(
  { outbound, secret, clock }: Deps,
  { eventId, body }: queries.Waiting,
): Promise<Verdict | 'LEFT_ALONE'> {
  const timestamp = String(Math.floor(clock.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  try {
    const { status } = await outbound.ask({
      method: 'POST',
      path: '',
      headers: {
        'content-type': 'application/json',
        'x-event-id': eventId,
        'x-timestamp': timestamp,
        'x-signature': signature,
      },
      body,
    });
    return verdictOf(status);
  } catch (error) {
    if (error instanceof LeftAlone) return 'LEFT_ALONE';
    if (error instanceof NotSent || error instanceof Unanswered)
      return { is: 'AGAIN', reason: messageOf(error) };
    throw error;
  }
}

/** Schedules a retry and returns true, or makes the message a dead letter and returns false. */
async function handleFailure(
  { db, log }: Deps,
  message: queries.Waiting,
  { is, reason }: Exclude<Verdict, { is: 'DONE' }>,
): Promise<boolean> {
  const { id, userId, eventId, name, body } = message;
  const attempts = message.attempts + 1;
  const facts = { eventId, type: name, attempt: attempts, reason };
  if (is === 'AGAIN' && attempts < MAX_ATTEMPTS) {
    log.warn(facts, 'crm message failed, will be retried');
    await queries.postpone(db, message, pauseAfter(attempts));
    return true;
  }
  log.error(facts, 'crm message failed, now a dead letter');
  await transaction(db, async (tx) => {
    await queries.removeMessage(tx, id);
    await buryJob(tx, REDELIVER, { userId, eventId, name, body }, { attempts, reason });
  });
  return false;
}

const DeadLetter = z.object({
  userId: z.number().int(),
  eventId: z.string(),
  name: z.string(),
  body: z.string(),
});

/** Handles the task of a dead letter. */
export const createRedelivery =
  (db: Db) =>
  async (payload: unknown): Promise<void> => {
    const letter = DeadLetter.safeParse(payload);
    if (!letter.success) throw new JobHopeless('is not a message');
    await transaction(db, (tx) => queries.insertMessages(tx, [letter.data]));
  };
