import { z } from 'zod';
import { Id } from '../../../http/schemas.ts';

/**
 * The recipients of an event: one player, everyone, the viewers of a game, staff, or the chat room given by `roomId` in the event's data.
 * Events of the room `internal` are about a player and are sent to the broker only, never to sockets.
 */
type Room = 'user' | 'public' | 'game:speed-roulette' | 'admin' | 'chat' | 'internal';

/** An event without its name: its room and data. Amounts are decimal strings, times are ISO 8601 in UTC. */
export const event = <R extends Room, D extends z.ZodType>(room: R, summary: string, data: D) => ({
  room,
  summary,
  data,
});

/** A kind of event that modules can emit. */
export type EventType = { name: string; room: Room; summary: string; data: z.ZodType };

/**
 * The events of a module by name. The module lists these events in `events` of its module.ts. Changes to balances and bets need no event,
 * because operations/feed reads them from their tables.
 */
export function events<const C extends Readonly<Record<string, Omit<EventType, 'name'>>>>(catalogue: C) {
  const named = Object.entries(catalogue).map(([name, one]) => [name, { name, ...one }]);
  return Object.fromEntries(named) as { readonly [N in keyof C & string]: C[N] & { name: N } };
}

const Level = z.number().int().min(0);

/** Events that several modules emit. */
export const baseEvents = events({
  'vip.level': event(
    'user',
    'The player has reached a VIP level.',
    z.strictObject({ level: Level, previousLevel: Level }),
  ),
  'admin.alert': event(
    'admin',
    'Something needs the attention of staff. Authorized staff read it by its id.',
    z.strictObject({
      kind: z.enum([
        'WITHDRAWAL_WAITING',
        'DEPOSIT_UNDER_REVIEW',
        'RATE_JUMP',
        'RETURN_ALERT',
        'UNIFORMITY_ALERT',
        'PROVIDER_FINDINGS',
        'LEADERBOARD_CHANGED',
        'CHALLENGE_REVERSED',
      ]),
      id: Id.meta({
        description:
          'The id of the withdrawal, deposit, challenge or leaderboard. For RATE_JUMP it is the currency, for RETURN_ALERT and ' +
          'UNIFORMITY_ALERT the game, and for PROVIDER_FINDINGS the provider.',
      }),
    }),
  ),
});
