import type { z } from 'zod';

/** For whom an event is: one player, everybody, whoever watches a game, staff, or the room of the chat that `roomId` of its data names. */
type Room = 'user' | 'public' | 'game:speed-roulette' | 'admin' | 'chat';

/**
 * An event as a module declares it (`events` in declares.ts): who gets it and what it carries. Amounts are decimal strings, times ISO 8601 in UTC.
 * What follows from money and bets alone is announced by nobody: modules/feed reads it where it is written.
 */
export const event = <D extends z.ZodType>(room: Room, summary: string, data: D) => ({ room, summary, data });

/** An event about a player for our own consumers alone: it reaches the broker, never a socket. */
export const internalEvent = <D extends z.ZodType>(summary: string, data: D) => ({
  room: 'internal' as const,
  summary,
  data,
});
