export const declares = { about: 'what a key answered: a request that comes twice happens once' } as const;
