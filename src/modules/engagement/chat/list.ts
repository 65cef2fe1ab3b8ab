import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { ShortPrivateUser, UserId } from '../../base/users/schemas.ts';
import { shortUsers, sightOf } from '../../base/users/service.ts';
import { type ChatDeps, IS_SHOWN } from './queries.ts';
import { IsStaff, MessageId, NamedRoom, RoomId } from './schemas.ts';

const Query = z.strictObject({
  roomId: NamedRoom.optional(),
  userId: UserId.optional(),
  before: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, 'needs the id of a message')
    .optional()
    .meta({ description: 'Returns messages older than this one. Send the last id of the previous page.' }),
  take: z.number().int().min(1).max(100).default(50),
});

const StaffChatMessage = object('StaffChatMessage', {
  id: MessageId,
  roomId: RoomId,
  user: ShortPrivateUser,
  text: z.string(),
  isStaff: IsStaff,
  tipId: z.string().nullable(),
  createdAt: Timestamp,
  isShown: z.boolean().meta({ description: 'False if the message was deleted or its room was cleared.' }),
  deletedAt: Timestamp.nullable(),
  deletedBy: ShortPrivateUser.nullable(),
  mutedUntil: Timestamp.nullable().meta({
    description: "When the author's mute ends. Null if the author is not muted.",
  }),
});

export const listMessages = operation({
  method: 'GET',
  path: '/admin/chat/messages',
  tag: 'Admin Chat',
  access: { permission: 'chat.moderate' },
  summary: 'List chat messages of the last 30 days',
  description:
    'Newest first, including deleted messages. Shows the author even if their profile is private. Use `before` to get the next page.',
  query: Query,
  response: z.array(StaffChatMessage),
  handler: async ({ db }: ChatDeps, { by, query }) => {
    const rows = await readMessagesForStaff(db, query);
    const userIds = rows.flatMap(({ userId, deletedBy }) => [userId, deletedBy]);
    const users = await shortUsers(db, userIds, sightOf(by.user));
    return rows.map(({ id, userId, tipId, createdAt, deletedAt, deletedBy, mutedUntil, ...row }) => ({
      ...row,
      id: String(id),
      user: users.get(userId)!,
      tipId: tipId === null ? null : String(tipId),
      createdAt: iso(createdAt),
      deletedAt: deletedAt && iso(deletedAt),
      deletedBy: deletedBy === null ? null : users.get(deletedBy)!,
      mutedUntil: mutedUntil && iso(mutedUntil),
    }));
  },
});

type StaffRow = {
  id: bigint;
  roomId: string;
  userId: number;
  text: string;
  isStaff: boolean;
  tipId: number | null;
  createdAt: Date;
  isShown: boolean;
  deletedAt: Date | null;
  deletedBy: number | null;
  mutedUntil: Date | null;
};

/** Returns messages for staff. Every combination of filters uses an index. */
export async function readMessagesForStaff(
  db: DbOrTx,
  { roomId, userId, before, take }: z.output<typeof Query>,
): Promise<StaffRow[]> {
  const conditions = [
    ...(roomId === undefined ? [] : [sql`m.room_id = ${roomId}`]),
    ...(userId === undefined ? [] : [sql`m.user_id = ${userId}`]),
    ...(before === undefined ? [] : [sql`m.id < ${BigInt(before)}`]),
  ];
  const { rows } = await sql<StaffRow>`
    select m.id, m.room_id as "roomId", m.user_id as "userId", m.text, m.is_staff as "isStaff", m.tip_id as "tipId", m.created_at as "createdAt",
      ${IS_SHOWN} as "isShown", m.deleted_at as "deletedAt", m.deleted_by as "deletedBy",
      (select muted_until from chat_mutes where user_id = m.user_id and muted_until > now()) as "mutedUntil"
    from chat_messages m left join chat_rooms c on c.id = m.room_id
    where ${conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`}
    order by m.id desc limit ${take}`.execute(db);
  return rows;
}
