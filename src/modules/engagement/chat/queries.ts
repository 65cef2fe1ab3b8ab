import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { int4Array, int8Array, textArray } from '../../../platform/pg-arrays.ts';
import { MOST_RECENT, type Written } from './rules.ts';

/** So many messages in the hour of the longest slow mode. */
const MOST_OF_AN_HOUR = 1200;

/** Locks writers, in ascending order: what they write at the same time, on whichever process, is written one after the other. */
export async function lockWriters(tx: Tx, userIds: readonly number[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('chat writer ' || id, 0))
    from (select id from unnest(${int4Array(userIds)}::int4[]) id order by id offset 0) ascending`.execute(
    tx,
  );
}

/** Who is about to write where; null: without a key. */
export type Writing = { userId: number; roomId: string; key: string | null };
export type StoredMessage = { id: bigint; roomId: string; text: string; createdAt: Date };
export type WriterRow = {
  isEmailVerified: boolean;
  canUseChat: boolean;
  mutedUntil: Date | null;
  slowModeSeconds: number;
  lastInRoom: Date | null;
  recent: Written[];
  /** The message that was written with this key. */
  known: StoredMessage | undefined;
};

type ReadWriter = Omit<WriterRow, 'recent' | 'known'> & {
  recent: { text: string; at: string }[];
  id: bigint | null;
  roomId: string;
  text: string;
  createdAt: Date;
};

/** What rules and limits need to know of writers, who must be locked; in their order. */
export async function readWriters(tx: Tx, writing: readonly Writing[]): Promise<WriterRow[]> {
  const { rows } = await sql<ReadWriter>`
    select u.email_verified as "isEmailVerified", u.can_use_chat as "canUseChat", m.muted_until as "mutedUntil",
      coalesce(r.slow_mode_seconds, 0) as "slowModeSeconds",
      case when r.slow_mode_seconds > 0 then (
        select max(created_at) from (
          select room_id, created_at from chat_messages where user_id = u.id order by id desc limit ${sql.lit(MOST_OF_AN_HOUR)}
        ) latest where room_id = w.room_id) end as "lastInRoom",
      coalesce((
        select json_agg(json_build_object('text', text, 'at', created_at) order by id desc) from (
          select id, text, created_at from chat_messages where user_id = u.id order by id desc limit ${sql.lit(MOST_RECENT)}) latest
      ), '[]') as recent,
      k.id, k.room_id as "roomId", k.text, k.created_at as "createdAt"
    from unnest(${int4Array(writing.map(({ userId }) => userId))}::int4[], ${textArray(writing.map(({ roomId }) => roomId))}::text[],
      ${textArray(writing.map(({ key }) => key))}::text[]) with ordinality w(user_id, room_id, key, place)
    join users u on u.id = w.user_id
    left join chat_rooms r on r.id = w.room_id
    left join chat_mutes m on m.user_id = w.user_id and m.muted_until > now()
    left join chat_messages k on k.user_id = w.user_id and k.key = w.key
    order by place`.execute(tx);
  return rows.map(({ recent, id, roomId, text, createdAt, ...writer }) => ({
    ...writer,
    recent: recent.map((message) => ({ text: message.text, at: new Date(message.at) })),
    known: id === null ? undefined : { id, roomId, text, createdAt },
  }));
}

export type NewMessage = Writing & { id: bigint; text: string; tipId: number | null };

export async function insertMessages(tx: Tx, messages: readonly NewMessage[]): Promise<void> {
  const rows = messages.map(({ id, roomId, userId, key, text, tipId }) => ({
    id,
    room_id: roomId,
    user_id: userId,
    key,
    text,
    tip_id: tipId,
  }));
  await tx.insertInto('chat_messages').values(rows).execute();
}

/** Another player, as much of them as others may see. */
type Seen = {
  id: number;
  username: string | null;
  avatar: string | null;
  vip_level: number;
  is_private: boolean;
  is_streamer_mode: boolean;
};
/** Units as text. */
type SeenTip = { recipient: Seen; currencyId: string; amount: string; usdAmount: string };
export type MessageRow = {
  id: bigint;
  roomId: string;
  text: string;
  createdAt: Date;
  user: Seen;
  tip: SeenTip | null;
};

const seen = (
  alias: 'u' | 'r',
) => sql`json_build_object('id', ${sql.ref(`${alias}.id`)}, 'username', ${sql.ref(`${alias}.username`)},
  'avatar', ${sql.ref(`${alias}.avatar`)}, 'vip_level', ${sql.ref(`${alias}.vip_level`)},
  'is_private', ${sql.ref(`${alias}.is_private`)}, 'is_streamer_mode', ${sql.ref(`${alias}.is_streamer_mode`)})`;

const MESSAGE = sql`
  m.id, m.room_id as "roomId", m.text, m.created_at as "createdAt", ${seen('u')} as "user",
  case when t.id is not null then json_build_object('recipient', ${seen('r')}, 'currencyId', t.currency_id, 'amount', t.amount::text,
    'usdAmount', t.usd_amount::text) end as tip`;
const WITH_PLAYERS = sql`
  join users u on u.id = m.user_id
  left join tips t on t.id = m.tip_id
  left join users r on r.id = t.recipient_id`;
const IS_SHOWN = sql`m.deleted_at is null and m.id > coalesce(c.cleared_to, 0)`;

/** Those of these messages that are still shown. */
export async function readShown(db: DbOrTx, ids: readonly bigint[]): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    select ${MESSAGE} from chat_messages m ${WITH_PLAYERS} left join chat_rooms c on c.id = m.room_id
    where m.id = any(${int8Array(ids)}::int8[]) and ${IS_SHOWN}`.execute(db);
  return rows;
}

export type RoomRow = { roomId: string; slowModeSeconds: number };

