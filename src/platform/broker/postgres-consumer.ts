import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db.ts';
import type { Log } from '../log.ts';
import { type Message, reasonOf } from './broker.ts';
import { bury, claim, type Held, messageOf, postpone, remove } from './postgres-queries.ts';

/** Looked for without a notice: it may have been lost, and what waits for its next attempt gives none. */
const LOOK_MS = 5000;
const STORE_AGAIN_MS = 250;

export type ConsumerForm = {
  queue: string;
  /** 1: in order. */
  atOnce: number;
  handle: (message: Message) => Promise<void>;
  maxAttempts: number;
  backoffMs: readonly number[];
};
export type PostgresConsumer = { wake(): void; close(): Promise<void> };

/** Claims messages of one queue ahead of their turn, hands them out, and stores what became of them. */
export function startConsumer(
  { queue, atOnce, handle, maxAttempts, backoffMs }: ConsumerForm,
  { db, holder, log }: { db: Db; holder: string; log: Log },
): PostgresConsumer {
  const [most, least] = atOnce === 1 ? [20, 10] : [atOnce, 1];
  const closing = new AbortController();
  const held = new Set<Promise<void>>();
  const removed: bigint[] = [];
  let news = Promise.withResolvers<void>();
  let last: Promise<void> = Promise.resolve();
  let removing: Promise<void> | undefined;

  const wake = () => news.resolve();
  /** What became of a message is kept, also while the database is away; others get it again when this process is not there. */
  const store = async (work: () => Promise<void>) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (closing.signal.aborted) return;
        log.warn({ queue, error: reasonOf(error) }, 'the broker cannot store what became of a message');
        await sleep(STORE_AGAIN_MS, undefined, { ref: false });
      }
    }
  };
  const removeTogether = async () => {
    while (removed.length > 0) {
      const ids = removed.splice(0);
      await store(() => remove(db, holder, ids));
    }
    removing = undefined;
  };
  const done = (id: bigint): Promise<void> => {
    removed.push(id);
    removing ??= Promise.resolve().then(removeTogether);
    return removing;
  };
  const failed = async ({ id, message_id, attempt }: Held, error: unknown) => {
    const facts = { queue, messageId: message_id, attempt: attempt + 1, error: reasonOf(error) };
    if (attempt + 1 < maxAttempts) {
      const afterMs = backoffMs[Math.min(attempt, backoffMs.length - 1)] ?? 0;
      log.warn(facts, 'a message failed; it is tried again');
      await store(() => postpone(db, holder, id, afterMs));
      setTimeout(wake, afterMs).unref();
    } else {
      log.error(facts, 'a message failed for the last time; it is a dead letter');
      await store(() => bury(db, holder, { id, attempts: attempt + 1, reason: facts.error }));
    }
  };
  const take = async (message: Held): Promise<() => Promise<void>> => {
    if (closing.signal.aborted) return async () => undefined;
    if (message.attempt >= maxAttempts) {
      const died = new Error('the processes that handled it died');
      return () => failed({ ...message, attempt: message.attempt - 1 }, died);
    }
    try {
      await handle(messageOf(message));
      return () => done(message.id);
    } catch (error) {
      return () => failed(message, error);
    }
  };
  const hand = (message: Held) => {
    const handled = (atOnce === 1 ? last : Promise.resolve()).then(() => take(message));
    last = handled.then(() => undefined);
    const stored = handled.then((store) => store());
    held.add(stored);
    void stored.finally(() => {
      held.delete(stored);
      wake();
    });
  };

  const repeat = async () => {
    while (!closing.signal.aborted) {
      news = Promise.withResolvers<void>();
      // In order they are taken ahead, several with one statement.
      const room = most - held.size;
      const found = room >= least ? await claim(db, queue, holder, room).catch(() => []) : [];
      for (const message of found) hand(message);
      if (found.length > 0 && found.length === room) continue;
      const rest = new AbortController();
      const look = sleep(LOOK_MS, undefined, { signal: rest.signal, ref: false }).catch(() => undefined);
      await Promise.race([news.promise, look]);
      rest.abort();
    }
  };
  const repeating = repeat();
  return {
    wake,
    async close() {
      closing.abort();
      wake();
      await repeating;
      await Promise.all(held);
    },
  };
}
