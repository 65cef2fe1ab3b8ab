import type { z } from 'zod';

/** The recipients of an event: one player, everyone, the viewers of a game, staff, or the chat room in `roomId` of its data. */
type Room = 'user' | 'public' | 'game:speed-roulette' | 'admin' | 'chat';

/**
 * An event as a module declares it (`events` in declares.ts), with its room and data. Amounts are decimal strings, times ISO 8601 in UTC.
 * Changes to balances and bets need no event, because operations/feed reads them from their tables.
 */
export const event = <D extends z.ZodType>(room: Room, summary: string, data: D) => ({ room, summary, data });

/** An event about a player that is sent to the broker only, never to sockets. */
export const internalEvent = <D extends z.ZodType>(summary: string, data: D) => ({
  room: 'internal' as const,
  summary,
  data,
});
