import { count, hidden, optionalChoice, optionalText, optionalUrl, secret, textOr } from './setting.ts';

export const accounts = {
  JWT_SECRET: hidden(secret).describe(
    'Signs access and socket tokens. If absent in `local` and `test`, a random one is created once and stored in DATA_DIR.',
  ),
  JWT_SECRET_PREVIOUS: hidden(secret).describe(
    'The previous JWT_SECRET, set during rotation. Tokens signed with it stay valid until they expire. Remove it ACCESS_TOKEN_SECONDS after the last process has the new secret.',
  ),
  SEED_SECRET: hidden(secret).describe(
    'Encrypts server seeds that are not revealed yet. If absent in `local` and `test`, a random one is created once and stored in DATA_DIR.',
  ),
  SEED_SECRET_PREVIOUS: hidden(secret).describe(
    'The previous SEED_SECRET, set during rotation. It only decrypts existing data; new data is encrypted with the current secret. Remove it once `npx croupier reseal` has finished.',
  ),
  ACCESS_TOKEN_SECONDS: count(900).describe('Lifetime of access and socket tokens.'),
  REFRESH_TOKEN_DAYS: count(30).describe(
    'Lifetime of a session after its last refresh. SESSION_DAYS and STAFF_SESSION_HOURS limit it.',
  ),
  SESSION_DAYS: count(90).describe('Maximum lifetime of a session after sign-in, regardless of refreshes.'),
  STAFF_SESSION_HOURS: count(12).describe(
    'Maximum lifetime of a session of an account with any right (staff, a role or a permission).',
  ),
  STAFF_IDLE_MINUTES: count(30, 0).describe(
    'A session of an account with any right ends after this time without a request. Refreshing tokens does not count as a request. 0: never.',
  ),
  PLAYER_IDLE_MINUTES: count(0, 0).describe(
    'A session of any other account ends after this time without a request. 0: never.',
  ),
  NOTIFICATIONS_KEEP_DAYS: count(90).describe(
    'Retention of notifications. Only the newest 100 of each player are stored.',
  ),
  REFRESH_GRACE_MS: count(60_000).describe(
    'How long a device that lost the response to a refresh can repeat the request and receive the same refresh token. A later replay ends the session.',
  ),
  PASSWORD_HASHES_AT_ONCE: count(2).describe('Number of passwords that one process hashes concurrently.'),
  PASSWORD_HASH_QUEUE: count(64).describe(
    'Maximum number of passwords that wait to be hashed. Further requests get 503.',
  ),
  CAPTCHA_LOCAL_TOKEN: textOr('local-captcha').describe(
    'Accepted as x-captcha-token if APP_ENV is `local`. Rejected in every other environment.',
  ),
  CAPTCHA_VERIFY_URL: optionalUrl.describe(
    'siteverify endpoint. reCAPTCHA v2, hCaptcha and Turnstile share the protocol. The score of reCAPTCHA v3 is ignored. Default in `local` and `test`: the sandbox.',
  ),
  CAPTCHA_SCRIPT_URL: optionalUrl.describe(
    "The verifier's widget (`https://js.hcaptcha.com/1/api.js?render=explicit`) for the lobby and the console. Without it, sign-up and sign-in fail there outside `local`.",
  ),
  CAPTCHA_SITE_KEY: optionalText().describe(
    'Public site key of that widget. `captchaSiteKey` of the site configuration COMMON takes precedence, but staff can set it only after signing in.',
  ),
  CAPTCHA_SECRET: hidden(textOr('sandbox-captcha-secret')).describe('Secret sent to the captcha verifier.'),
  DATA_SECRET: hidden(secret).describe(
    'Encrypts second factors and mails at rest, and peppers passwords. Without it no one can sign in. If absent in `local` and `test`, a random one is created once and stored in DATA_DIR.',
  ),
  DATA_SECRET_PREVIOUS: hidden(secret).describe(
    'The previous DATA_SECRET, set during rotation. It only decrypts existing data and verifies existing passwords, recovery codes, passkeys and known devices; everything new uses the current secret. `npx croupier reseal` reports when it can be removed.',
  ),
  MFA_TOKEN_SECONDS: count(300).describe(
    'Lifetime of the temporary token between password and second factor.',
  ),
  MFA_PROOF_SECONDS: count(300).describe('Time for which a proof of the second factor counts as recent.'),
  MFA_PENDING_SECONDS: count(600).describe(
    'Time to confirm a new second factor in the session that created it.',
  ),
  STEP_UP_SECONDS: count(900).describe(
    'Maximum age of the second-factor proof in a staff session for sensitive actions (rights, balances, API keys, payouts). If the proof is older, the header `x-mfa-code` must contain a code. Applies if STAFF_MFA_REQUIRED is true.',
  ),
  PASSKEY_RP_ID: optionalText().describe(
    'Domain of passkeys (relying party): the domain of SITE_URL or a parent of it (`example.com` serves `play.example.com` and `admin.example.com`). Pages of SITE_ORIGINS on this domain can use passkeys, others cannot. If the domain changes later, all existing passkeys become useless. Default: the host of SITE_URL. If that host is an IP address in `local` and `test`, the default is `localhost`.',
  ),
  PASSKEY_CHALLENGE_SECONDS: count(300).describe('Time to use a passkey after the browser has asked for it.'),
  VERIFY_EMAIL_HOURS: count(24).describe('Lifetime of the link that verifies an email address.'),
  EMAIL_CHANGE_HOURS: count(24).describe(
    'Time to confirm both addresses of an email change. After that the change is dropped.',
  ),
  RESET_PASSWORD_MINUTES: count(60).describe('Lifetime of the link that resets a password.'),
  SIGN_IN_TRIES: count(3).describe(
    'Failed sign-ins of one account from one network or device within SIGN_IN_WINDOW_MINUTES. Further attempts get 429.',
  ),
  SIGN_IN_TRIES_ACCOUNT: count(10).describe(
    'Failed sign-ins of one account from all addresses within SIGN_IN_WINDOW_MINUTES. After that only devices that have signed in before can sign in.',
  ),
  SIGN_IN_WINDOW_MINUTES: count(30).describe('Time for which failed sign-ins count.'),
  BREACHED_PASSWORDS_URL: optionalUrl.describe(
    'Service that lists passwords from data breaches by the first five characters of their SHA-1 (`GET …/range/{prefix}`, as in https://api.pwnedpasswords.com). No other part of a new password is sent. If the service does not respond within a second, the password is accepted. Default in `local`: the sandbox. Absent elsewhere: passwords are not checked.',
  ),
  STAFF_MFA_REQUIRED: optionalChoice(['true', 'false']).describe(
    'Whether a staff session must have proven a second factor before it can use any staff route. Default: `true` outside `local` and `test`.',
  ),
  DEBUG_TOKEN: hidden(optionalText(8)).describe(
    'Required by `GET /debug/me/give-admin` (query `debug_token`), and in the header `x-debug-token` by the debug routes that create staff or sign in as staff. Default in `local`: `local-debug-token`.',
  ),
};
