import { z } from 'zod';
import { count, secret, setting } from './setting.ts';

export const accounts = {
  JWT_SECRET: setting(
    secret,
    'Signs access and socket tokens. Absent in `local` and `test`: made once and kept in DATA_DIR.',
    true,
  ),
  JWT_SECRET_PREVIOUS: setting(
    secret,
    'The former JWT_SECRET while it is replaced: what it has signed is good until it is over. Take it away ACCESS_TOKEN_SECONDS after the last process has the new one.',
    true,
  ),
  SEED_SECRET: setting(
    secret,
    'Encrypts server seeds that are not revealed yet. Absent in `local` and `test`: made once and kept in DATA_DIR.',
    true,
  ),
  ACCESS_TOKEN_SECONDS: setting(count(900), 'Life of access and socket tokens.'),
  REFRESH_TOKEN_DAYS: setting(
    count(30),
    'Life of a session after its last refresh, within SESSION_DAYS and STAFF_SESSION_HOURS.',
  ),
  SESSION_DAYS: setting(count(90), 'When a session ends after its sign-in, however often it is refreshed.'),
  STAFF_SESSION_HOURS: setting(
    count(12),
    'The same for whoever holds any right: staff, a role, a permission.',
  ),
  STAFF_IDLE_MINUTES: setting(
    count(30, 0),
    'Time without a request after which a session of whoever holds any right ends; 0: never. Refreshing tokens is no request.',
  ),
  PLAYER_IDLE_MINUTES: setting(count(0, 0), 'The same for everybody else; 0: never.'),
  NOTIFICATIONS_KEEP_DAYS: setting(
    count(90),
    'How long what players were told is kept: the newest 100 of each.',
  ),
  REFRESH_GRACE_MS: setting(
    count(10_000),
    'A refresh token replayed within this time answers 409; later it ends the session.',
  ),
  PASSWORD_HASHES_AT_ONCE: setting(count(2), 'Passwords hashed at the same time in one process.'),
  PASSWORD_HASH_QUEUE: setting(count(64), 'Passwords waiting to be hashed; beyond it 503.'),
  CAPTCHA_LOCAL_TOKEN: setting(
    z.string().min(1).default('local-captcha'),
    'Accepted as x-captcha-token when APP_ENV is `local`, nowhere else.',
  ),
  CAPTCHA_VERIFY_URL: setting(
    z.url().optional(),
    'siteverify endpoint (reCAPTCHA v2, hCaptcha and Turnstile share the protocol; the score of v3 is not looked at). Default in `local` and `test`: the sandbox.',
  ),
  CAPTCHA_SECRET: setting(
    z.string().min(1).default('sandbox-captcha-secret'),
    'Secret sent to the captcha verifier.',
    true,
  ),
  DATA_SECRET: setting(
    secret,
    'Encrypts second factors and mails at rest and peppers passwords: without it nobody can sign in. Absent in `local` and `test`: made once and kept in DATA_DIR.',
    true,
  ),
  MFA_TOKEN_SECONDS: setting(count(300), 'Life of the temporary token between password and second factor.'),
  MFA_PROOF_SECONDS: setting(
    count(300),
    'How long a session counts as having just proven its second factor.',
  ),
  MFA_PENDING_SECONDS: setting(
    count(600),
    'How long the key of a new second factor waits for its session to confirm it.',
  ),
  STEP_UP_SECONDS: setting(
    count(900),
    'How long ago a session of staff may have proven its second factor for what is dangerous (rights, balances, API keys, payouts); else the header `x-mfa-code` proves it. Where STAFF_MFA_REQUIRED.',
  ),
  VERIFY_EMAIL_HOURS: setting(count(24), 'Life of the link that verifies an email address.'),
  RESET_PASSWORD_MINUTES: setting(count(60), 'Life of the link that resets a password.'),
  SIGN_IN_TRIES: setting(
    count(3),
    'Failed sign-ins of one account from one network or device within SIGN_IN_WINDOW_MINUTES; then 429.',
  ),
  SIGN_IN_TRIES_ACCOUNT: setting(
    count(10),
    'Failed sign-ins of one account from everywhere within SIGN_IN_WINDOW_MINUTES; devices that have signed in before go on.',
  ),
  SIGN_IN_WINDOW_MINUTES: setting(count(30), 'How long failed sign-ins count.'),
  STAFF_MFA_REQUIRED: setting(
    z.enum(['true', 'false']).optional(),
    'Whether staff must have proven a second factor before any route of staff answers. Default: `true` outside `local` and `test`.',
  ),
  DEBUG_TOKEN: setting(
    z.string().min(8).optional(),
    'Asked for by `GET /debug/me/give-admin` (query `debug_token`), and in the header `x-debug-token` by the debug routes that make staff or sign in as staff. Absent in `local`: `local-debug-token`.',
    true,
  ),
};
