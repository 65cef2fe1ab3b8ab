import { sql } from 'kysely';
import { int4Array } from '../../../../platform/database/arrays.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';

/** The cursors that exist while messages are created: one for bets, one for other ledger entries, and one for events. */
export const CURSORS = { bets: 'crm', money: 'crm-money', events: 'crm-events' } as const;

/** A message that waits for delivery. `isSilenced`: true if its player is excluded or may not play again yet. */
export type Waiting = {
  id: bigint;
  userId: number;
  eventId: string;
  name: string;
  body: string;
  attempts: number;
  isSilenced: boolean;
};
export type NewMessage = Pick<Waiting, 'userId' | 'eventId' | 'name' | 'body'>;

/** Starts to create messages for everything that happens from now on. Does nothing if this has already started. */
export async function begin(db: Db): Promise<void> {
  await sql`insert into cursors (name, follows, pays_out, position)
    select v.name, v.follows, v.follows is not null, case when is_called then last_value + 1023 else last_value - 1 end
    from (values (${CURSORS.bets}, 'bets'), (${CURSORS.money}, null), (${CURSORS.events}, null)) v(name, follows), ledger_ids
    on conflict (name) do nothing`.execute(db);
}

/** Stops creating messages. Messages that are already waiting are kept. */
export async function end(db: Db): Promise<void> {
  await transaction(db, async (tx) => {
    await tx.deleteFrom('cursors').where('name', 'in', Object.values(CURSORS)).execute();
    await tx.deleteFrom('crm_rounds').execute();
    await tx.deleteFrom('crm_minutes').execute();
  });
}

const EVENT_CURSOR = sql`(select position from cursors where name = ${CURSORS.events})`;

export async function isAnyEventAfter(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from events where id > ${EVENT_CURSOR}) as is`.execute(db);
  return rows[0]!.is;
}

/** Locks the cursor. Returns the id of the last event that was converted into messages, or undefined if the CRM is turned off. */
export async function lockEventCursor(tx: Tx): Promise<bigint | undefined> {
  const cursor = tx.selectFrom('cursors').select('position').where('name', '=', CURSORS.events);
  return (await cursor.forUpdate().executeTakeFirst())?.position;
}

export async function moveEventCursor(tx: Tx, position: bigint): Promise<void> {
  await tx
    .updateTable('cursors')
    .set({ position, updated_at: sql<Date>`now()` })
    .where('name', '=', CURSORS.events)
    .execute();
}

/**
 * Locks players in ascending order, and returns for each of them the last event from which a worker of version 0.1.0 has created messages.
 * Such a worker locks the player's row before it reads the cursor. A missing row is therefore inserted, so that it waits for this one.
 */
export async function lockPositions(tx: Tx, userIds: readonly number[]): Promise<Map<number, bigint>> {
  const { rows } = await sql<{ userId: number; position: bigint }>`
    insert into crm_players as p (user_id, position)
    select id, coalesce(${EVENT_CURSOR}, 0) from unnest(${int4Array(userIds)}::int4[]) u(id) order by id
    on conflict (user_id) do update set position = p.position
    returning user_id as "userId", position`.execute(tx);
  return new Map(rows.map(({ userId, position }) => [userId, position]));
}

/** Appends messages to the waiting messages of their players. Locks players in ascending order. */
export async function insertMessages(tx: Tx, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const userIds = [...new Set(messages.map(({ userId }) => userId))].sort((a, b) => a - b);
  // Keeps the due time of a player whose delivery is waiting for a retry.
  await sql`insert into crm_players as p (user_id, position, due_at)
    select id, coalesce(${EVENT_CURSOR}, 0), now()
    from unnest(${int4Array(userIds)}::int4[]) u(id) order by id
    on conflict (user_id) do update set due_at = coalesce(p.due_at, excluded.due_at)`.execute(tx);
  await sql`insert into crm_messages (user_id, event_id, name, body)
    select "userId", "eventId", name, body
    from json_to_recordset(${JSON.stringify(messages.map((message, n) => ({ n, ...message })))}::json)
      m(n int4, "userId" int4, "eventId" text, name text, body text)
    order by n`.execute(tx);
}

export async function isAnyDue(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from crm_players where due_at <= now()) as is`.execute(db);
  return rows[0]!.is;
}

/** Returns players with due messages, ordered by how long the messages have waited, longest first. */
export async function duePlayers(db: Db, most: number): Promise<number[]> {
  const { rows } = await sql<{ userId: number }>`
    select user_id as "userId" from crm_players where due_at <= now() order by due_at, user_id limit ${most}`.execute(
    db,
  );
  return rows.map(({ userId }) => userId);
}

export async function nextMessage(db: Db, userId: number): Promise<Waiting | undefined> {
  const { rows } = await sql<Waiting>`
    select m.id, m.user_id as "userId", event_id as "eventId", name, body, attempts,
      coalesce(greatest(r.excluded_until, r.play_from) > now(), false) as "isSilenced"
    from crm_messages m left join restrictions r using (user_id)
    where m.user_id = ${userId} order by m.id limit 1`.execute(db);
  return rows[0];
}

export async function removeMessage(db: DbOrTx, id: bigint): Promise<void> {
  await db.deleteFrom('crm_messages').where('id', '=', id).execute();
}

/** Schedules a retry in `seconds` seconds. The player's other messages wait for it too. */
export const postpone = (db: Db, { id, userId, attempts }: Waiting, seconds: number): Promise<void> =>
  transaction(db, async (tx) => {
    await sql`update crm_players set due_at = now() + make_interval(secs => ${seconds})
      where user_id = ${userId}`.execute(tx);
    await tx
      .updateTable('crm_messages')
      .set({ attempts: attempts + 1 })
      .where('id', '=', id)
      .execute();
  });

/** Marks a player without messages as having no due delivery. */
export const setIdle = (db: Db, userId: number): Promise<void> =>
  transaction(db, async (tx) => {
    // Serializes this check with concurrent inserts, which lock the same row.
    await sql`select from crm_players where user_id = ${userId} for update`.execute(tx);
    await sql`update crm_players set due_at = null where user_id = ${userId}
      and not exists (select from crm_messages where user_id = ${userId})`.execute(tx);
  });

export async function backlog(db: Db): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; oldestSeconds: number }>`
    select (select count(*) from crm_messages)::float8 as waiting,
      coalesce(extract(epoch from now() - (select min(created_at) from crm_messages)), 0)::float8 as "oldestSeconds"`.execute(
    db,
  );
  return rows[0]!;
}
