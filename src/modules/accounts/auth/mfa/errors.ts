import { errors } from '../../../../platform/errors.ts';

export const mfaErrors = errors({
  MFA_ALREADY_ENABLED: [409, 'The authenticator app is on already; turn it off or reset it first.'],
  MFA_NOT_ENABLED: [
    409,
    'There is no authenticator app to turn off or reset; passkeys are removed one by one (DELETE /user/passkeys/{id}).',
  ],
  MFA_NOT_PENDING: [
    409,
    'This session has no new second factor to confirm; ask GET /user/generate-2fa first.',
  ],
});
