import { z } from 'zod';
import { Amount, CurrencyId, Id } from '../../../http/schemas.ts';
import { event } from '../../base/events/schemas.ts';
import { messages } from './messages.ts';

export const declares = {
  about:
    'consumes settled bets: challenges, which the first bet on a game that pays enough wins; staff confirms it, and the reward is paid',
  tags: {
    Challenge: 'Challenges: the first bet on a game that pays enough of its stake wins a reward.',
    'Admin Challenge': 'Challenges as staff sets them up, confirms their winners, and takes rewards back.',
  },
  permissions: {
    'challenge.read': 'See challenges, hidden ones too, and the bets that can win them',
    'challenge.write': 'Set up, change and delete challenges',
    'challenge.pay': 'Pay rewards of challenges and take them back',
  },
  events: {
    'challenge.won': event(
      'public',
      'The reward of a challenge was paid to its winner.',
      z.strictObject({
        challengeId: Id,
        title: z.string(),
        winner: z.string().nullable().meta({ description: 'A username; null: who hides it.' }),
        rewardCurrency: CurrencyId,
        rewardAmount: Amount,
      }),
    ),
  },
  kinds: { 'challenge.reward': 'CHALLENGE_REWARD', 'challenge.rollback': 'CHALLENGE_ROLLBACK' },
  messages,
} as const;
