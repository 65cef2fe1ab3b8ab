import { z } from 'zod';
import { Amount, Moment } from '../../../http/schemas.ts';
import { event } from '../../base/events/schemas.ts';

export const declares = {
  about: 'tells players when most of a limit is used',
  events: {
    'limit.warning': event(
      'user',
      'Four fifths of a limit are used; once in its period.',
      z.strictObject({
        type: z.enum(['DEPOSIT', 'WAGER', 'LOSS', 'SESSION']),
        period: z.enum(['DAY', 'WEEK', 'MONTH']),
        limit: Amount.meta({ description: 'US dollars; of SESSION minutes.' }),
        used: Amount,
        periodEndsAt: Moment,
      }),
    ),
  },
} as const;
