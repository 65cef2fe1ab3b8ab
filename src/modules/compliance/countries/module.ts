import { defineModule } from '../../../http/module.ts';
import { blockCountry } from './block.ts';
import { checkLocation } from './check.ts';
import type { CountryDeps } from './deps.ts';
import { getCountryStats, listCountries, listCountriesForStaff } from './list.ts';

export const countries = defineModule({
  name: 'countries',
  operations: [listCountries, checkLocation, listCountriesForStaff, getCountryStats, blockCountry],
  start: ({ countries }: CountryDeps) => countries.start(),
  close: ({ countries }) => countries.close(),
});
