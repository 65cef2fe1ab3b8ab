import { z } from 'zod';
import { Id, Moment } from '../../../http/schemas.ts';
import { event } from '../../base/events/schemas.ts';

export const declares = {
  about: 'originals: single-step games, games in rounds, speed-roulette; their settings, returns and proofs',
  tags: {
    Casino:
      'All games: the catalogue and favorites, and bets on the house games: single-step, in rounds, and in shared rounds.',
    'Admin Casino':
      'Games and providers, main page and commission rules; settings, kill switches and returns of house games.',
  },
  permissions: {
    'casino.read': 'See games, their providers, settings and returns',
    'casino.write': 'Change games and providers, and stop games',
    'casino.pay': 'Set commission rules, and book transactions that only the provider has recorded',
  },
  events: {
    'speed-roulette.round': event(
      'game:speed-roulette',
      'The shared round has entered a phase. Seed, position and color are set from RESULT on.',
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
