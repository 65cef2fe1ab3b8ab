import { errors } from '../../../platform/errors.ts';
import { gateErrors } from '../gate/errors.ts';

export const countryErrors = {
  AUTH_GEO_BLOCKED: gateErrors.AUTH_GEO_BLOCKED,
  ...errors({
    COUNTRY_NOT_FOUND: [404, 'No such country; GET /country lists them.'],
  }),
};
