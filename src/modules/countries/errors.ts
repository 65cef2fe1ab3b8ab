import { errors } from '../../platform/errors.ts';

export const countryErrors = errors({
  AUTH_GEO_BLOCKED: [403, 'The service is not offered in this country.'],
  COUNTRY_NOT_FOUND: [404, 'No such country; GET /country lists them.'],
});
