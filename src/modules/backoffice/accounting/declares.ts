export const declares = {
  about: "staff's one statement over the ledger",
  tags: { 'Admin Accounting': 'The statement over the ledger.' },
  permissions: { 'transaction.read': 'See balances and every movement of money' },
  kinds: {
    'affiliate.claim': 'AFFILIATE_CLAIM',
    'leaderboard.prize': 'LEADERBOARD_PRIZE',
  },
} as const;
