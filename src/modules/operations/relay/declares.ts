export const declares = { about: 'publishes events to the broker' } as const;
