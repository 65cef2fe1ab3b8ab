import { sql } from 'kysely';
import { type Db, type DbOrTx, type Tx, transaction } from '../database/db.ts';
import { DAY_SECONDS } from '../jobs/purge.ts';
import { DEAD_DAYS, type DeadLetter, type Message, type Published } from './broker.ts';
import { matcherOf } from './patterns.ts';

/** A notification contains only the name of the queue with a new message, not the message. */
export const CHANNEL = 'broker';

/** A message that this process has claimed. No other process receives the message while this process is alive. */
export type Held = {
  id: bigint;
  message_id: string;
  pattern: string;
  data: unknown;
  headers: Record<string, unknown>;
  attempt: number;
  redelivered: boolean;
  enqueued_at: Date;
};

export type QueueForm = {
  queue: string;
  patterns: readonly string[];
  lasts: boolean;
  most?: number;
  /** The process that consumes the queue. */
  holder?: string;
};

/**
 * Creates the queue with its bindings and registers its consumer. Existing rows are unchanged. Locks the queue's row so that no other
 * process drops the queue in the meantime.
 */
export async function declareQueue(
  tx: Tx,
  { queue, patterns, lasts, most, holder }: QueueForm,
): Promise<void> {
  await sql`insert into broker_queues as q (name, lasts, most) values (${queue}, ${lasts}, ${most ?? null})
    on conflict (name) do update set lasts = q.lasts`.execute(tx);
  await sql`insert into broker_bindings (queue, pattern, matcher)
    select ${queue}::text, * from unnest(${patterns}::text[], ${patterns.map(matcherOf)}::text[])
    on conflict do nothing`.execute(tx);
  if (holder !== undefined)
    await sql`insert into broker_consumers (queue, holder) values (${queue}, ${holder})
      on conflict do nothing`.execute(tx);
}

/** Puts every message, in this order, into the queues bound to its pattern, and wakes their consumers. */
export async function enqueue(tx: DbOrTx, messages: readonly Published[]) {
  const { rows } = await sql<{ queue: string; most: number | null }>`
    with put as (
      insert into broker_messages (queue, message_id, pattern, data)
      select b.queue, m.id, m.pattern, m.data
      from unnest(${messages.map((m) => m.id)}::text[], ${messages.map((m) => m.pattern)}::text[],
          ${messages.map((m) => JSON.stringify(m.data))}::json[]) with ordinality m(id, pattern, data, n)
        join lateral (select distinct queue from broker_bindings where m.pattern || '.' ~ matcher) b on true
      order by m.n
      returning queue
    ), woken as (
      select distinct queue from put
    )
    select woken.queue, most, pg_notify(${CHANNEL}, woken.queue)
    from woken join broker_queues on name = woken.queue`.execute(tx);
  for (const { queue, most } of rows) if (most !== null) await trim(tx, queue, most);
}

async function trim(tx: DbOrTx, queue: string, most: number): Promise<void> {
  await sql`delete from broker_messages where queue = ${queue} and holder is null
    and id < coalesce((select id from broker_messages where queue = ${queue}
      order by id desc offset ${most - 1} limit 1), 0)`.execute(tx);
}

export type Direct = {
  queue: string;
  id: string;
  pattern: string;
  data: unknown;
  headers: object;
  ttlMs: number;
};

/** Puts one message with an expiry into a queue that has a consumer. Returns false if the queue has no consumer. */
export async function enqueueDirectly(
  db: Db,
  { queue, id, pattern, data, headers, ttlMs }: Direct,
): Promise<boolean> {
  const { rows } = await sql`
    with put as (
      insert into broker_messages (queue, message_id, pattern, data, headers, expires_at)
      select ${queue}::text, ${id}, ${pattern}, ${JSON.stringify(data)}::json, ${JSON.stringify(headers)}::json,
        now() + ${ttlMs}::int * interval '1 millisecond'
      where exists (select from broker_consumers where queue = ${queue})
      returning queue)
    select pg_notify(${CHANNEL}, queue) from put`.execute(db);
  return rows.length > 0;
}

/**
 * Claims the next messages of a queue for this holder, oldest first. The array makes PostgreSQL run the subquery only once. With a join it
 * may run repeatedly and claim too many messages.
 */
export async function claim(db: Db, queue: string, holder: string, count: number): Promise<Held[]> {
  const { rows } = await sql<Held>`
    update broker_messages set holder = ${holder}
    where id = any(array(
      select id from broker_messages
      where queue = ${queue} and holder is null and due_at <= now() and (expires_at is null or expires_at > now())
      order by id limit ${count} for update skip locked))
    returning id, message_id, pattern, data, headers, attempt, redelivered, enqueued_at`.execute(db);
  return rows.sort((a, b) => Number(a.id - b.id));
}

export const remove = (db: Db, holder: string, id: bigint) =>
  sql`delete from broker_messages where id = ${id} and holder = ${holder}`.execute(db);

/** Releases a message for another attempt `afterMs` from now. */
export async function postpone(db: Db, holder: string, id: bigint, afterMs: number): Promise<void> {
  await sql`update broker_messages set holder = null, attempt = attempt + 1, redelivered = true,
      due_at = now() + ${afterMs}::int * interval '1 millisecond'
    where id = ${id} and holder = ${holder}`.execute(db);
}

/** Converts the message to a dead letter. */
export async function bury(
  db: Db,
  holder: string,
  { id, attempts, reason }: { id: bigint; attempts: number; reason: string },
): Promise<void> {
  await sql`with gone as (delete from broker_messages where id = ${id} and holder = ${holder} returning *)
    insert into broker_dead_letters (queue, message_id, pattern, data, headers, attempts, reason)
    select queue, message_id, pattern, data, headers, ${attempts}::int, ${reason.replaceAll('\0', '')}
    from gone`.execute(db);
}

