import { errors } from '../../../platform/errors.ts';

export const authErrors = errors({
  AUTH_RECAPTCHA_TOKEN_MISSING: [400, 'Solve the captcha and send its token in the header x-captcha-token.'],
  AUTH_INVALID_CAPTCHA: [400, 'The captcha was not accepted; solve it again.'],
  AUTH_INVALID_CREDENTIALS: [401, 'Email or password is wrong.'],
  AUTH_MFA_REQUIRED: [401, 'Complete the second factor first.'],
  REFRESH_CONFLICT: [409, 'This refresh token was exchanged a moment ago; use the newer one.'],
  SESSION_NOT_FOUND: [404, 'You have no such session.'],
  PASSWORD_INVALID: [400, 'The current password is wrong.'],
  PASSWORD_TEMPORARY: [400, 'This password was assigned by someone else; choose one that only you know.'],
  SIGN_IN_AGAIN: [403, 'Sign in again: this requires a session that was started in the last few minutes.'],
});

export const mfaErrors = errors({
  MFA_ALREADY_ENABLED: [409, 'An authenticator app is already enabled. Disable or reset it first.'],
  MFA_NOT_ENABLED: [
    409,
    'No authenticator app is enabled. To remove a passkey, use DELETE /user/passkeys/{id}.',
  ],
  MFA_NOT_PENDING: [
    409,
    'This session has no authenticator key to confirm; call GET /user/generate-2fa first.',
  ],
});

export const passkeyErrors = errors({
  PASSKEY_CHALLENGE_INVALID: [
    400,
    'This challenge has expired, was already used, or belongs to another session. Request new options.',
  ],
  PASSKEY_INVALID: [
    400,
    'The passkey could not be verified; use one made for this site, with a PIN, fingerprint or face check.',
  ],
  PASSKEY_REFUSED: [401, 'This passkey does not work here; sign in another way.'],
  PASSKEY_NOT_FOUND: [404, 'You have no such passkey.'],
  PASSKEY_EXISTS: [409, 'This passkey is already registered.'],
  PASSKEY_LIMIT: [409, 'You have the maximum number of passkeys; remove one first.'],
  NO_PASSKEY: [409, 'You have no passkey; add one with POST /user/passkeys.'],
  LAST_FACTOR: [
    409,
    'Staff need a second factor, and this is your last one; add another passkey or the app first.',
  ],
});

export const emailChangeErrors = errors({
  EMAIL_UNCHANGED: [400, 'Your account already has this email address.'],
  CONFIRM_SIGNED_IN: [403, 'Sign in to the account in this browser first, then follow the link again.'],
  EMAIL_CHANGE_NOT_FOUND: [404, 'You have no pending email change.'],
});

export const identityErrors = errors({
  IDP_STATE_INVALID: [400, 'This sign-in has expired or began in another browser; start again.'],
  IDP_REFUSED: [401, 'The provider did not confirm your identity; start again.'],
  IDP_CANCELLED: [401, 'The sign-in was cancelled at the provider.'],
  IDP_DISABLED: [404, 'This sign-in method is not available here.'],
  IDP_UNAVAILABLE: [503, 'The provider is not responding; try again later or sign in another way.'],
  SETUP_TOKEN_INVALID: [401, 'This sign-up has expired; sign in at the provider again.'],
  IDENTITY_TAKEN: [409, 'An account for this identity already exists; sign in at the provider again.'],
});
