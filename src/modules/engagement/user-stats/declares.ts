export const declares = {
  about: 'consumes settled bets: player statistics, hourly play, popularity of games',
} as const;
