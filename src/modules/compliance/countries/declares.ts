export const declares = {
  about: 'countries, where an address is, which are blocked',
  tags: {
    Country: 'Countries with their dial codes.',
    'GEO Restrictions': 'Which country a request comes from, and whether it is blocked.',
    'Admin Country': 'Blocking of countries.',
  },
  permissions: {
    'country.read': 'See which countries are blocked',
    'country.write': 'Block and unblock countries',
  },
} as const;
