import { z } from 'zod';
import { commonErrors } from '../platform/errors.ts';

/**
 * Rooms that clients may enter and leave, in addition to chat rooms. Every socket is always in its user's room, and it is in `public` from
 * the start.
 */
export const ROOMS = ['public', 'game:speed-roulette', 'admin'] as const;

const Seq = z.int().min(0);
/** The existence of the room is checked later, because an unknown room has its own error. */
const RoomName = z.string().min(1).max(64);

/** The `auth` object of the handshake. */
export const Handshake = z.strictObject({
  socket_token: z.string().max(4096).optional(),
  lastSeq: Seq.optional(),
  rooms: z.array(RoomName).max(8).optional(),
});

/** The messages that a client may send, by name. Unknown fields are rejected. */
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
      .meta({
        description:
          'A key chosen by the client. If a message is sent again with the same key, it is stored only once.',
      }),
  }),
} as const;

export type MessageName = keyof typeof MESSAGES;
export type Body<N extends MessageName> = z.output<(typeof MESSAGES)[N]>;

/** Event names that Socket.IO reserves. */
const RESERVED = ['connect', 'connect_error', 'disconnect', 'disconnecting', 'newListener', 'removeListener'];

/** A message that the gateway sends to a room, to a user or, if neither is given, to everyone. */
export const Announcement = z.strictObject({
  event: z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9_.:-]+$/)
    .refine((name) => !RESERVED.includes(name), { error: 'is a reserved name of the transport' }),
  data: z.unknown().optional(),
  room: z.string().min(1).max(64).optional(),
  userId: z.int().positive().optional(),
});
export type Announcement = z.output<typeof Announcement>;

/** Parses a value. Throws 400 VALIDATION_FAILED with the invalid fields. */
export function readAs<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const fields = read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw commonErrors.VALIDATION_FAILED({ fields });
}