/** Rooms as they are set, in their order. */
export async function readRooms(db: DbOrTx, roomIds: readonly string[]): Promise<RoomRow[]> {
  const { rows } = await sql<RoomRow>`
    select wanted.id as "roomId", coalesce(c.slow_mode_seconds, 0) as "slowModeSeconds"
    from unnest(${textArray(roomIds)}::text[]) with ordinality wanted(id, place) left join chat_rooms c on c.id = wanted.id
    order by place`.execute(db);
  return rows;
}

/** The newest messages of rooms up to an id that are still shown, `most` of each, the oldest of them first. */
export async function readNewest(
  db: DbOrTx,
  { roomIds, upTo, most }: { roomIds: readonly string[]; upTo: bigint; most: number },
): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    select ${MESSAGE} from unnest(${textArray(roomIds)}::text[]) wanted(id) left join chat_rooms c on c.id = wanted.id
    cross join lateral (
      select * from chat_messages m where m.room_id = wanted.id and m.id <= ${upTo} and ${IS_SHOWN} order by m.id desc limit ${most}
    ) m ${WITH_PLAYERS} order by m.id`.execute(db);
  return rows;
}

/** A room as staff has set it, locked. */
export async function lockRoom(
  tx: Tx,
  roomId: string,
): Promise<{ clearedTo: bigint; slowModeSeconds: number }> {
  await tx
    .insertInto('chat_rooms')
    .values({ id: roomId })
    .onConflict((oc) => oc.doNothing())
    .execute();
  return tx
    .selectFrom('chat_rooms')
    .select(['cleared_to as clearedTo', 'slow_mode_seconds as slowModeSeconds'])
    .where('id', '=', roomId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export const clearTo = (tx: Tx, roomId: string, id: bigint) =>
  tx.updateTable('chat_rooms').set({ cleared_to: id }).where('id', '=', roomId).execute();

export const setSlowMode = (tx: Tx, roomId: string, seconds: number) =>
  tx.updateTable('chat_rooms').set({ slow_mode_seconds: seconds }).where('id', '=', roomId).execute();

export const lockMessage = (tx: Tx, id: bigint) =>
  tx.selectFrom('chat_messages').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const markDeleted = (tx: Tx, id: bigint, by: number) =>
  tx
    .updateTable('chat_messages')
    .set({ deleted_at: sql<Date>`now()`, deleted_by: by })
    .where('id', '=', id)
    .execute();

/** Until when a player is muted; null: they are not. */
export async function readMute(tx: Tx, userId: number): Promise<Date | null> {
  const row = await tx
    .selectFrom('chat_mutes')
    .select('muted_until')
    .where('user_id', '=', userId)
    .where('muted_until', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row?.muted_until ?? null;
}

/** Null: they may write again. */
export async function storeMute(tx: Tx, userId: number, until: Date | null): Promise<void> {
  if (until === null) {
    await tx.deleteFrom('chat_mutes').where('user_id', '=', userId).execute();
    return;
  }
  await tx
    .insertInto('chat_mutes')
    .values({ user_id: userId, muted_until: until })
    .onConflict((oc) => oc.column('user_id').doUpdateSet({ muted_until: until }))
    .execute();
}

export type StaffRow = {
  id: bigint;
  roomId: string;
  userId: number;
  text: string;
  tipId: number | null;
  createdAt: Date;
  isShown: boolean;
  deletedAt: Date | null;
  deletedBy: number | null;
};
type Filter = {
  roomId?: string | undefined;
  userId?: number | undefined;
  before?: string | undefined;
  take: number;
};

/** The newest messages, shown or not, each from an index of its filter. */
export async function listMessages(
  db: DbOrTx,
  { roomId, userId, before, take }: Filter,
): Promise<StaffRow[]> {
  const conditions = [
    ...(roomId === undefined ? [] : [sql`m.room_id = ${roomId}`]),
    ...(userId === undefined ? [] : [sql`m.user_id = ${userId}`]),
    ...(before === undefined ? [] : [sql`m.id < ${BigInt(before)}`]),
  ];
  const { rows } = await sql<StaffRow>`
    select m.id, m.room_id as "roomId", m.user_id as "userId", m.text, m.tip_id as "tipId", m.created_at as "createdAt",
      ${IS_SHOWN} as "isShown", m.deleted_at as "deletedAt", m.deleted_by as "deletedBy"
    from chat_messages m left join chat_rooms c on c.id = m.room_id
    where ${conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`}
    order by m.id desc limit ${take}`.execute(db);
  return rows;
}

/** Takes the words of a player's messages away for good, and answers which of them are gone by that, the newest `most` of them. */
export async function eraseText(
  tx: Tx,
  userId: number,
  most: number,
): Promise<{ id: bigint; roomId: string }[]> {
  const { rows } = await sql<{ id: bigint; roomId: string; isNew: boolean }>`
    with before as (
      select id, deleted_at is null as is_new from chat_messages where user_id = ${userId} for update),
    erased as (
      update chat_messages m set text = '', key = null, deleted_at = coalesce(m.deleted_at, now())
      from before where m.id = before.id returning m.id, m.room_id, before.is_new)
    select id, room_id as "roomId" from erased where is_new order by id desc limit ${most}`.execute(tx);
  return rows;
}

/** Removes messages older than so many days, the oldest first and a bounded number, and mutes that are over; answers how many messages. */
export async function purgeMessages(db: DbOrTx, days: number, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from chat_messages where id in (
      select id from (select id, created_at from chat_messages order by id limit ${most}) oldest
      where created_at < now() - ${days} * interval '1 day')`.execute(db);
  await sql`delete from chat_mutes where muted_until < now()`.execute(db);
  return Number(numAffectedRows ?? 0);
}
