import { z } from 'zod';
import { Id, Moment } from '../../../http/schemas.ts';
import { event } from '../../base/events/schemas.ts';

export const declares = {
  about:
    'dice … roulette in one step; mines, monkey-run, blackjack in rounds; speed-roulette for all; settings, returns, proofs',
  tags: {
    Casino: 'The house games: bets in one step, rounds, and the round that all share.',
    'Admin Casino': 'Settings of the games, a kill switch for each, what they have returned.',
  },
  permissions: {
    'casino.read': 'See settings and returns of the games',
    'casino.write': 'Change settings of the games and stop them',
  },
  events: {
    'speed-roulette.round': event(
      'game:speed-roulette',
      'The round of everybody has entered a phase. Seed, position and colour are known from RESULT on.',
      z.strictObject({
        roundId: Id,
        phase: z.enum(['BETTING', 'WAITING', 'RESULT']),
        seedHash: z.string(),
        seed: z.string().nullable(),
        position: z.number().int().min(0).max(14).nullable(),
        color: z.enum(['RED', 'BLACK', 'GREEN']).nullable(),
        endsAt: Moment.meta({ description: 'End of the phase.' }),
      }),
    ),
  },
} as const;
