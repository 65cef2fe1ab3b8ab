import { errors } from '../../../platform/errors.ts';

export const countryErrors = errors({
  COUNTRY_NOT_FOUND: [404, 'Country not found. GET /country lists all countries.'],
});
