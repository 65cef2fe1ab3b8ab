import { errors } from '../../../platform/errors.ts';

export const siteConfigErrors = errors({
  REGISTRATION_CLOSED: [403, 'New accounts are not opened at the moment.'],
});
