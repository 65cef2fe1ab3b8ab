import { randomUUID } from 'node:crypto';
import { type Db, transaction } from '../database/db.ts';
import { isUnavailable } from '../database/errors.ts';
import type { Primary } from '../database/replica/primary.ts';
import { type Presence, startPresence } from '../jobs/presence.ts';
import { pause, within } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import { logFailure, type Message, reasonOf } from './broker.ts';
import * as queries from './postgres-queries.ts';

const CLOSE_MS = 5000;
const DECLARED_MS = 3000;
const TIMEOUT_MS = 3000;
const BEAT_MS = 1000;
/** Polling interval. Polling is needed because a notification may be lost, and none is sent when a retry becomes due. */
const LOOK_MS = 5000;
const STORE_AGAIN_MS = 250;

export type ConsumerForm = {
  queue: string;
  patterns: readonly string[];
  lasts: boolean;
  /** Number of messages handled concurrently. With 1 they are handled in order. */
  concurrency: number;
  handle: (message: Message) => Promise<void>;
  maxAttempts: number;
  backoffMs: readonly number[];
};

type Entry = { form: ConsumerForm; consumer?: Consumer };
type Parts = { db: Db; connectionString: string; primary?: Primary; name: string; log: Log };

/** Creates the consumers of this process. The process is registered as alive while it has at least one consumer. */
export function createConsumers(parts: Parts) {
  const { db, log } = parts;
  const holder = randomUUID();
  const entries = new Map<string, Entry>();
  const connected = Promise.withResolvers<true>();
  let presence: Presence | undefined;

  const begin = async (entry: Entry) => {
    await transaction(db, (tx) => queries.declareQueue(tx, { ...entry.form, holder }));
    entry.consumer ??= startConsumer(entry.form, { db, holder, log });
    entry.consumer.wake();
  };
  return {
    async add(form: ConsumerForm): Promise<void> {
      if (entries.has(form.queue)) throw new Error(`${form.queue} is consumed here already`);
      const entry: Entry = { form };
      entries.set(form.queue, entry);
      presence ??= startBrokerPresence(parts, {
        holder,
        onConnect: async () => {
          for (const one of entries.values()) await begin(one);
          connected.resolve(true);
        },
        onNews: (queue) => entries.get(queue)?.consumer?.wake(),
        // Registers queues that are missing. The first attempt may have failed on a slow database, or another process may have declared
        // this process dead.
        onConsumed: async (queues) => {
          for (const one of entries.values())
            if (!one.consumer || !queues.includes(one.form.queue)) await begin(one);
        },
      });
      // Messages cannot be consumed while the database is unavailable. Consuming starts once the database is available again.
      if (!(await within(DECLARED_MS, connected.promise))) return;
      try {
        await begin(entry);
      } catch (error) {
        // The database is slow or unavailable. The next presence check retries.
        if (isUnavailable(error)) return;
        entries.delete(form.queue);
        throw error;
      }
    },
    async close(): Promise<void> {
      if (!presence) return;
      const closing = [...entries.values()].map(({ consumer }) => consumer?.close());
      await within(CLOSE_MS, Promise.all(closing));
      await presence.close();
      await queries.leave(db, holder).catch(() => undefined);
    },
  };
}

type Seen = { queues: string[]; isUntidy: boolean };

/** Registers this process as a consumer, listens for queues with new messages, and releases the messages of dead processes. */
function startBrokerPresence(
  { db, connectionString, primary, name, log }: Parts,
  hooks: {
    holder: string;
    onConnect: () => Promise<void>;
    onNews: (queue: string) => void;
    /** Receives the names of the queues that this process consumes, as stored in the database. */
    onConsumed: (queues: readonly string[]) => Promise<void>;
  },
): Presence {
  return startPresence<Seen>({
    kind: 'broker',
    holder: hooks.holder,
    connection: { connectionString, primary, timeoutMs: TIMEOUT_MS, name: `croupier ${name} broker` },
    everyMs: BEAT_MS,
    held: queries.HOLDERS,
    alsoSee: queries.SEEN,
    async onConnect(client) {
      client.on('notification', ({ payload }) => hooks.onNews(payload ?? ''));
      await client.query(`listen ${queries.CHANNEL}`);
      await hooks.onConnect();
    },
    async onGone(holders) {
      const messages = await queries.free(db, holders);
      log.warn(
        { holders: holders.length, messages },
        'consumer processes died; their messages were reassigned',
      );
    },
    async onSeen({ queues, isUntidy }) {
      await hooks.onConsumed(queues);
      if (!isUntidy) return;
      await queries.dropTemporary(db);
      await queries.dropExpired(db);
    },
    log,
  });
}

type Consumer = ReturnType<typeof startConsumer>;

/** Claims messages of one queue as fast as the handler processes them, and stores the outcome of each. */
function startConsumer(form: ConsumerForm, { db, holder, log }: { db: Db; holder: string; log: Log }) {
  const { queue, concurrency, backoffMs } = form;
  const closing = new AbortController();
  const handled = new Set<Promise<void>>();
  let news = Promise.withResolvers<void>();
  const wake = () => news.resolve();

  /** Retries until the database stores the outcome. If this process ends first, another process receives the message again. */
  const store = async (work: () => Promise<unknown>): Promise<void> => {
    for (;;) {
      try {
        return void (await work());
      } catch (error) {
        if (closing.signal.aborted) return;
        log.warn({ queue, error: reasonOf(error) }, 'could not record the result of a message; retrying');
        await pause(STORE_AGAIN_MS);
      }
    }
  };
  const finish = async (message: queries.Held): Promise<void> => {
    const failure = await handle(form, message);
    if (!failure) return store(() => queries.remove(db, holder, message.id));
    const { attempts, reason, isLast } = failure;
    logFailure(log, { queue, messageId: message.message_id, attempt: attempts, error: reason }, isLast);
    if (isLast) return store(() => queries.bury(db, holder, { id: message.id, attempts, reason }));
    const afterMs = backoffMs[Math.min(attempts, backoffMs.length) - 1] ?? 0;
    await store(() => queries.postpone(db, holder, message.id, afterMs));
    setTimeout(wake, afterMs).unref();
  };
  const repeat = async () => {
    while (!closing.signal.aborted) {
      news = Promise.withResolvers();
      const room = concurrency - handled.size;
      const found = room > 0 ? await queries.claim(db, queue, holder, room).catch(() => []) : [];
      // Claimed messages that have not been passed to a handler are returned to their queues when this process stops consuming.
      if (closing.signal.aborted) return;
      for (const message of found) {
        const finished = finish(message).finally(() => {
          handled.delete(finished);
          wake();
        });
        handled.add(finished);
      }
      if (room <= 0 || found.length < room) await within(LOOK_MS, news.promise);
    }
  };
  const repeating = repeat();
  return {
    wake,
    async close(): Promise<void> {
      closing.abort();
      wake();
      await repeating;
      await Promise.all(handled);
    },
  };
}

type Failure = { attempts: number; reason: string; isLast: boolean };

/**
 * Passes a message to its handler. If its attempts are already used up, for example because processes crashed while handling it, the
 * message fails without reaching the handler.
 */
async function handle(
  { handle, maxAttempts }: ConsumerForm,
  message: queries.Held,
): Promise<Failure | undefined> {
  try {
    if (message.attempt >= maxAttempts) throw new Error('the processes that handled it died');
    await handle(queries.messageOf(message));
    return undefined;
  } catch (error) {
    const attempts = Math.min(message.attempt + 1, maxAttempts);
    return { attempts, reason: reasonOf(error), isLast: attempts === maxAttempts };
  }
}
