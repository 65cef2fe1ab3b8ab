import { isUnavailable } from '../../../platform/database-errors.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import type { Wish } from './eligibility.ts';
import { chatErrors } from './errors.ts';
import type { Acknowledged } from './write.ts';

type Write = (wishes: readonly Wish[]) => Promise<(Acknowledged | AppError)[]>;
type Waiting = { wish: Wish; done: (answer: Acknowledged) => void; failed: (error: unknown) => void };

/** Transactions at a time: while one waits for a lock, the other goes on. */
const LANES = 2;
/** Messages of one transaction, and such as wait: of all players and of one. */
const MOST_TOGETHER = 100;
const MOST_WAITING = 5000;
const MOST_OF_ONE = 3;

/**
 * Messages that arrive while others are being written share the next transaction, one of each player: however many there are, they occupy few
 * connections, and each is answered after its commit.
 */
export function createQueue(write: Write) {
  let waiting: Waiting[] = [];
  const inFlight = new Set<number>();
  const running = new Set<Promise<void>>();
  let isClosed = false;

  const take = (): Waiting[] => {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    for (const one of waiting) {
      const { userId } = one.wish;
      const fits = batch.length < MOST_TOGETHER && !inFlight.has(userId);
      (fits ? batch : left).push(one);
      if (fits) inFlight.add(userId);
    }
    waiting = left;
    return batch;
  };
  const go = (): void => {
    while (running.size < LANES && waiting.length > 0) {
      const batch = take();
      if (batch.length === 0) return;
      const run = writeBatch(write, batch).finally(() => {
        for (const { wish } of batch) inFlight.delete(wish.userId);
        running.delete(run);
        go();
      });
      running.add(run);
    }
  };
  return {
    /** Throws the refusal, 429 CHAT_TOO_FAST while several messages of the player wait, 503 SERVICE_UNAVAILABLE while too many of all do. */
    add(wish: Wish): Promise<Acknowledged> {
      if (isClosed || waiting.length >= MOST_WAITING)
        throw commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 2 });
      if (waiting.filter((one) => one.wish.userId === wish.userId).length >= MOST_OF_ONE)
        throw chatErrors.CHAT_TOO_FAST({ retryAfterSeconds: 1 });
      return new Promise((done, failed) => {
        waiting.push({ wish, done, failed });
        go();
      });
    },
    /** Ends what waits, and lets what is being written be written. */
    async close(): Promise<void> {
      isClosed = true;
      for (const { failed } of waiting.splice(0)) failed(commonErrors.SERVICE_UNAVAILABLE());
      await Promise.all(running);
    },
  };
}

/** One message that cannot be written must not fail the others. Never throws. */
async function writeBatch(write: Write, batch: readonly Waiting[]): Promise<void> {
  try {
    const answers = await write(batch.map(({ wish }) => wish));
    for (const [i, { done, failed }] of batch.entries()) {
      const answer = answers[i]!;
      if (answer instanceof AppError) failed(answer);
      else done(answer);
    }
  } catch (error) {
    if (batch.length === 1 || isUnavailable(error)) for (const { failed } of batch) failed(error);
    else for (const one of batch) await writeBatch(write, [one]);
  }
}
