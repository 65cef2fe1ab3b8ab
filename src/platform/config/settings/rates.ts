import { choice, count, urlOr } from './setting.ts';

export const rates = {
  RATE_SOURCE: choice(['fixed', 'coinbase'], 'fixed').describe(
    'Source of exchange rates: a fixed table, or the public Coinbase rates.',
  ),
  RATE_SOURCE_URL: urlOr('https://api.coinbase.com/v2/exchange-rates?currency=USD').describe(
    'Address of the HTTP source.',
  ),
  RATE_REFRESH_SECONDS: count(30).describe('Interval at which the worker reads the source.'),
  RATE_MAX_AGE_SECONDS: count(300).describe(
    'A rate older than this is stale. It is marked as stale and rejected for bets.',
  ),
  RATE_JUMP_PERCENT: count(20).describe(
    'A rate that moves by more than this percentage is used only once a second reading confirms it. Until then the old rate applies and becomes stale with age.',
  ),
};
