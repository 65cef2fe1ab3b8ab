import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import { type Db, transaction } from '../../../../platform/db.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import { LeftAlone, NotSent, type Outbound, Unanswered } from '../../../../platform/outbound.ts';
import { JobHopeless } from '../../../../platform/queue.ts';
import { buryJob } from '../../../../platform/queue-dead.ts';
import * as queries from './queries.ts';
import { isAlwaysSent, MOST_ATTEMPTS, pauseAfter, type Verdict, verdictOf } from './rules.ts';

/** The task of a message that was given up: run again, it waits anew behind those of its player. */
export const REDELIVER = 'crm.deliver';

type Deps = { db: Db; outbound: Outbound; secret: string; clock: Clock; log: Log };

/** Players whose messages are on their way at the same time. */
const WIDTH = 8;
const PLAYERS = 200;
/** A turn begins no message after this time, so that the worker can stop. */
const TURN_MS = 2000;

/** What has become of a player: nothing waits, the next try is later, or the CRM is to be left alone. */
type Outcome = 'REST' | 'LATER' | 'LEFT_ALONE';

/**
 * Posts messages to the CRM, of each player one after the other: what cannot be delivered holds up those behind it, and nobody else's. Run it
 * in one process at a time. A message may come twice, with the same id.
 */
export const createDelivery = (deps: Deps) => ({
  isDue: () => queries.isAnyDue(deps.db),

  async turn(closing?: AbortSignal): Promise<void> {
    const until = performance.now() + TURN_MS;
    let isLeftAlone = false;
    const goesOn = () => !isLeftAlone && !closing?.aborted && performance.now() < until;
    for (let players = await queries.duePlayers(deps.db, PLAYERS); players.length > 0 && goesOn(); ) {
      const lane = async () => {
        while (goesOn()) {
          const userId = players.pop();
          if (userId === undefined) return;
          if ((await deliverTo(deps, userId, goesOn)) === 'LEFT_ALONE') isLeftAlone = true;
        }
      };
      players.reverse();
      await Promise.all(Array.from({ length: WIDTH }, lane));
      players = await queries.duePlayers(deps.db, PLAYERS);
    }
  },
});

async function deliverTo(deps: Deps, userId: number, goesOn: () => boolean): Promise<Outcome> {
  const { db } = deps;
  do {
    const message = await queries.nextMessage(db, userId);
    if (!message) {
      await queries.rest(db, userId);
      return 'REST';
    }
    if (message.isSilenced && !isAlwaysSent(message.name)) {
      await queries.removeMessage(db, message.id);
      continue;
    }
    const verdict = await post(deps, message);
    if (verdict === 'LEFT_ALONE') return verdict;
    if (verdict.is === 'DONE') await queries.removeMessage(db, message.id);
    else if (await failed(deps, message, verdict)) return 'LATER';
  } while (goesOn());
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

/** Whether the message is tried again later; otherwise it is a dead letter. */
async function failed(
  { db, log }: Deps,
  message: queries.Waiting,
  { is, reason }: Exclude<Verdict, { is: 'DONE' }>,
): Promise<boolean> {
  const { id, userId, eventId, name, body } = message;
  const attempts = message.attempts + 1;
  const facts = { eventId, type: name, attempt: attempts, reason };
  if (is === 'AGAIN' && attempts < MOST_ATTEMPTS) {
    log.warn(facts, 'the CRM has not taken a message; it is sent again');
    await queries.postpone(db, message, pauseAfter(attempts));
    return true;
  }
  log.error(facts, 'the CRM has not taken a message; it is a dead letter');
  await transaction(db, async (tx) => {
    await queries.removeMessage(tx, id);
    await buryJob(tx, REDELIVER, { userId, eventId, name, body }, { attempts, reason });
  });
  return false;
}

const Letter = z.object({
  userId: z.number().int(),
  eventId: z.string(),
  name: z.string(),
  body: z.string(),
});

/** Runs the job of a message that was given up. */
export const createRedelivery =
  (db: Db) =>
  async (payload: unknown): Promise<void> => {
    const letter = Letter.safeParse(payload);
    if (!letter.success) throw new JobHopeless('is no message');
    await transaction(db, (tx) => queries.insertMessages(tx, [letter.data]));
  };
