import { sql } from 'kysely';
import type { z } from 'zod';
import type { Tx } from '../../../platform/db.ts';
import { EVENTS } from '../declared.ts';

export type EventName = keyof typeof EVENTS;
export type EventData<N extends EventName> = z.input<(typeof EVENTS)[N]['data']>;

/** What happened, and to whom when it is one player's own. */
export type NewEvent<N extends EventName = EventName> = {
  [E in N]: { event: E; userId?: number; data: EventData<E> };
}[N];

/** Ids of one block of the ledger: no more are announced in one call. */
export const MOST_EVENTS = 1024;

/**
 * Says what has happened, with the caller's transaction: it has happened if and only if that commits. Then it reaches the sockets
 * that it is for, and the broker. An event of the rooms `user` and `internal` needs `userId`. Answers the ids, in the order of the events.
 */
export async function emitEvent(tx: Tx, ...events: readonly NewEvent[]): Promise<bigint[]> {
  if (events.length === 0) return [];
  if (events.length > MOST_EVENTS) throw new RangeError(`${events.length} events at once`);
  const rows = events.map(({ event, userId = 0, data }, offset) => ({
    offset,
    user_id: userId,
    room: roomOf(event, data),
    name: event,
    data: EVENTS[event].data.parse(data),
  }));
  // Whoever takes ids has a transaction id before: the safe watermark rests on it.
  const { rows: written } = await sql<{ id: bigint }>`
    insert into events (id, user_id, room, name, data)
    select b.base + e."offset", e.user_id, e.room, e.name, e.data
    from (select nextval('ledger_ids') as base from (select pg_current_xact_id() as xid offset 0) own where own.xid is not null offset 0) b,
      json_to_recordset(${JSON.stringify(rows)}::json)
        e("offset" int, user_id int, room text, name text, data json)
    returning id`.execute(tx);
  return written.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
}

/** The room of an event; of one of the chat, that which its data names. */
function roomOf(event: EventName, data: object): string {
  const { room } = EVENTS[event];
  return room === 'chat' ? `chat:${(data as { roomId: string }).roomId}` : room;
}
