/** Tables with a row for every user who has signed in, played, paid or received rewards. */
const TAKING_PART = [
  ...['sessions', 'bets', 'wallets', 'ledger_lines', 'deposits', 'withdrawals', 'user_stats'],
  ...['leaderboard_scores', 'challenge_bests', 'vip_progress', 'rakeback_periods', 'tip_days'],
  ...['promo_grants', 'affiliates', 'referrals'],
];

/** Tables of bets and of their effects, with the name of the column that contains the bet's id. */
const OF_BETS: readonly (readonly [table: string, column: string])[] = [
  ['bets', 'id'],
  ['ledger_entries', 'id'],
  ['ledger_lines', 'id'],
  ['ledger_lines', 'entry_id'],
  ['events', 'id'],
  ['bet_rewards', 'bet_id'],
  ['bonus_bets', 'bet_id'],
  ['leaderboard_bets', 'bet_id'],
  ['challenge_candidates', 'bet_id'],
];

/** Checks that bots and simulated bets have no effect on real data. */
export const checks = {
  N10: {
    'a bot has played, paid or received rewards': TAKING_PART.map(
      (table) => `
        select u.id as user_id, '${table}' as what from users u where u.is_bot
          and exists (select from ${table} t where t.user_id = u.id)`,
    ).join(' union all '),
    'a bot is not banned from play': `
      select p.user_id from players p join users u on u.id = p.user_id where u.is_bot and not p.is_banned`,
    'a simulated bet is stored as a real bet or has effects': OF_BETS.map(
      ([table, column]) => `
        select s.id, '${table}' as what from simulated_bets s where exists (select from ${table} t where t.${column} = s.id)`,
    ).join(' union all '),
  },
};
