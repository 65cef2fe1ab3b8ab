export const declares = {
  about: 'what is owed to players beside the ledger: counted once a day',
} as const;
