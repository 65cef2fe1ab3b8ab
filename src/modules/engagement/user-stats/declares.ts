export const declares = {
  about: 'consumes settled bets: statistics of players, their hours in games, popularity',
} as const;
