import { z } from 'zod';
import { Id, Moment } from '../../../http/schemas.ts';
import { event } from '../../base/events/schemas.ts';

export const declares = {
  about:
    'dice … roulette in one step; mines, monkey-run, blackjack in rounds; speed-roulette for all; settings, returns, proofs',
  tags: {
    Casino:
      'All games: the catalogue and favourites; bets on the house games, in one step, in rounds, and in the round that all share.',
    'Admin Casino':
      'Games and their providers, the main page, commission; settings of the house games, a kill switch for each; what games have returned.',
  },
  permissions: {
    'casino.read': 'See games, their providers, settings and returns',
    'casino.write': 'Change games, providers and commission, stop games',
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