/** Releases the holder's messages and removes the holder as a consumer. Temporary queues that have no other consumer are dropped. */
export async function leave(db: Db, holder: string): Promise<void> {
  await sql`with free as (update broker_messages set holder = null where holder = ${holder} returning queue)
    select pg_notify(${CHANNEL}, queue) from (select distinct queue from free) woken`.execute(db);
  await db.deleteFrom('broker_consumers').where('holder', '=', holder).execute();
  await dropTemporary(db);
}

/** Releases the messages of dead holders. Each release is counted as an attempt, because the message may have crashed the process. */
export async function free(db: Db, holders: readonly string[]): Promise<number> {
  const gone = sql`holder = any(${holders as string[]}::text[])`;
  const { rows } = await sql`
    with free as (
      update broker_messages set holder = null, redelivered = true, attempt = attempt + 1 where ${gone} returning queue)
    select pg_notify(${CHANNEL}, queue) from free`.execute(db);
  await sql`delete from broker_consumers where ${gone}`.execute(db);
  await dropTemporary(db);
  return rows.length;
}

/** Selects all processes that consume a queue or hold a message. */
export const HOLDERS =
  'select holder from broker_consumers union select holder from broker_messages where holder is not null';

const UNUSED = 'not lasts and not exists (select from broker_consumers where queue = name)';

/** Selects the queues that holder $1 consumes, and whether any unused queues or expired messages must be deleted. */
export const SEEN = `array(select queue from broker_consumers where holder = $1) as queues,
  exists (select from broker_messages where expires_at < now())
    or exists (select from broker_queues where ${UNUSED}) as "isUntidy"`;

/**
 * Drops temporary queues whose last consumer is gone. Each queue is locked and then checked again, so a queue that a process has just
 * started to consume is kept. Queues locked by others are skipped until the next run.
 */
export async function dropTemporary(db: Db): Promise<void> {
  const { rows: found } = await sql`select from broker_queues where ${sql.raw(UNUSED)} limit 1`.execute(db);
  if (found.length === 0) return;
  await transaction(db, async (tx) => {
    const { rows } = await sql<{ name: string }>`
      select name from broker_queues where ${sql.raw(UNUSED)} for update skip locked`.execute(tx);
    const names = rows.map(({ name }) => name);
    await sql`delete from broker_queues
      where name = any(${names}::text[]) and ${sql.raw(UNUSED)}`.execute(tx);
  });
}

/** Deletes expired requests and replies. */
export const dropExpired = (db: Db) => sql`delete from broker_messages where expires_at < now()`.execute(db);

const WAITS = sql`holder is null and due_at <= now() and (expires_at is null or expires_at > now())`;

export async function infoOf(db: Db, queue: string) {
  const { rows } = await sql<{ messages: bigint; consumers: bigint }>`
    select (select count(*) from broker_messages where queue = name and ${WAITS}) as messages,
      (select count(*) from broker_consumers where queue = name) as consumers
    from broker_queues where name = ${queue}`.execute(db);
  const [row] = rows;
  return row && { messageCount: Number(row.messages), consumerCount: Number(row.consumers) };
}

export async function purgeQueue(db: Db, queue: string): Promise<number> {
  const { numAffectedRows = 0n } =
    await sql`delete from broker_messages where queue = ${queue} and ${WAITS}`.execute(db);
  return Number(numAffectedRows);
}

export async function peekAt(db: Db, queue: string, count: number): Promise<Held[]> {
  const { rows } = await sql<Held>`
    select id, message_id, pattern, data, headers, attempt, redelivered, enqueued_at from broker_messages
    where queue = ${queue} and ${WAITS} order by id limit ${count}`.execute(db);
  return rows;
}

export const messageOf = (held: Held): Message => ({
  id: held.message_id,
  pattern: held.pattern,
  data: held.data,
  headers: held.headers,
  attempt: held.attempt + 1,
  redelivered: held.redelivered,
  enqueuedAt: held.enqueued_at,
});

export async function countDead(db: Db): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`select count(*) from broker_dead_letters`.execute(db);
  return Number(rows[0]!.count);
}

export async function listDead(db: Db, most: number): Promise<DeadLetter[]> {
  const { rows } = await sql<DeadLetter>`
    select id, queue, message_id as "messageId", pattern, data, attempts, reason, died_at as "diedAt"
    from broker_dead_letters order by died_at, id limit ${most}`.execute(db);
  return rows;
}

/** Puts a dead letter back at the end of its queue. If the queue no longer exists, the dead letter remains. */
export async function redriveDead(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql<{ queue: string }>`
    with gone as (
      delete from broker_dead_letters d using broker_queues q where d.id = ${id}::uuid and q.name = d.queue returning d.*
    ), put as (
      insert into broker_messages (queue, message_id, pattern, data, headers, redelivered)
      select queue, message_id, pattern, data, headers, true from gone
      returning queue)
    select queue, pg_notify(${CHANNEL}, queue) from put`.execute(db);
  return rows.length > 0;
}

export const DEAD_EXPIRY = {
  table: 'broker_dead_letters',
  after: 'died_at',
  keepSeconds: DEAD_DAYS * DAY_SECONDS,
};
/** Deletes expired requests and replies as a fallback. Processes that consume a queue delete them sooner (dropExpired). */
export const MESSAGES_EXPIRY = {
  table: 'broker_messages',
  after: 'expires_at',
  keepSeconds: 0,
  where: 'expires_at is not null',
};

export async function dropDead(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`delete from broker_dead_letters where id = ${id}::uuid returning id`.execute(db);
  return rows.length > 0;
}
