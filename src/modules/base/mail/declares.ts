export const declares = { about: 'templates, languages, sealed letters in the queue' } as const;
