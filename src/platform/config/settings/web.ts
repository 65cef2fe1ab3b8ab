import { count, list, optionalChoice } from './setting.ts';

export const web = {
  SITE_ORIGINS: list.describe(
    'Comma-separated origins of your front ends (`https://example.com`), in addition to the origins of SITE_URL and PUBLIC_API_URL, which serve the lobby and the console. Only pages from these origins may send cookies. `local` accepts every origin on this machine, `test` the origins of its own services.',
  ),
  API_REFERENCE: optionalChoice(['on', 'off']).describe(
    'Whether `/docs` shows the API reference. Its script compiles code in the browser (`unsafe-eval`) on the origin of the API, which holds the sessions. Default: `on` in `local` and `test`, otherwise `off`. `/openapi.json` is always available.',
  ),
  BODY_LIMIT_BYTES: count(64 * 1024).describe('Largest JSON body.'),
  HEADERS_TIMEOUT_MS: count(5000).describe('A client has this long to send its headers.'),
  REQUEST_TIMEOUT_MS: count(9000).describe(
    'A client has this long to send the whole request. Must be above HEADERS_TIMEOUT_MS.',
  ),
  RATE_LIMIT_AUTH: count(30, 0).describe(
    'Requests a minute and address to sign-up, sign-in and refresh. 0: no limit.',
  ),
  RATE_LIMIT_MONEY: count(1200, 0).describe('Money-moving requests a minute and player. 0: no limit.'),
  RATE_LIMIT_READ: count(1200, 0).describe('Other requests a minute and player. 0: no limit.'),
  RATE_LIMIT_PUBLIC: count(600, 0).describe(
    'Anonymous requests and refused ones (401, 403) a minute and address. 0: no limit.',
  ),
  RATE_LIMIT_UPLOAD: count(60, 0).describe('Uploads a minute and player. 0: no limit.'),
  RATE_LIMIT_APIKEY: count(300, 0).describe('Requests a minute and API key. 0: no limit.'),
  USER_MONEY_AT_ONCE: count(4, 0).describe(
    'Calls of one user that move money and are under way at once in a process; the others wait in order. Bets have a queue of their own. With USER_CALLS_AT_ONCE keep it below DATABASE_POOL_SIZE. 0: no limit.',
  ),
  USER_MONEY_WAITING: count(32, 0).describe(
    'Calls of one user that may wait for USER_MONEY_AT_ONCE; beyond it 429 with Retry-After.',
  ),
  USER_CALLS_AT_ONCE: count(4, 0).describe(
    'All other calls of one user that are under way at once in a process: reads, uploads, searches of staff. 0: no limit.',
  ),
  USER_CALLS_WAITING: count(64, 0).describe(
    'Calls of one user that may wait for USER_CALLS_AT_ONCE; beyond it 429 with Retry-After.',
  ),
};
