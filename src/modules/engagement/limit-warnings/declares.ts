import { z } from 'zod';
import { Amount, Moment } from '../../../http/schemas.ts';
import { event } from '../../base/events/schemas.ts';

export const declares = {
  about: 'warns players when 80 % of a limit is used',
  events: {
    'limit.warning': event(
      'user',
      '80 % of a limit is used. Sent once per limit and period.',
      z.strictObject({
        type: z.enum(['DEPOSIT', 'WAGER', 'LOSS', 'SESSION']),
        period: z.enum(['DAY', 'WEEK', 'MONTH']),
        limit: Amount.meta({ description: 'US dollars, or minutes for SESSION.' }),
        used: Amount,
        periodEndsAt: Moment,
      }),
    ),
  },
} as const;
