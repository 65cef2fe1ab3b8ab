import { count, setting } from './setting.ts';

export const bets = {
  BET_LANES: setting(
    count(1),
    'Database connections that settle bets, each with a queue of its own: fewer make larger batches, which cost less per bet.',
  ),
  LIVE_BETS_HIGH_ROLLER_USD: setting(
    count(100),
    'US dollars staked from which on a bet is one of HIGH_ROLLERS in the live feed.',
  ),
  LIVE_BETS_LUCKY_MULTIPLIER: setting(
    count(10),
    'Times its stake that a bet pays from which on it is one of LUCKY_WINS in the live feed.',
  ),
  // Each bet takes three of the 1024 ids that one transaction reserves.
  BET_BATCH: setting(count(256, 1, 341), 'Most bets settled in one transaction.'),
  BET_QUEUE: setting(count(4096), 'Most bets waiting in one lane; beyond it 503 with Retry-After.'),
  BET_QUEUE_PER_PLAYER: setting(
    count(512),
    'Most bets of one player waiting in a lane, those of series too; beyond it 429 with Retry-After.',
  ),
  BET_DEADLINE_MS: setting(
    count(2500),
    'A bet that has waited longer for its turn answers 503 and is not made.',
  ),
  SEED_PAIR_BETS: setting(
    count(1000),
    'A seed pair that has served so many bets is rotated by the worker once its player is away.',
  ),
  SEED_PAIR_IDLE_MINUTES: setting(count(10), 'How long a player has not bet when their pair is rotated.'),
  ROUND_ABANDONED_HOURS: setting(
    count(24),
    'A round whose player has done nothing for so long is ended the way that takes no further risk.',
  ),
};
