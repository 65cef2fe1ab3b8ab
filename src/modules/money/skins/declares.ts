export const declares = {
  about: 'deposits by items of a marketplace',
  tags: { 'Payments (skin marketplace)': 'Deposits by items of a marketplace.' },
  kinds: {
    'skins.deposit': 'DEPOSIT',
    'skins.deposit.reversal': 'DEPOSIT_REVERSAL',
  },
} as const;
