import { sql } from 'kysely';
import type { Db, DbOrTx } from '../../../platform/db.ts';
import { int4Array } from '../../../platform/pg-arrays.ts';

/** An event as it lies in the table; `userId` is 0 where it is not one player's own. */
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

/** What happened in a range of ids for these players and rooms, in order. Reads the range: for who reads on and on. */
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

/** A player's own events of these names in a range of ids, in order, whoever is told of them. */
export async function eventsOf(
  db: DbOrTx,
  userId: number,
  { after, upTo, names }: { after: bigint; upTo: bigint; names: readonly string[] },
): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select ${COLUMNS} from events
    where user_id = ${userId} and user_id > 0 and id > ${after} and id <= ${upTo} and name = any(${names}::text[])
    order by id`.execute(db);
  return rows;
}

/** A recipient of the events since `after` that concern them or their rooms. */
export type Listener = { userId: number; rooms: readonly string[]; after: bigint };

/** What happened below an id for each of them, in order, the first `most` of it. However long ago that begins. */
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

/** Up to here events have been published to the broker (modules/relay). */
const PUBLISHED = sql`(select position from cursors where name = 'events-relay')`;

/** Removes events older than so many days that were published, the oldest first and a bounded number; answers how many. */
export async function purgeEvents(db: Db, days: number, most = 5000): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from events where id in (
      select id from (select id, created_at from events order by id limit ${most}) oldest where created_at < now() - ${days} * interval '1 day'
        and id <= ${PUBLISHED})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
