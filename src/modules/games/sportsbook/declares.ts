export const declares = {
  about: "the sportsbook's side: login, players' tokens, its wallet transactions",
  tags: {
    'Sportsbook external (auth)': 'Signing the sportsbook in, and the key that proves its players.',
    'Sportsbook external': "The sportsbook's view of players and its transactions on their money.",
  },
} as const;
