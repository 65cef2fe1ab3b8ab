import { errors } from '../../../../platform/errors.ts';

export const passkeyErrors = errors({
  PASSKEY_CHALLENGE_INVALID: [
    400,
    'This challenge was used before, has expired or was given to somebody else; ask for new options.',
  ],
  PASSKEY_INVALID: [
    400,
    'The passkey could not be verified: it needs to be made for this site, and to verify its user (PIN, fingerprint, face).',
  ],
  PASSKEY_REFUSED: [401, 'This passkey does not sign in here; sign in another way.'],
  PASSKEY_NOT_FOUND: [404, 'You have no such passkey.'],
  PASSKEY_EXISTS: [409, 'This passkey is registered already.'],
  PASSKEY_LIMIT: [409, 'You have as many passkeys as an account may have; remove one first.'],
  NO_PASSKEY: [409, 'There is no passkey to prove; POST /user/passkeys adds one.'],
  LAST_FACTOR: [
    409,
    'Staff needs a second factor here, and this is your last one: add another passkey or the authenticator app first.',
  ],
});
