import { route } from '../../../http/route.ts';
import { CountryPage, CountryQuery, GeoCheck } from './schemas.ts';
import type { Countries } from './service.ts';

export const countryRoutes = (countries: Countries) => [
  route({
    method: 'GET',
    path: '/country',
    tag: 'Country',
    access: 'anonymous',
    summary: 'Countries with dial codes, by name; `take` may be 300, which is all of them',
    query: CountryQuery,
    response: CountryPage,
    handler: ({ query }) => countries.list(query),
  }),
  route({
    method: 'GET',
    path: '/geo',
    tag: 'GEO Restrictions',
    access: 'anonymous',
    summary: 'Where the caller seems to be, and whether that country is served',
    response: GeoCheck,
    handler: ({ ip }) => countries.check(ip),
  }),
];
