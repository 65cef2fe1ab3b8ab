export const declares = {
  about: 'lists of bets, live feeds and rollbacks; consumers of settled bets and their control',
  tags: {
    Bets: "A player's own bets, their details and live feeds. In the backoffice: search of all bets.",
    'Admin Bets': 'Search and rollback of bets.',
  },
  permissions: {
    'bet.read': 'See the bets of all players',
    'bet.rollback': 'Roll back settled bets',
  },
  checks: {
    'a cursor stands beyond everything that was ever made': `select name, position, last_value from cursors, ledger_ids
      where follows = 'bets' and position >= last_value + 1024`,
  },
} as const;
