export const declares = {
  about: 'what the platform gives players beside bets and payments: one entry each, counted by the hour',
} as const;
