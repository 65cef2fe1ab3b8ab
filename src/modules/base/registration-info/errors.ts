import { errors } from '../../../platform/errors.ts';

export const registrationErrors = errors({
  REGISTRATION_INFO_NOT_FOUND: [404, 'Nothing is known of how this user registered.'],
});
