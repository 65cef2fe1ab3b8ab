export const declares = {
  about: 'countries, geolocation and blocked countries',
  tags: {
    Country: 'Countries with their dial codes.',
    'GEO Restrictions': "The country of the caller's address, and whether it is blocked.",
    'Admin Country': 'Blocked countries.',
  },
  permissions: {
    'country.read': 'View blocked countries',
    'country.write': 'Block and unblock countries',
  },
} as const;
