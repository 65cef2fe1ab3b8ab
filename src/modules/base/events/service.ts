import { sql } from 'kysely';
import type { z } from 'zod';
import { int4Array } from '../../../platform/database/arrays.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { EventType } from './schemas.ts';

/** An event and its data. `userId` is set for events that belong to one player. */
export type NewEvent<E extends EventType = EventType> = {
  event: E;
  userId?: number;
  data: z.input<E['data']>;
};

/** The number of ids in one block of the ledger sequence. One call cannot emit more events. */
export const MOST_EVENTS = 1024;

/**
 * Stores events in the caller's transaction. After the commit they are sent to the sockets of their room and to the broker. Events of the
 * rooms `user` and `internal` need `userId`. Returns the ids, in the order of the events.
 */
export async function emitEvent<const E extends readonly EventType[]>(
  tx: Tx,
  ...events: { [I in keyof E]: NewEvent<E[I]> }
): Promise<bigint[]> {
  if (events.length === 0) return [];
  if (events.length > MOST_EVENTS) throw new RangeError(`${events.length} events in one call`);
  const rows = events.map(({ event, userId = 0, data }, offset) => ({
    offset,
    user_id: userId,
    room: roomOf(event, data),
    name: event.name,
    data: event.data.parse(data),
  }));
  // The safe watermark requires that a transaction has a transaction id before it takes ids from the sequence.
  const { rows: written } = await sql<{ id: bigint }>`
    insert into events (id, user_id, room, name, data)
    select b.base + e."offset", e.user_id, e.room, e.name, e.data
    from (select nextval('ledger_ids') as base from (select pg_current_xact_id() as xid offset 0) own where own.xid is not null offset 0) b,
      json_to_recordset(${JSON.stringify(rows)}::json)
        e("offset" int, user_id int, room text, name text, data json)
    returning id`.execute(tx);
  return written.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
}

/** Returns the room of an event. The data of a chat event contains its room. */
function roomOf({ room }: EventType, data: unknown): string {
  return room === 'chat' ? `chat:${(data as { roomId: string }).roomId}` : room;
}

/** A stored event. `userId` is 0 if the event does not belong to one player. */
export type StoredEvent = {
  id: bigint;
  userId: number;
  room: string;
  name: string;
  data: unknown;
  at: Date;
};

type Range = { after: bigint; below: bigint };
type Audience = { userIds: readonly number[]; rooms: readonly string[] };

const COLUMNS = sql`id, user_id as "userId", room, name, data, created_at as at`;

/**
 * Returns the events of players and rooms in a range of ids, in order. Scans the whole range, so it is intended for callers that read
 * continuously.
 */
export async function eventsIn(
  db: Db,
  { userIds, rooms }: Audience,
  { after, below }: Range,
): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select ${COLUMNS} from (select * from events where id > ${after} and id < ${below} offset 0) e
    where (user_id = any(${int4Array(userIds)}::int4[]) and room = 'user') or (user_id = 0 and room = any(${rooms}::text[]))
    order by id`.execute(db);
  return rows;
}

/** The number of events that one call of `eventsNamed` reads. */
const READ_AT_ONCE = 2000;

/**
 * Returns the players' events with these names in a range of ids, in order, from all rooms. Reads a limited number of events: `upTo` is the
 * last one that it has read, or undefined if there are no events in the range. `isAll` is false if there may be more.
 */
export async function eventsNamed(
  db: DbOrTx,
  names: readonly string[],
  { after, below }: Range,
): Promise<{ events: StoredEvent[]; upTo: bigint | undefined; isAll: boolean }> {
  const { rows: read } = await sql<{ upTo: bigint | null; count: bigint }>`
    select max(id) as "upTo", count(*) from (
      select id from events where id > ${after} and id < ${below} order by id limit ${READ_AT_ONCE}) next`.execute(
    db,
  );
  const { upTo, count } = read[0]!;
  if (upTo === null) return { events: [], upTo: undefined, isAll: true };
  const { rows: events } = await sql<StoredEvent>`
    select ${COLUMNS} from events
    where id > ${after} and id <= ${upTo} and user_id > 0 and name = any(${names}::text[]) order by id`.execute(
    db,
  );
  return { events, upTo, isAll: count < READ_AT_ONCE };
}

/** A recipient of events. It receives events after id `after` that concern this user or these rooms. */
export type Listener = { userId: number; rooms: readonly string[]; after: bigint };

/** Returns for each listener the first `most` events below an id, in order. Uses indexes, so `after` may be far behind. */
export async function eventsForEach(
  db: Db,
  listeners: readonly Listener[],
  { below, most }: { below: bigint; most: number },
): Promise<StoredEvent[][]> {
  const all = listeners.map((l, n) => ({ n, listener: l.userId, rooms: l.rooms, after: String(l.after) }));
  const { rows } = await sql<StoredEvent & { n: number }>`
    select l.n, ${COLUMNS} from json_to_recordset(${JSON.stringify(all)}::json) l(n int4, listener int4, rooms text[], after int8)
    cross join lateral (
      select * from (
        (select * from events where user_id = l.listener and user_id > 0 and room = 'user' and id > l.after and id < ${below} order by id limit ${most})
        union all
        select e.* from unnest(l.rooms) r(name) cross join lateral (
          select * from events where user_id = 0 and room = r.name and id > l.after and id < ${below} order by id limit ${most}) e
      ) both_lists order by id limit ${most}
    ) own order by l.n, id`.execute(db);
  const lists = Map.groupBy(rows, ({ n }) => n);
  return listeners.map((_, n) => lists.get(n) ?? []);
}
