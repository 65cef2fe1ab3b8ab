import { errors } from '../../../platform/errors.ts';

export const authErrors = errors({
  AUTH_RECAPTCHA_TOKEN_MISSING: [400, 'Solve the captcha and send its token in the header x-captcha-token.'],
  AUTH_INVALID_CAPTCHA: [400, 'The captcha was not accepted; solve it again.'],
  AUTH_INVALID_CREDENTIALS: [401, 'Email or password is wrong.'],
  AUTH_MFA_REQUIRED: [401, 'Complete the second factor first.'],
  REFRESH_CONFLICT: [409, 'This refresh token was exchanged a moment ago; use the newer one.'],
  SESSION_NOT_FOUND: [404, 'You have no such session.'],
  PASSWORD_INVALID: [400, 'The current password is wrong.'],
  PASSWORD_TEMPORARY: [400, 'Somebody else has given you this password: choose one that is yours alone.'],
  SIGN_IN_AGAIN: [403, 'Sign in again first: this needs a session that was opened within the last minutes.'],
});
