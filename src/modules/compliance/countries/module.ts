import { defineModule } from '../../../http/module.ts';
import {
  blockCountry,
  checkLocation,
  getCountryStats,
  listCountries,
  listCountriesForStaff,
} from './countries.ts';
import type { CountryDeps } from './service.ts';

export const countries = defineModule({
  name: 'countries',
  operations: [listCountries, checkLocation, listCountriesForStaff, getCountryStats, blockCountry],
  start: ({ countries }: CountryDeps) => countries.start(),
  close: ({ countries }) => countries.close(),
});
