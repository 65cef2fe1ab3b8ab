export const declares = { about: 'emails: templates, languages, encrypted messages in the queue' } as const;
