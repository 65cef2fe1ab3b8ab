import { sql } from 'kysely';
import { iso } from '../../../platform/clock.ts';
import { int8Array, textArray } from '../../../platform/database/arrays.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import { DAY_SECONDS, deleteDue } from '../../../platform/jobs/purge.ts';
import { formatUnits } from '../../../platform/money.ts';
import { emitEvent, MOST_EVENTS } from '../../base/events/service.ts';
import { toShortPublicUser } from '../../base/users/service.ts';
import { type ChatDeps, IS_SHOWN, lockWriters, storeMute } from './queries.ts';
import { type ChatHistory, type ChatMessage, chatErrors, chatEvents } from './schemas.ts';
import { readText } from './text/rules.ts';
import {
  type Acknowledged,
  addTipLine,
  assertEnabled,
  createQueue,
  type PublicTip,
  roomExists,
  roomIdOf,
  writeTogether,
} from './write.ts';

export type Chat = ReturnType<typeof createChat>;

/** A message from a socket. `key`: the client's idempotency key. */
type Sent = { userId: number; ip: string; room: string; text: string; key: string };

/** Writes and reads messages. A queue allows concurrent messages to share transactions. */
export function createChat(deps: ChatDeps) {
  const { db } = deps;
  const queue = createQueue((drafts) => writeTogether(deps, drafts));
  return {
    /** Returns true if the room exists. `room` is a name such as `chat:general`. */
    hasRoom(room: string): boolean {
      const id = roomIdOf(room);
      return id !== undefined && roomExists(deps, id);
    },

    /**
     * Writes a message once per key. Throws, in this order: 403 CHAT_DISABLED, 404 CHAT_ROOM_NOT_FOUND, 400 CHAT_TEXT_EMPTY,
     * CHAT_TEXT_TOO_LONG, CHAT_LINK, 409 IDEMPOTENCY_KEY_REUSED, then the errors of rules.ts. A rejected message does not use up its key.
     */
    async send({ room, text: typed, ...from }: Sent): Promise<Acknowledged> {
      assertEnabled(deps);
      const roomId = roomIdOf(room);
      if (roomId === undefined || !roomExists(deps, roomId)) throw chatErrors.CHAT_ROOM_NOT_FOUND();
      const read = readText(typed);
      if ('refusal' in read) throw read.refusal();
      return queue.add({ ...from, roomId, text: read.text });
    },

    addTipLine: (tx: Tx, tip: PublicTip) => addTipLine(tx, deps, tip),
    readMessages: (ids: readonly bigint[]) => readMessages(db, ids),
    readHistories: (roomIds: readonly string[], upTo: bigint) => readHistories(db, roomIds, upTo),
    close: queue.close,
  };
}

/** The number of messages in a room's history. */
const NEWEST = 50;

/** Returns messages by id as all players see them now. Deleted and cleared messages are omitted. */
export async function readMessages(db: DbOrTx, ids: readonly bigint[]): Promise<Map<bigint, ChatMessage>> {
  if (ids.length === 0) return new Map();
  return new Map((await readShown(db, ids)).map((row) => [row.id, toMessage(row)]));
}

/** Returns rooms by id with their newest messages up to an id. */
export async function readHistories(
  db: DbOrTx,
  roomIds: readonly string[],
  upTo: bigint,
): Promise<Map<string, ChatHistory>> {
  if (roomIds.length === 0) return new Map();
  const [rooms, rows] = await Promise.all([
    readRooms(db, roomIds),
    readNewest(db, { roomIds, upTo, most: NEWEST }),
  ]);
  const messages = Map.groupBy(rows.map(toMessage), ({ roomId }) => roomId);
  return new Map(rooms.map((room) => [room.roomId, { ...room, messages: messages.get(room.roomId) ?? [] }]));
}

const toMessage = ({ id, roomId, text, isStaff, createdAt, user, tip }: MessageRow): ChatMessage => ({
  id: String(id),
  roomId,
  user: toShortPublicUser(user, undefined),
  text,
  isStaff,
  tip: tip && {
    recipient: toShortPublicUser(tip.recipient, undefined),
    currencyId: tip.currencyId,
    amount: formatUnits(BigInt(tip.amount)),
    usdAmount: formatUnits(BigInt(tip.usdAmount)),
  },
  createdAt: iso(createdAt),
});

