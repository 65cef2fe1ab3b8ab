export const declares = { about: 'months of bets and postings: made, moved to, detached' } as const;
