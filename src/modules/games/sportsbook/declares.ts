export const declares = {
  about: "the sportsbook's side: login, players' tokens, its wallet transactions",
} as const;