/** The public columns of a user. */
type PublicUser = {
  id: number;
  username: string | null;
  avatar: string | null;
  vip_level: number;
  is_private: boolean;
  is_streamer_mode: boolean;
};
/** The data of a tip. Amounts are strings, in the smallest unit. */
type Tip = { recipient: PublicUser; currencyId: string; amount: string; usdAmount: string };
type MessageRow = {
  id: bigint;
  roomId: string;
  text: string;
  isStaff: boolean;
  createdAt: Date;
  user: PublicUser;
  tip: Tip | null;
};

const publicUser = (
  alias: 'u' | 'r',
) => sql`json_build_object('id', ${sql.ref(`${alias}.id`)}, 'username', ${sql.ref(`${alias}.username`)},
  'avatar', ${sql.ref(`${alias}.avatar`)}, 'vip_level', ${sql.ref(`${alias}.vip_level`)},
  'is_private', ${sql.ref(`${alias}.is_private`)}, 'is_streamer_mode', ${sql.ref(`${alias}.is_streamer_mode`)})`;

const MESSAGE = sql`
  m.id, m.room_id as "roomId", m.text, m.is_staff as "isStaff", m.created_at as "createdAt", ${publicUser('u')} as "user",
  case when t.id is not null then json_build_object('recipient', ${publicUser('r')}, 'currencyId', t.currency_id, 'amount', t.amount::text,
    'usdAmount', t.usd_amount::text) end as tip`;
const WITH_PLAYERS = sql`
  join users u on u.id = m.user_id
  left join tips t on t.id = m.tip_id
  left join users r on r.id = t.recipient_id`;

async function readShown(db: DbOrTx, ids: readonly bigint[]): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    select ${MESSAGE} from chat_messages m ${WITH_PLAYERS} left join chat_rooms c on c.id = m.room_id
    where m.id = any(${int8Array(ids)}::int8[]) and ${IS_SHOWN}`.execute(db);
  return rows;
}

type RoomRow = { roomId: string; slowModeSeconds: number };

/** Returns the settings of rooms, in the same order. */
async function readRooms(db: DbOrTx, roomIds: readonly string[]): Promise<RoomRow[]> {
  const { rows } = await sql<RoomRow>`
    select wanted.id as "roomId", coalesce(c.slow_mode_seconds, 0) as "slowModeSeconds"
    from unnest(${textArray(roomIds)}::text[]) with ordinality wanted(id, place) left join chat_rooms c on c.id = wanted.id
    order by place`.execute(db);
  return rows;
}

/** Returns the newest `most` visible messages of each room up to an id, oldest first. */
async function readNewest(
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

/** Locks a player as a writer. This lock must be taken before the lock of the user's row, which every message references. */
export const lockMessages = (tx: Tx, userId: number): Promise<void> => lockWriters(tx, [userId]);

/**
 * Erases all of a player's messages. The player must be locked by `lockMessages`. Sockets receive an event for each of the latest messages.
 */
export async function eraseMessages(tx: Tx, userId: number): Promise<void> {
  const erased = await eraseText(tx, userId, MOST_EVENTS);
  await emitEvent(
    tx,
    ...erased.map(({ id, roomId }) => ({
      event: chatEvents['chat.deleted'],
      data: { roomId, messageId: String(id) },
    })),
  );
  await storeMute(tx, userId, null);
}

/** Erases the text of all of a player's messages. Returns the newest `most` of the messages that had not been deleted before. */
async function eraseText(tx: Tx, userId: number, most: number): Promise<{ id: bigint; roomId: string }[]> {
  const { rows } = await sql<{ id: bigint; roomId: string; isNew: boolean }>`
    with before as (
      select id, deleted_at is null as is_new from chat_messages where user_id = ${userId} for update),
    erased as (
      update chat_messages m set text = '', key = null, deleted_at = coalesce(m.deleted_at, now())
      from before where m.id = before.id returning m.id, m.room_id, before.is_new)
    select id, room_id as "roomId" from erased where is_new order by id desc limit ${most}`.execute(tx);
  return rows;
}

const KEEP_DAYS = 30;

/** Expired messages are found by id, because ids increase in the order of creation. */
export const EXPIRIES = [
  { table: 'chat_messages', after: 'created_at', keepSeconds: KEEP_DAYS * DAY_SECONDS, by: 'id' },
  { table: 'chat_mutes', after: 'muted_until', keepSeconds: 0 },
];

/** Deletes messages that are older than 30 days, and mutes that have ended. */
export async function purgeChat(db: Db): Promise<void> {
  for (const expiry of EXPIRIES) await deleteDue(db, expiry);
}
