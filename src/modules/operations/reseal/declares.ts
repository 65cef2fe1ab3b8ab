export const declares = { about: 're-encrypts stored data when a secret is replaced' } as const;
