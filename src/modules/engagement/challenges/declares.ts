import { z } from 'zod';
import { Amount, CurrencyId, Id } from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';
import { event } from '../../base/events/schemas.ts';
import { message } from '../../base/notifications/message.ts';

export const challengeErrors = errors({
  CHALLENGE_NOT_FOUND: [404, 'This challenge does not exist.'],
  CHALLENGE_FINISHED: [409, 'The reward of this challenge has already been paid. Roll it back first.'],
  CHALLENGE_TERMS_FIXED: [409, 'The challenge already has a winner; only its visibility can change.'],
  CHALLENGE_NOT_AWARDED: [409, 'No reward has been paid for this challenge.'],
  CHALLENGE_BET_NOT_ELIGIBLE: [409, 'This bet cannot win the challenge; see `details.rule`.'],
  CHALLENGE_REWARD_SPENT: [
    409,
    "The winner's balance is below the reward. Set withdrawLessIfNotEnoughBalance to take what is left.",
  ],
});

/** `amount` is exact decimal text. */
type Reward = { challengeId: string; title: string; amount: string; currencyId: string };

const messages = {
  'challenge.won': message<Reward>('CHALLENGE', {
    en: {
      title: 'Challenge won',
      body: (f) =>
        `Your bet has won the challenge ${f.title}: ${f.amount} ${f.currencyId} have been added to your balance.`,
    },
    de: {
      title: 'Challenge gewonnen',
      body: (f) =>
        `Ihre Wette hat die Challenge ${f.title} gewonnen: ${f.amount} ${f.currencyId} wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: {
      title: 'Desafío ganado',
      body: (f) =>
        `Su apuesta ha ganado el desafío ${f.title}: se han añadido ${f.amount} ${f.currencyId} a su saldo.`,
    },
  }),
  'challenge.rolled-back': message<Reward>('CHALLENGE', {
    en: {
      title: 'Challenge reward reversed',
      body: (f) =>
        `Your win in the challenge ${f.title} is no longer valid. ${f.amount} ${f.currencyId} have been deducted from your balance.`,
    },
    de: {
      title: 'Challenge-Prämie zurückgenommen',
      body: (f) =>
        `Ihr Gewinn der Challenge ${f.title} gilt nicht: ${f.amount} ${f.currencyId} wurden von Ihrem Guthaben abgezogen.`,
    },
    es: {
      title: 'Premio del desafío retirado',
      body: (f) =>
        `Su victoria en el desafío ${f.title} no es válida: se han retirado ${f.amount} ${f.currencyId} de su saldo.`,
    },
  }),
};

export const declares = {
  about:
    'consumes settled bets: challenges won by the first bet on a game that reaches a multiplier; staff confirm the winner and pay the reward',
  tags: {
    Challenge: 'Challenges: the first bet on a game that reaches a multiplier wins a reward.',
    'Admin Challenge': 'Create challenges, confirm their winners, and pay or reverse rewards.',
  },
  permissions: {
    'challenge.read': 'View challenges, including hidden ones, and the bets that can win them',
    'challenge.write': 'Create, change and delete challenges',
    'challenge.pay': 'Pay and reverse challenge rewards',
  },
  events: {
    'challenge.won': event(
      'public',
      'The reward of a challenge was paid to its winner.',
      z.strictObject({
        challengeId: Id,
        title: z.string(),
        winner: z.string().nullable().meta({ description: 'The username; null for hidden players.' }),
        rewardCurrency: CurrencyId,
        rewardAmount: Amount,
      }),
    ),
  },
  kinds: { 'challenge.reward': 'CHALLENGE_REWARD', 'challenge.rollback': 'CHALLENGE_ROLLBACK' },
  messages,
} as const;
