import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';

/** The name of the cursor: events with ids up to it have been published. */
const CURSOR = 'events-relay';
const POSITION = sql`(select position from cursors where name = ${CURSOR})`;

export type EventRow = {
  id: bigint;
  user_id: number;
  room: string;
  name: string;
  data: unknown;
  created_at: Date;
};

export async function readPosition(db: Db): Promise<bigint> {
  const { position } = await db
    .selectFrom('cursors')
    .select('position')
    .where('name', '=', CURSOR)
    .executeTakeFirstOrThrow();
  return position;
}

/** Returns false if another process has moved the cursor meanwhile. */
export async function movePosition(db: Db, from: bigint, to: bigint): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('cursors')
    .set({ position: to, updated_at: sql<Date>`now()` })
    .where('name', '=', CURSOR)
    .where('position', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function hasEventsBehind(db: Db, position: bigint): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from events where id > ${position}) as found`.execute(db);
  return rows[0]!.found;
}

export const nextEvents = (
  db: Db,
  { position, below, batch }: { position: bigint; below: bigint; batch: number },
): Promise<EventRow[]> =>
  db
    .selectFrom('events')
    .select(['id', 'user_id', 'room', 'name', 'data', 'created_at'])
    .where('id', '>', position)
    .where('id', '<', below)
    .orderBy('id')
    .limit(batch)
    .execute();

/** Returns how long the oldest unpublished event has waited, in seconds; 0 if there is none. */
export async function lagOf(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from now() - created_at)::float8 as seconds from events
    where id > ${POSITION} order by id limit 1`.execute(db);
  return Math.max(0, rows[0]?.seconds ?? 0);
}
