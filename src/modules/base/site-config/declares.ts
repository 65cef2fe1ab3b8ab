import { z } from 'zod';
import { event } from '../events/schemas.ts';

export const declares = {
  about: 'settings that staff changes, with their history; the public part of them',
  tags: {
    'Admin Core': 'Configuration of the site with its history, and what is logged.',
    Config: 'Configuration of the site, with its history.',
  },
  events: {
    'config.changed': event(
      'public',
      'Public settings have changed: GET /config/{code} answers them. GAMES: settings of these house games, COUNTRIES: whom we serve.',
      z.strictObject({
        code: z.enum(['USER', 'AFFILIATES', 'WITHDRAWALS', 'GAMES', 'COUNTRIES']),
        games: z.array(z.string()).optional(),
      }),
    ),
  },
} as const;
