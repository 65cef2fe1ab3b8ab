export const declares = {
  about: 'deposits of items sold at a skin marketplace',
  tags: { 'Payments (skin marketplace)': 'Deposits of items that players sell at a skin marketplace.' },
  kinds: {
    'skins.deposit': 'DEPOSIT',
    'skins.deposit.reversal': 'DEPOSIT_REVERSAL',
  },
} as const;
