export const declares = {
  about: 'health, readiness and version',
  tags: {
    Core: 'Health, readiness and version of the service.',
    Health: 'Health of the service.',
  },
} as const;
