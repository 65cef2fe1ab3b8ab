export const declares = {
  about: 'play → settlement → transaction → batch: how a bet is taken, decided and paid, whatever the game',
  tags: { AdminBetQueue: 'Rounds that could not be settled, and trying again.' },
  permissions: { 'bet.write': 'Retry bets that could not be settled' },
  kinds: {
    'bet.stake': 'BET',
    'bet.payout': 'PAYOUT',
    'bet.stake.rollback': 'BET_ROLLBACK',
    'bet.payout.rollback': 'PAYOUT_ROLLBACK',
  },
} as const;
