import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../database-errors.ts';
import { type Db, transaction } from '../db.ts';
import type { Log } from '../log.ts';
import { type Broker, brokerErrors, MAX_ATTEMPTS, type NewMessage, type Waits } from './broker.ts';
import { assertBindings, assertPattern } from './patterns.ts';
import { type ConsumerForm, type PostgresConsumer, startConsumer } from './postgres-consumer.ts';
import * as queries from './postgres-queries.ts';
import { type Presence, type Seen, startPresence } from './presence.ts';
import { createRpc, type Transport } from './rpc.ts';

const CLOSE_MS = 5000;
const RPC_AT_ONCE = 16;
const DECLARED_MS = 3000;

type Consumed = ConsumerForm & { patterns: readonly string[]; lasts: boolean };

/** The broker over PostgreSQL. A process that consumes has one connection of its own; publishing takes one of the pool. */
export function createPostgresBroker(parts: {
  db: Db;
  connectionString: string;
  name: string;
  log: Log;
  waits: Waits;
}): Broker {
  const { db, log, waits } = parts;
  const consumers = createConsumers(parts);
  const rpc = createRpc(createTransport(db, consumers.add), log);

  const publishAll = async (messages: readonly NewMessage[]) => {
    for (const { pattern } of messages) assertPattern(pattern);
    const named = messages.map((message) => ({ ...message, id: message.id ?? randomUUID() }));
    if (named.length > 0) await available(transaction(db, (tx) => queries.enqueue(tx, named)));
  };
  return {
    ...rpc,
    publishAll,
    async publish(pattern, data, { id = randomUUID() } = {}) {
      await publishAll([{ pattern, data, id }]);
      return { id };
    },
    async subscribe(queue, patterns, handle, { maxAttempts = MAX_ATTEMPTS, isTemporary = false } = {}) {
      assertPattern(queue);
      assertBindings(patterns);
      const form = { queue, patterns, handle, maxAttempts, lasts: !isTemporary };
      await available(consumers.add({ ...form, atOnce: 1, backoffMs: waits.backoffMs }));
    },
    async declare(queue, patterns, { most }) {
      assertPattern(queue);
      assertBindings(patterns);
      await available(
        transaction(db, (tx) => queries.declareQueue(tx, { queue, patterns, lasts: true, most })),
      );
    },
    info: (queue) => available(queries.infoOf(db, queue)),
    async purge(queue) {
      if (!(await available(queries.infoOf(db, queue)))) return undefined;
      return available(queries.purgeQueue(db, queue));
    },
    async peek(queue, count) {
      if (!(await available(queries.infoOf(db, queue)))) return undefined;
      return (await available(queries.peekAt(db, queue, count))).map(queries.messageOf);
    },
    dead: {
      count: () => available(queries.countDead(db)),
      list: (most) => available(queries.listDead(db, most)),
      redrive: (id) => available(queries.redriveDead(db, id)),
      drop: (id) => available(queries.dropDead(db, id)),
    },
    close: consumers.close,
  };
}

type Entry = { form: Consumed; consumer?: PostgresConsumer };

/** The consumers of this process, and its presence while there are any. */
function createConsumers(parts: { db: Db; connectionString: string; name: string; log: Log }) {
  const { db, log } = parts;
  const running = new Map<string, Entry>();
  const connected = Promise.withResolvers<void>();
  let presence: Presence | undefined;

  const begin = async (entry: Entry, holder: string) => {
    await transaction(db, (tx) => queries.declareQueue(tx, { ...entry.form, holder }));
    entry.consumer ??= startConsumer(entry.form, { db, holder, log });
    entry.consumer.wake();
  };
  /** Somebody may have taken this process for dead just before it was back: what is not known any more is declared again. */
  const beat = async ({ queues, isUntidy }: Seen) => {
    const { holder } = present();
    for (const entry of running.values())
      if (entry.consumer && !queues.includes(entry.form.queue)) await begin(entry, holder);
    if (!isUntidy) return;
    await queries.dropTemporary(db);
    await queries.dropExpired(db);
  };
  const present = (): Presence => {
    presence ??= startPresence({
      ...parts,
      // What was declared may have been taken for dead while there was no connection.
      async onConnect() {
        for (const entry of running.values()) await begin(entry, present().holder);
        connected.resolve();
      },
      onNews: (queue) => running.get(queue)?.consumer?.wake(),
      async onGone(holders) {
        const messages = await queries.free(db, holders);
        log.warn({ holders: holders.length, messages }, 'consumers died; others get what they had');
      },
      onBeat: beat,
    });
    return presence;
  };
  return {
    async add(form: Consumed): Promise<void> {
      if (running.has(form.queue)) throw new Error(`${form.queue} is consumed here already`);
      const entry: Entry = { form };
      running.set(form.queue, entry);
      const { holder } = present();
      // While the database is away nothing is consumed; it begins when it is back.
      const isConnected = await Promise.race([connected.promise.then(() => true), rest(DECLARED_MS)]);
      if (isConnected) await begin(entry, holder);
    },
    async close(): Promise<void> {
      if (!presence) return;
      const closing = Promise.all([...running.values()].map(({ consumer }) => consumer?.close()));
      await Promise.race([closing, rest(CLOSE_MS)]);
      await presence.close();
      await queries.leave(db, presence.holder).catch(() => undefined);
    },
  };
}

const rest = (ms: number) => sleep(ms, false, { ref: false });

function createTransport(db: Db, add: (form: Consumed) => Promise<void>): Transport {
  const parallel = { atOnce: RPC_AT_ONCE, lasts: false, patterns: [], maxAttempts: 1, backoffMs: [] };
  return {
    receive: (queue, handle) =>
      available(
        add({
          ...parallel,
          queue,
          handle: ({ id, pattern, data, headers }) =>
            handle({ id, pattern, data, replyTo: headers.replyTo as string | undefined }),
        }),
      ),
    sendTo: (queue, { replyTo, ...letter }, ttlMs) =>
      available(queries.enqueueDirectly(db, { ...letter, queue, headers: { replyTo }, ttlMs })),
  };
}

/** A database that does not answer is a broker that is not available. */
async function available<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isUnavailable(error) ? brokerErrors.BROKER_UNAVAILABLE() : error;
  }
}
