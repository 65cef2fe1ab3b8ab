import { z } from 'zod';
import { Usd } from '../fields/schemas.ts';

const Room = z.strictObject({
  /** Sockets know it as `chat:<id>`. */
  id: z.string().regex(/^[a-z0-9-]{1,32}$/, 'needs up to 32 small letters, digits and hyphens'),
  name: z.string().trim().min(1).max(50),
});

/** The chat, where `isChatEnabled` is on. */
export const Chat = z.strictObject({
  /** Public tips are shown in the first one. */
  rooms: z
    .array(Room)
    .min(1)
    .max(20)
    .refine((rooms) => new Set(rooms.map(({ id }) => id)).size === rooms.length, 'names a room twice')
    .default([{ id: 'general', name: 'General' }]),
  /** Who has wagered less does not write. */
  minWageredUsd: Usd.default('0'),
});
