export const declares = {
  about: 'promotions: who may have them, codes, redeeming; what staff sets up, grants and cancels',
  tags: {
    Promo: 'Promotions that a player may have, and what they were granted.',
    'Promo Admin': 'Promotions, their codes and what was granted of them.',
  },
  permissions: {
    'promo.read': 'See promotions, their codes and grants',
    'promo.write': 'Set up promotions, make codes, grant and cancel',
  },
} as const;
