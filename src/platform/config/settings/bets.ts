import { count, optionalChoice } from './setting.ts';

export const bets = {
  BET_LANES: count(1).describe(
    'Database connections that settle bets, each with a queue of its own: fewer make larger batches, which cost less per bet.',
  ),
  LIVE_BETS_HIGH_ROLLER_USD: count(100).describe(
    'US dollars staked from which on a bet is one of HIGH_ROLLERS in the live feed.',
  ),
  LIVE_BETS_LUCKY_MULTIPLIER: count(10).describe(
    'Times its stake that a bet pays from which on it is one of LUCKY_WINS in the live feed.',
  ),
  BOT_ACTIVITY: optionalChoice(['off', 'disclosed']).describe(
    'Scenery in the live feed: `disclosed` shows rows that nobody has played, one in five at most, each with `isSimulated: true`, and `isActivitySimulated` in `GET /config/USER`; `off` neither makes nor shows any. Default: `disclosed` in `local` and `test`, else `off`.',
  ),
  // Each bet uses three of the 1024 ids that one transaction reserves.
  BET_BATCH: count(256, 1, 341).describe('Most bets settled in one transaction.'),
  BET_QUEUE: count(4096).describe('Most bets waiting in one lane; beyond it 503 with Retry-After.'),
  BET_QUEUE_PER_PLAYER: count(512).describe(
    'Most bets of one player waiting in a lane, those of series too; beyond it 429 with Retry-After.',
  ),
  BET_DEADLINE_MS: count(2500).describe(
    'A bet that has waited longer for its turn answers 503 and is not made.',
  ),
  PROVIDER_CALL_DEADLINE_MS: count(800).describe(
    'A call of a supplier of games that has waited longer is told to try again, and then finds out what became of it.',
  ),
  SPORTSBOOK_CALL_DEADLINE_MS: count(1500).describe('The same for a transaction of the sportsbook.'),
  SEED_PAIR_BETS: count(1000).describe(
    'A seed pair that has served so many bets is rotated by the worker once its player is away.',
  ),
  SEED_PAIR_IDLE_MINUTES: count(10).describe('How long a player has not bet when their pair is rotated.'),
  ROUND_ABANDONED_HOURS: count(24).describe(
    'A round whose player has done nothing for so long is ended the way that takes no further risk.',
  ),
};
