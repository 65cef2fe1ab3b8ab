import { z } from 'zod';
import { Amount, CurrencyId, Id, Moment, object, Timestamp } from '../../../http/schemas.ts';
import { ShortPrivateUser, ShortPublicUser, UserId } from '../../base/users/schemas.ts';

const RoomId = z.string().min(1).max(32).meta({ description: 'As in `chat:<roomId>`.', example: 'general' });
const MessageId = Id.meta({ description: 'Grows with every message, in all rooms together.' });
const SlowModeSeconds = z
  .number()
  .int()
  .min(0)
  .max(3600)
  .meta({ description: 'A player writes once in this time; 0: as often as everywhere.' });

/** What is shown of a tip that its sender has made public. */
const ChatTip = object('ChatTip', {
  recipient: ShortPublicUser,
  currencyId: CurrencyId,
  amount: Amount,
  usdAmount: Amount,
});

/** A message as everybody sees it. */
export const ChatMessage = object('ChatMessage', {
  id: MessageId,
  roomId: RoomId,
  user: ShortPublicUser.meta({ description: 'As they are now: `Incognito` while they hide.' }),
  text: z.string().meta({ description: 'Plain text: show it as it is. Empty for a tip without words.' }),
  tip: ChatTip.nullable().meta({ description: 'Where the message is the line of a public tip.' }),
  createdAt: Moment,
});
export type ChatMessage = z.input<typeof ChatMessage>;

/** A room as it is now. */
export const ChatHistory = z.strictObject({
  roomId: RoomId,
  slowModeSeconds: SlowModeSeconds,
  messages: z.array(ChatMessage).max(50).meta({ description: 'The newest, the oldest of them first.' }),
});
export type ChatHistory = z.input<typeof ChatHistory>;

/** What the events of a room carry. */
export const InRoom = z.strictObject({ roomId: RoomId });
export const MessageDeleted = InRoom.extend({ messageId: MessageId });
export const SlowMode = InRoom.extend({ seconds: SlowModeSeconds });
export const Muted = z.strictObject({
  until: Moment.nullable().meta({ description: 'Null: they may write again.' }),
});

/** The name of a room is taken for its id too. */
const NamedRoom = z
  .string()
  .max(64)
  .transform((name) => name.replace(/^chat:/, ''));
const AYear = 31_536_000;

/** What each action of staff needs. */
export const ACTIONS = {
  MUTE_USER: z
    .strictObject({
      userId: UserId,
      seconds: z.number().int().min(1).max(AYear).optional(),
      untilAt: Moment.optional(),
    })
    .refine(({ seconds, untilAt }) => (seconds === undefined) !== (untilAt === undefined), {
      error: 'needs either seconds or untilAt',
      path: ['seconds'],
    }),
  UNMUTE_USER: z.strictObject({ userId: UserId }),
  DELETE_MESSAGE: z.strictObject({
    messageId: z.string().regex(/^[1-9]\d{0,17}$/, 'needs the id of a message'),
  }),
  CLEAR_ROOM: z.strictObject({ roomId: NamedRoom }),
  SET_SLOW_MODE: z.strictObject({ roomId: NamedRoom, seconds: z.number().int().min(0).max(3600) }),
} as const;
export type Action = keyof typeof ACTIONS;
export type Args<A extends Action> = z.output<(typeof ACTIONS)[A]>;

export const AdminAction = z.strictObject({
  action: z.string().min(1).max(50).meta({
    description: 'MUTE_USER, UNMUTE_USER, DELETE_MESSAGE, CLEAR_ROOM or SET_SLOW_MODE.',
    example: 'MUTE_USER',
  }),
  args: z.record(z.string(), z.unknown()).meta({
    description:
      'MUTE_USER {userId, seconds or untilAt}, UNMUTE_USER {userId}, DELETE_MESSAGE {messageId}, CLEAR_ROOM {roomId}, SET_SLOW_MODE {roomId, seconds}.',
    example: { userId: 1, seconds: 600 },
  }),
});

export const StaffQuery = z.strictObject({
  roomId: NamedRoom.optional(),
  userId: UserId.optional(),
  before: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, 'needs the id of a message')
    .optional()
    .meta({ description: 'Older than this message: the last one of the page before.' }),
  take: z.number().int().min(1).max(100).default(50),
});

/** A message as staff sees it: whose it is whether they hide or not, and what became of it. */
export const StaffChatMessage = object('StaffChatMessage', {
  id: MessageId,
  roomId: RoomId,
  user: ShortPrivateUser,
  text: z.string(),
  tipId: z.string().nullable(),
  createdAt: Timestamp,
  isShown: z.boolean().meta({ description: 'Neither deleted nor cleared away with its room.' }),
  deletedAt: Timestamp.nullable(),
  deletedBy: ShortPrivateUser.nullable(),
});
export type StaffChatMessage = z.input<typeof StaffChatMessage>;
