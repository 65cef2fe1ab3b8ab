export const declares = {
  about: '`post`: the one way money moves; accounts, balances, statements, what is taken back and owed',
  kinds: { 'claim.recovery': 'CORRECTION', 'suspense.release': 'CORRECTION' },
} as const;
