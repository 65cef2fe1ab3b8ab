import { count, list, setting } from './setting.ts';

export const web = {
  SITE_ORIGINS: setting(
    list,
    "Comma-separated origins of the front ends (`https://example.com`). Only they may send cookies. Empty in `local` and `test`: the services' own origins.",
  ),
  BODY_LIMIT_BYTES: setting(count(64 * 1024), 'Largest JSON body.'),
  HEADERS_TIMEOUT_MS: setting(count(5000), 'A client has this long to send its headers.'),
  REQUEST_TIMEOUT_MS: setting(
    count(9000),
    'A client has this long to send the whole request. Must be above HEADERS_TIMEOUT_MS.',
  ),
  RATE_LIMIT_AUTH: setting(
    count(30, 0),
    'Requests a minute and address to sign-up, sign-in and refresh. 0: no limit.',
  ),
  RATE_LIMIT_MONEY: setting(count(1200, 0), 'Money-moving requests a minute and player. 0: no limit.'),
  RATE_LIMIT_READ: setting(count(1200, 0), 'Other requests a minute and player. 0: no limit.'),
  RATE_LIMIT_PUBLIC: setting(
    count(600, 0),
    'Anonymous requests and refused ones (401, 403) a minute and address. 0: no limit.',
  ),
  RATE_LIMIT_UPLOAD: setting(count(60, 0), 'Uploads a minute and player. 0: no limit.'),
  RATE_LIMIT_APIKEY: setting(count(300, 0), 'Requests a minute and API key. 0: no limit.'),
  USER_MONEY_AT_ONCE: setting(
    count(4, 0),
    'Calls of one user that move money and are under way at once in a process; the others wait in order. Bets have a queue of their own. With USER_CALLS_AT_ONCE keep it below DATABASE_POOL_SIZE. 0: no limit.',
  ),
  USER_MONEY_WAITING: setting(
    count(32, 0),
    'Calls of one user that may wait for USER_MONEY_AT_ONCE; beyond it 429 with Retry-After.',
  ),
  USER_CALLS_AT_ONCE: setting(
    count(4, 0),
    'All other calls of one user that are under way at once in a process: reads, uploads, searches of staff. 0: no limit.',
  ),
  USER_CALLS_WAITING: setting(
    count(64, 0),
    'Calls of one user that may wait for USER_CALLS_AT_ONCE; beyond it 429 with Retry-After.',
  ),
};
