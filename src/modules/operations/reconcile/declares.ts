export const declares = { about: 'proves the books' } as const;
