import { sql } from 'kysely';
import { int4Array, textArray } from '../../../platform/database/arrays.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Kyc } from '../../compliance/kyc/service.ts';
import { RECENT_MESSAGES, type Written } from './rules.ts';

export type ChatDeps = {
  db: Db;
  siteConfig: Pick<SiteConfig, 'get'>;
  gate: Pick<Gate, 'look'>;
  kyc: Pick<Kyc, 'underageAmong'>;
};

/** The maximum number of messages that a player can write in an hour, the longest interval of slow mode. */
const MAX_PER_HOUR = 1200;

/** Locks writers in ascending order, so that their concurrent messages are written one after another, across processes. */
export async function lockWriters(tx: Tx, userIds: readonly number[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('chat writer ' || id, 0))
    from (select id from unnest(${int4Array(userIds)}::int4[]) id order by id offset 0) ascending`.execute(
    tx,
  );
}

/** A message before it is checked. `key`: the client's idempotency key, or null if there is none. */
type Writing = { userId: number; roomId: string; key: string | null };
export type StoredMessage = { id: bigint; roomId: string; text: string; isStaff: boolean; createdAt: Date };
type WriterRow = {
  isEmailVerified: boolean;
  canUseChat: boolean;
  mutedUntil: Date | null;
  slowModeSeconds: number;
  lastInRoom: Date | null;
  recent: Written[];
  /** The message that was already written with this key. */
  existing: StoredMessage | undefined;
};

type ReadWriter = Omit<WriterRow, 'recent' | 'existing'> & {
  recent: { text: string; at: string }[];
  id: bigint | null;
  roomId: string;
  text: string;
  isStaff: boolean;
  createdAt: Date;
};

/** Returns the data about each writer that the rules need, in the same order. The writers must be locked. */
export async function readWriters(tx: Tx, writing: readonly Writing[]): Promise<WriterRow[]> {
  const { rows } = await sql<ReadWriter>`
    select u.email_verified as "isEmailVerified", u.can_use_chat as "canUseChat", m.muted_until as "mutedUntil",
      coalesce(r.slow_mode_seconds, 0) as "slowModeSeconds",
      case when r.slow_mode_seconds > 0 then (
        select max(created_at) from (
          select room_id, created_at from chat_messages where user_id = u.id order by id desc limit ${sql.lit(MAX_PER_HOUR)}
        ) latest where room_id = w.room_id) end as "lastInRoom",
      coalesce((
        select json_agg(json_build_object('text', text, 'at', created_at) order by id desc) from (
          select id, text, created_at from chat_messages where user_id = u.id order by id desc limit ${sql.lit(RECENT_MESSAGES)}) latest
      ), '[]') as recent,
      k.id, k.room_id as "roomId", k.text, k.is_staff as "isStaff", k.created_at as "createdAt"
    from unnest(${int4Array(writing.map(({ userId }) => userId))}::int4[], ${textArray(writing.map(({ roomId }) => roomId))}::text[],
      ${textArray(writing.map(({ key }) => key))}::text[]) with ordinality w(user_id, room_id, key, place)
    join users u on u.id = w.user_id
    left join chat_rooms r on r.id = w.room_id
    left join chat_mutes m on m.user_id = w.user_id and m.muted_until > now()
    left join chat_messages k on k.user_id = w.user_id and k.key = w.key
    order by place`.execute(tx);
  return rows.map(({ recent, id, roomId, text, isStaff, createdAt, ...writer }) => ({
    ...writer,
    recent: recent.map((message) => ({ text: message.text, at: new Date(message.at) })),
    existing: id === null ? undefined : { id, roomId, text, isStaff, createdAt },
  }));
}

export type NewMessage = Writing & { id: bigint; text: string; tipId: number | null; isStaff: boolean };

export async function insertMessages(tx: Tx, messages: readonly NewMessage[]): Promise<void> {
  const rows = messages.map(({ id, roomId, userId, key, text, tipId, isStaff }) => ({
    id,
    room_id: roomId,
    user_id: userId,
    key,
    text,
    tip_id: tipId,
    is_staff: isStaff,
  }));
  await tx.insertInto('chat_messages').values(rows).execute();
}

/** SQL: true for visible messages. Expects the aliases m (chat_messages) and c (chat_rooms). */
export const IS_SHOWN = sql`m.deleted_at is null and m.id > coalesce(c.cleared_to, 0)`;

/** Stores the end of a mute. If `until` is null, the mute is removed. */
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
