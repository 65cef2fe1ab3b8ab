export const declares = { about: 'messages and jobs that were given up' } as const;
