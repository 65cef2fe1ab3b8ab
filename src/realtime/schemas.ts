import { z } from 'zod';
import { commonErrors } from '../platform/errors.ts';

/** Rooms that one enters and leaves, beside those of the chat. Everybody is in their own for good, and in `public` from the start. */
export const ROOMS = ['public', 'game:speed-roulette', 'admin'] as const;

const Seq = z.int().min(0);
/** Names are looked up later: an unknown room has an error of its own. */
const RoomName = z.string().min(1).max(64);

/** `auth` of the handshake. */
export const Handshake = z.strictObject({
  socket_token: z.string().max(4096).optional(),
  lastSeq: Seq.optional(),
  rooms: z.array(RoomName).max(8).optional(),
});

/** What a client may send, by name. Bodies are closed. */
export const MESSAGES = {
  subscribe: z.strictObject({ room: RoomName }),
  unsubscribe: z.strictObject({ room: RoomName }),
  resume: z.strictObject({ lastSeq: Seq }),
  ping: z.strictObject({}).optional(),
  'chat.send': z.strictObject({
    room: RoomName,
    text: z.string(),
    key: z
      .string()
      .regex(/^[\x21-\x7e]{1,64}$/, 'needs up to 64 printable characters')
      .meta({ description: 'What the client calls the message: sent again, it is written once.' }),
  }),
} as const;

export type MessageName = keyof typeof MESSAGES;
export type Body<N extends MessageName> = z.output<(typeof MESSAGES)[N]>;

/** Names that the transport keeps for itself. */
const RESERVED = ['connect', 'connect_error', 'disconnect', 'disconnecting', 'newListener', 'removeListener'];

/** What the gateway sends: to a room, to a user, else to everybody. */
export const Announcement = z.strictObject({
  event: z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9_.:-]+$/)
    .refine((name) => !RESERVED.includes(name), { error: 'is a name of the transport' }),
  data: z.unknown().optional(),
  room: z.string().min(1).max(64).optional(),
  userId: z.int().positive().optional(),
});
export type Announcement = z.output<typeof Announcement>;

/** What was read, or VALIDATION_FAILED (400) with what is wrong with it. */
export function readAs<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const fields = read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw commonErrors.VALIDATION_FAILED({ fields });
}
