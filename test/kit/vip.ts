/** What a player who is a VIP elsewhere states. */
export const APPLICATION = {
  platformName: 'Other House',
  platformUsername: 'highroller',
  totalWageredUsd: '250000.5',
  rank: 'Diamond',
  contactMethod: 'TELEGRAM',
  contactUsername: '@highroller',
} as const;
