export const declares = {
  about: 'whether money may go in and play may start: exclusions, limits, countries, switches',
} as const;
