export const declares = { about: 'when the last backup was finished' } as const;
