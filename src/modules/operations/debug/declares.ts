export const declares = {
  about: 'short cuts for development',
  tags: { Debug: 'Short cuts for development: play money, test users, signing in by name.' },
  kinds: {
    // Play money of developers: nothing that a campaign gave.
    'debug.credit': 'CORRECTION',
  },
} as const;
