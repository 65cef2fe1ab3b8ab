import { z } from 'zod';
import { event } from '../events/schemas.ts';

export const declares = {
  about: 'site settings that staff change, their history and their public part',
  tags: {
    'Admin Core': 'Site settings with their history, and log levels.',
    Config: 'Site settings.',
  },
  events: {
    'config.changed': event(
      'public',
      'Public settings have changed. GET /config/{code} returns them. GAMES stands for the settings of these house games, COUNTRIES for the countries that are served.',
      z.strictObject({
        code: z.enum(['USER', 'AFFILIATES', 'WITHDRAWALS', 'GAMES', 'COUNTRIES']),
        games: z.array(z.string()).optional(),
      }),
    ),
  },
} as const;
