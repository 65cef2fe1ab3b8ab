export const declares = {
  about: 'counts, once a day, what players are owed but the ledger does not yet contain',
} as const;
