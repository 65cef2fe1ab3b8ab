import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import { hasIntervalsByCountry } from '../../base/site-config/rules.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import {
  blockCountry,
  checkLocation,
  getCountryStats,
  listCountries,
  listCountriesForStaff,
} from './countries.ts';
import { type Countries, type CountryDeps, createCountries, createPlayerCountries } from './service.ts';

export const countries = defineModule({
  name: 'countries',
  tags: {
    Country: 'Countries with their dial codes.',
    'GEO Restrictions': "The country of the caller's address, and whether it is blocked.",
    'Admin Country': 'Blocked countries.',
  },
  create: (before: Parameters<typeof createCountries>[0]) => ({ countries: createCountries(before) }),
  operations: [listCountries, checkLocation, listCountriesForStaff, getCountryStats, blockCountry],
  start: ({ countries }: CountryDeps) => countries.start(),
  close: ({ countries }) => countries.close(),
});

type KnownBy = {
  db: Db;
  siteConfig: SiteConfig;
  countries: Countries;
  kyc: Pick<Parameters<typeof createPlayerCountries>[0], 'identityCountriesOf'>;
};

/** Provides the known countries of each player. These include the countries of identity documents, so the module comes after KYC. */
export const playerCountries = defineModule({
  name: 'player-countries',
  create: ({ db, siteConfig, countries, kyc }: KnownBy) => ({
    playerCountries: createPlayerCountries({
      db,
      countryOf: countries.countryOf,
      identityCountriesOf: kyc.identityCountriesOf,
      isPlayRuled: () => countries.isAnyBlocked() || hasIntervalsByCountry(siteConfig.get('COMMON')),
    }),
  }),
});
