export const declares = {
  about:
    'games of providers: launches, the wallet that providers call in their own dialects, and comparing books',
  kinds: {
    'provider.freespin': 'PROMO_GRANT',
    'provider.promo': 'PROMO_GRANT',
    'provider.jackpot': 'PAYOUT',
    'provider.adjustment': 'CORRECTION',
  },
} as const;
