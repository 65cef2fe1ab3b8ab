import { count, optionalChoice } from './setting.ts';

export const bets = {
  BET_LANES: count(1).describe(
    'Number of database connections that settle bets. Each has its own queue. Fewer connections settle larger batches, which cost less per bet.',
  ),
  LIVE_BETS_HIGH_ROLLER_USD: count(100).describe(
    'Minimum stake in US dollars for HIGH_ROLLERS in the live feed.',
  ),
  LIVE_BETS_LUCKY_MULTIPLIER: count(10).describe(
    'Minimum multiplier of a bet for LUCKY_WINS in the live feed.',
  ),
  BOT_ACTIVITY: optionalChoice(['off', 'disclosed']).describe(
    'Simulated rows in the live feed. `disclosed` shows rows of bets that no player has made: at most one row in five, each with `isSimulated: true`, and `isActivitySimulated` in `GET /config/USER`. `off` neither creates nor shows them. Default: `disclosed` in `local` and `test`, otherwise `off`.',
  ),
  // Each bet uses three of the 1024 ids that one transaction reserves.
  BET_BATCH: count(256, 1, 341).describe('Maximum number of bets settled in one transaction.'),
  BET_QUEUE: count(4096).describe(
    'Maximum number of bets waiting in one lane. Further bets get 503 with Retry-After.',
  ),
  BET_QUEUE_PER_PLAYER: count(512).describe(
    "Maximum number of one player's bets waiting in a lane, including bets of a series. Further bets get 429 with Retry-After.",
  ),
  BET_DEADLINE_MS: count(2500).describe(
    'Maximum waiting time of a bet in its queue. After that it gets 503 and is not placed.',
  ),
  PROVIDER_CALL_DEADLINE_MS: count(800).describe(
    "Maximum waiting time of a game provider's call. After that the provider is asked to retry, and the retry returns the outcome.",
  ),
  SPORTSBOOK_CALL_DEADLINE_MS: count(1500).describe(
    'Maximum waiting time of a sportsbook transaction, with the same effect.',
  ),
  SEED_PAIR_BETS: count(1000).describe(
    'The worker rotates a seed pair after this number of bets, once its player is inactive.',
  ),
  SEED_PAIR_IDLE_MINUTES: count(10).describe(
    'A player counts as inactive for seed rotation after this time without a bet.',
  ),
  ROUND_ABANDONED_HOURS: count(24).describe(
    'An open round is ended after this time without an action, in the way that takes no further risk.',
  ),
};
