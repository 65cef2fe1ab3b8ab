import { z } from 'zod';
import { Amount, CurrencyId, Id, Moment } from '../../../http/schemas.ts';
import { event } from './schemas.ts';

const Level = z.number().int().min(0);
const Name = z.string().nullable().meta({ description: 'A username; null if the player hides it.' });
const MAX_LEADERS = 10;

export const declares = {
  about: 'events, written in the transaction that causes them, and their recipients',
  events: {
    'rakeback.accrued': event(
      'user',
      'Rakeback has accrued. The amounts are the current totals.',
      z.strictObject({
        currencyId: CurrencyId,
        instant: Amount,
        daily: Amount,
        weekly: Amount,
        monthly: Amount,
      }),
    ),
    'vip.level': event(
      'user',
      'The player has reached a VIP level.',
      z.strictObject({ level: Level, previousLevel: Level }),
    ),
    'tip.received': event(
      'user',
      'The player received a tip.',
      z.strictObject({ tipId: Id, currencyId: CurrencyId, amount: Amount, from: Name }),
    ),
    'leaderboard.updated': event(
      'public',
      'The ranks or the state of a leaderboard have changed.',
      z.strictObject({
        leaderboardId: Id,
        status: z.enum(['SCHEDULED', 'ACTIVE', 'FINALIZING', 'AWAITING_PAYOUT', 'FINISHED', 'CANCELLED']),
        leaders: z
          .array(z.strictObject({ place: z.number().int().min(1), username: Name, score: Amount }))
          .max(MAX_LEADERS),
      }),
    ),
    maintenance: event(
      'public',
      'Maintenance is planned, has started or has ended.',
      z.strictObject({
        isActive: z.boolean(),
        startsAt: Moment.nullable(),
        endsAt: Moment.nullable(),
        message: z.string().nullable(),
      }),
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
            'The id of the withdrawal, deposit, challenge or leaderboard. For RATE_JUMP the currency, for RETURN_ALERT and UNIFORMITY_ALERT the game, for PROVIDER_FINDINGS the provider.',
        }),
      }),
    ),
  },
} as const;
