import { z } from 'zod';
import { count, setting } from './setting.ts';

export const rates = {
  RATE_SOURCE: setting(
    z.enum(['fixed', 'coinbase']).default('fixed'),
    'Where exchange rates come from: a fixed table, or the public Coinbase rates.',
  ),
  RATE_SOURCE_URL: setting(
    z.url().default('https://api.coinbase.com/v2/exchange-rates?currency=USD'),
    'Address of the HTTP source.',
  ),
  RATE_REFRESH_SECONDS: setting(count(30), 'How often the worker asks the source.'),
  RATE_MAX_AGE_SECONDS: setting(
    count(300),
    'A rate older than this is stale: shown as such and refused for bets.',
  ),
};
