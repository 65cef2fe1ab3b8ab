import { errors } from '../../../../platform/errors.ts';

export const identityErrors = errors({
  IDP_STATE_INVALID: [400, 'This sign-in is over, or it began in another browser; begin again.'],
  IDP_REFUSED: [401, 'The provider did not prove who you are; begin again.'],
  IDP_CANCELLED: [401, 'The sign-in was cancelled at the provider.'],
  IDP_DISABLED: [404, 'This way to sign in is not offered here.'],
  IDP_UNAVAILABLE: [503, 'The provider does not answer; try again later, or sign in another way.'],
  SETUP_TOKEN_INVALID: [401, 'This sign-up is over; sign in at the provider again.'],
  IDENTITY_TAKEN: [409, 'There is an account for this identity already; sign in at the provider again.'],
});
