export const declares = {
  about: "players' balances and the ledger statement for staff",
  tags: { 'Admin Accounting': "Players' balances and the ledger statement." },
  permissions: { 'transaction.read': 'View balances and all ledger movements' },
  kinds: {
    'affiliate.claim': 'AFFILIATE_CLAIM',
    'leaderboard.prize': 'LEADERBOARD_PRIZE',
  },
} as const;
