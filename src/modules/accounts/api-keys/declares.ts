export const declares = {
  about: "API keys of partners' programs",
  tags: {
    'Admin Key': "API keys of partners' programs.",
    'Api Keys': "API keys of partners' programs.",
  },
  permissions: {
    'apikey.read': 'See which users have API keys',
    'apikey.write': 'Create and revoke API keys',
  },
} as const;
