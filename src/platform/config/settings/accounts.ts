import { count, hidden, optionalChoice, optionalText, optionalUrl, secret, textOr } from './setting.ts';

export const accounts = {
  JWT_SECRET: hidden(secret).describe(
    'Signs access and socket tokens. Absent in `local` and `test`: made once and kept in DATA_DIR.',
  ),
  JWT_SECRET_PREVIOUS: hidden(secret).describe(
    'The former JWT_SECRET while it is replaced: what it has signed is good until it is over. Take it away ACCESS_TOKEN_SECONDS after the last process has the new one.',
  ),
  SEED_SECRET: hidden(secret).describe(
    'Encrypts server seeds that are not revealed yet. Absent in `local` and `test`: made once and kept in DATA_DIR.',
  ),
  SEED_SECRET_PREVIOUS: hidden(secret).describe(
    'The previous SEED_SECRET, set during rotation. It only decrypts existing data; new data is encrypted with the current secret. Remove it once `npm run reseal` has finished.',
  ),
  ACCESS_TOKEN_SECONDS: count(900).describe('Lifetime of access and socket tokens.'),
  REFRESH_TOKEN_DAYS: count(30).describe(
    'Life of a session after its last refresh, within SESSION_DAYS and STAFF_SESSION_HOURS.',
  ),
  SESSION_DAYS: count(90).describe('When a session ends after its sign-in, however often it is refreshed.'),
  STAFF_SESSION_HOURS: count(12).describe(
    'The same for whoever holds any right: staff, a role, a permission.',
  ),
  STAFF_IDLE_MINUTES: count(30, 0).describe(
    'Time without a request after which a session of whoever holds any right ends; 0: never. Refreshing tokens is no request.',
  ),
  PLAYER_IDLE_MINUTES: count(0, 0).describe('The same for everybody else; 0: never.'),
  NOTIFICATIONS_KEEP_DAYS: count(90).describe(
    'How long what players were told is kept: the newest 100 of each.',
  ),
  REFRESH_GRACE_MS: count(60_000).describe(
    'How long a device that lost the response to a refresh can repeat the request and receive the same refresh token. A later replay ends the session.',
  ),
  PASSWORD_HASHES_AT_ONCE: count(2).describe('Passwords hashed at the same time in one process.'),
  PASSWORD_HASH_QUEUE: count(64).describe('Passwords waiting to be hashed; beyond it 503.'),
  CAPTCHA_LOCAL_TOKEN: textOr('local-captcha').describe(
    'Accepted as x-captcha-token when APP_ENV is `local`, nowhere else.',
  ),
  CAPTCHA_VERIFY_URL: optionalUrl.describe(
    'siteverify endpoint (reCAPTCHA v2, hCaptcha and Turnstile share the protocol; the score of v3 is not looked at). Default in `local` and `test`: the sandbox.',
  ),
  CAPTCHA_SCRIPT_URL: optionalUrl.describe(
    "The verifier's widget (`https://js.hcaptcha.com/1/api.js?render=explicit`) for the lobby and the console. Without it, sign-up and sign-in fail there outside `local`.",
  ),
  CAPTCHA_SITE_KEY: optionalText().describe(
    'Public site key of that widget. `captchaSiteKey` of the site configuration COMMON takes precedence, but staff can set it only after signing in.',
  ),
  CAPTCHA_SECRET: hidden(textOr('sandbox-captcha-secret')).describe('Secret sent to the captcha verifier.'),
  DATA_SECRET: hidden(secret).describe(
    'Encrypts second factors and mails at rest and peppers passwords: without it nobody can sign in. Absent in `local` and `test`: made once and kept in DATA_DIR.',
  ),
  DATA_SECRET_PREVIOUS: hidden(secret).describe(
    'The previous DATA_SECRET, set during rotation. It only decrypts existing data and verifies existing passwords, recovery codes, passkeys and known devices; everything new uses the current secret. `npm run reseal` reports when it can be removed.',
  ),
  MFA_TOKEN_SECONDS: count(300).describe(
    'Lifetime of the temporary token between password and second factor.',
  ),
  MFA_PROOF_SECONDS: count(300).describe(
    'How long a session counts as having just proven its second factor.',
  ),
  MFA_PENDING_SECONDS: count(600).describe(
    'How long the key of a new second factor waits for its session to confirm it.',
  ),
  STEP_UP_SECONDS: count(900).describe(
    'How long ago a session of staff may have proven its second factor for what is dangerous (rights, balances, API keys, payouts); else the header `x-mfa-code` proves it. Where STAFF_MFA_REQUIRED.',
  ),
  PASSKEY_RP_ID: optionalText().describe(
    'Domain that passkeys are for (relying party): that of SITE_URL or a parent of it (`example.com` serves `play.example.com` and `admin.example.com`). Pages of SITE_ORIGINS on it can use passkeys, others cannot. Another domain later makes every passkey useless. Default: the host of SITE_URL; where that is an address, in `local` and `test`, `localhost`.',
  ),
  PASSKEY_CHALLENGE_SECONDS: count(300).describe(
    'How long somebody has to use a passkey once their browser was asked for it.',
  ),
  VERIFY_EMAIL_HOURS: count(24).describe('Life of the link that verifies an email address.'),
  EMAIL_CHANGE_HOURS: count(24).describe(
    'How long both addresses have to be proven before a change of the email address is given up.',
  ),
  RESET_PASSWORD_MINUTES: count(60).describe('Life of the link that resets a password.'),
  SIGN_IN_TRIES: count(3).describe(
    'Failed sign-ins of one account from one network or device within SIGN_IN_WINDOW_MINUTES; then 429.',
  ),
  SIGN_IN_TRIES_ACCOUNT: count(10).describe(
    'Failed sign-ins of one account from everywhere within SIGN_IN_WINDOW_MINUTES; devices that have signed in before go on.',
  ),
  SIGN_IN_WINDOW_MINUTES: count(30).describe('How long failed sign-ins count.'),
  BREACHED_PASSWORDS_URL: optionalUrl.describe(
    'Service that knows passwords from breaches by the first five characters of their SHA-1 (`GET …/range/{prefix}`, as https://api.pwnedpasswords.com has it): nothing else of a new password leaves. Does not answer within a second: the password is taken. Default in `local`: the sandbox. Absent elsewhere: not asked.',
  ),
  STAFF_MFA_REQUIRED: optionalChoice(['true', 'false']).describe(
    'Whether staff must have proven a second factor before any route of staff answers. Default: `true` outside `local` and `test`.',
  ),
  DEBUG_TOKEN: hidden(optionalText(8)).describe(
    'Asked for by `GET /debug/me/give-admin` (query `debug_token`), and in the header `x-debug-token` by the debug routes that make staff or sign in as staff. Absent in `local`: `local-debug-token`.',
  ),
};
