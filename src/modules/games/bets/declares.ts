export const declares = {
  about:
    'lists of bets, live feeds, rolling back; following settled bets with a cursor, and control of who does',
  tags: {
    Bets: "A player's own bets, details of any, live feeds. In the backoffice: search of all bets.",
    'Admin Bets': 'Search of all bets, and undoing settled ones.',
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
