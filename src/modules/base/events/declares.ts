import { z } from 'zod';
import { Amount, CurrencyId, Id, Moment } from '../../../http/schemas.ts';
import { event } from './schemas.ts';

const Level = z.number().int().min(0);
const Name = z.string().nullable().meta({ description: 'A username; null: who hides it.' });
const MAX_LEADERS = 10;

export const declares = {
  about: 'events, written in the transaction that causes them, and their recipients',
  /** The first of them are of modules that are still to come. */
  events: {
    'rakeback.accrued': event(
      'user',
      'Rakeback has grown; amounts are what there is now.',
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
      'Somebody gave the player a tip.',
      z.strictObject({ tipId: Id, currencyId: CurrencyId, amount: Amount, from: Name }),
    ),
    'leaderboard.updated': event(
      'public',
      'The places of a leaderboard, or its state, have changed.',
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
      'Maintenance begins, is planned or has ended.',
      z.strictObject({
        isActive: z.boolean(),
        startsAt: Moment.nullable(),
        endsAt: Moment.nullable(),
        message: z.string().nullable(),
      }),
    ),
    'admin.alert': event(
      'admin',
      'Something waits for staff, or is not as it should be. Who may see it asks for it by its id.',
      z.strictObject({
        kind: z.enum([
          'WITHDRAWAL_WAITING',
          'DEPOSIT_UNDER_REVIEW',
          'RETURN_ALERT',
          'UNIFORMITY_ALERT',
          'PROVIDER_FINDINGS',
          'LEADERBOARD_CHANGED',
          'CHALLENGE_REVERSED',
        ]),
        id: Id.meta({
          description:
            'Of the withdrawal, deposit or challenge; of an alert the game; of findings the provider; of a leaderboard a bet of which was rolled back after a prize was paid that leaderboard.',
        }),
      }),
    ),
  },
} as const;
