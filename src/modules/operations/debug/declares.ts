export const declares = {
  about: 'shortcuts for development',
  tags: { Debug: 'Shortcuts for development: play money, test users and sign-in by username.' },
  kinds: {
    // Play money for developers is not a campaign cost.
    'debug.credit': 'CORRECTION',
  },
} as const;
