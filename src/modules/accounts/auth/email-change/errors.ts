import { errors } from '../../../../platform/errors.ts';

export const emailChangeErrors = errors({
  EMAIL_UNCHANGED: [400, 'This is the address of your account already.'],
  CONFIRM_SIGNED_IN: [
    403,
    'Sign in to the account in this browser first, then follow the link again: it has second factors, identities or keys that only its owner can vouch for.',
  ],
  EMAIL_CHANGE_NOT_FOUND: [404, 'No change of your email address is under way.'],
});
