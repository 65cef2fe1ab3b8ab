import { errors } from '../../../platform/errors.ts';

export const rakebackErrors = errors({
  RAKEBACK_NOTHING_TO_CLAIM: [
    409,
    'No rakeback to claim for this period. GET /rakeback shows when the next one unlocks.',
  ],
});

export const declares = {
  about: 'rakeback: a share of the house edge that players claim instantly, daily, weekly or monthly',
  tags: {
    Rakeback:
      'A share of the house edge that players can claim. In the backoffice: the rakeback of all players.',
    'Admin Rakeback': 'The rakeback of all players.',
  },
  permissions: { 'rakeback.read': "View players' rakeback" },
  kinds: { 'rakeback.claim': 'RAKEBACK' },
} as const;
