export const declares = {
  about: 'health, readiness, version',
  tags: {
    Core: 'Health, readiness and version of the service.',
    Health: 'Health of the service.',
  },
} as const;
