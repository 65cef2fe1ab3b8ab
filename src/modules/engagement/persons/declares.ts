export const declares = { about: 'signals that two accounts belong to the same person' } as const;
