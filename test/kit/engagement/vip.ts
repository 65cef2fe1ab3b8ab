/** The VIP application of a player who is a VIP on another platform. */
export const APPLICATION = {
  platformName: 'Other House',
  platformUsername: 'highroller',
  totalWageredUsd: '250000.5',
  rank: 'Diamond',
  contactMethod: 'TELEGRAM',
  contactUsername: '@highroller',
} as const;
