export const declares = {
  about: 'currencies and their rates, in memory',
  tags: {
    Currency: 'Currencies with their networks, limits and fees.',
    'Exchange Rates': 'Rates in US dollars, with those of the last 24 hours.',
  },
} as const;
