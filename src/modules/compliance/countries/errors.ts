import { errors } from '../../../platform/errors.ts';

export const countryErrors = errors({
  COUNTRY_NOT_FOUND: [404, 'No such country; GET /country lists them.'],
});
