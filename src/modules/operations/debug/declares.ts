export const declares = {
  about: 'shortcuts for development',
  tags: { Debug: 'Shortcuts for development: play money, test users and sign-in by username.' },
  kinds: {
    // Play money for developers does not count as a campaign cost.
    'debug.credit': 'CORRECTION',
  },
} as const;
