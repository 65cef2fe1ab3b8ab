import { count, list, optionalChoice, optionalText } from './setting.ts';

export const web = {
  SITE_ORIGINS: list.describe(
    'Comma-separated origins of your front ends (`https://example.com`), in addition to the origins of SITE_URL and PUBLIC_API_URL, which serve the lobby and the console. Only pages from these origins may send cookies. `local` accepts every origin on this machine, `test` the origins of its own services.',
  ),
  BRAND_DIR: optionalText().describe(
    "Folder with the lobby's brand: `brand.css` with the twelve brand properties, `mark.svg`, `wordmark.svg`, `wordmark-light.svg` for the light theme, icons, the picture of link previews, and fonts. Every file is optional. `node web/contrast.ts FILE` checks the colours. The name is BRAND_NAME.",
  ),
  API_REFERENCE: optionalChoice(['on', 'off']).describe(
    'Whether `/docs/api/` shows the API reference, and `/docs/` of the main API the documentation. The script of the reference compiles code in the browser (`unsafe-eval`) on the origin of the API, which holds the sessions. Default: `on` in `local` and `test`, otherwise `off`. `/openapi.json` is always available.',
  ),
  BODY_LIMIT_BYTES: count(64 * 1024).describe('Maximum size of a JSON body.'),
  HEADERS_TIMEOUT_MS: count(5000).describe('Time for a client to send its headers.'),
  REQUEST_TIMEOUT_MS: count(9000).describe(
    'Time for a client to send the whole request. Must be above HEADERS_TIMEOUT_MS.',
  ),
  RATE_LIMIT_AUTH: count(30, 0).describe(
    'Requests per minute and IP address to sign-up, sign-in and refresh. 0: no limit.',
  ),
  RATE_LIMIT_MONEY: count(1200, 0).describe('Money-moving requests per minute and player. 0: no limit.'),
  RATE_LIMIT_READ: count(1200, 0).describe('Other requests per minute and player. 0: no limit.'),
  RATE_LIMIT_PUBLIC: count(600, 0).describe(
    'Anonymous and rejected API requests (401, 403) per minute and IP address. 0: no limit.',
  ),
  RATE_LIMIT_FILE: count(6000, 0).describe(
    'Requests for pages, pictures and other files per minute and IP address. The first visit of the lobby needs about 60. 0: no limit.',
  ),
  RATE_LIMIT_UPLOAD: count(60, 0).describe('Uploads per minute and player. 0: no limit.'),
  RATE_LIMIT_APIKEY: count(300, 0).describe('Requests per minute and API key. 0: no limit.'),
  USER_MONEY_AT_ONCE: count(4, 0).describe(
    "Number of one user's money-moving requests that a process handles concurrently. Further ones wait in order. Bets have their own queue. The sum with USER_CALLS_AT_ONCE should be below DATABASE_POOL_SIZE. 0: no limit.",
  ),
  USER_MONEY_WAITING: count(32, 0).describe(
    "Maximum number of one user's requests that wait for USER_MONEY_AT_ONCE. Further ones get 429 with Retry-After.",
  ),
  USER_CALLS_AT_ONCE: count(4, 0).describe(
    "Number of one user's other requests that a process handles concurrently: reads, uploads, staff searches. 0: no limit.",
  ),
  USER_CALLS_WAITING: count(64, 0).describe(
    "Maximum number of one user's requests that wait for USER_CALLS_AT_ONCE. Further ones get 429 with Retry-After.",
  ),
};
