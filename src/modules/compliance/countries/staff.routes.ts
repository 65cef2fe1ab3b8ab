import { route } from '../../../http/route.ts';
import { countryErrors } from './errors.ts';
import {
  Country,
  CountryChange,
  CountryPage,
  CountryPath,
  CountryStaffQuery,
  CountryStats,
} from './schemas.ts';
import type { Countries } from './service.ts';

const tag = 'Admin Country';
const read = { method: 'GET', tag, access: { permission: 'country.read' } } as const;

export const countryStaffRoutes = (countries: Countries) => [
  route({
    ...read,
    path: '/admin/country',
    summary: 'Countries; the search matches name, code and dial code',
    query: CountryStaffQuery,
    response: CountryPage,
    handler: ({ query }) => countries.list(query),
  }),
  route({
    ...read,
    path: '/admin/country/stats',
    summary: 'How many countries are blocked and allowed',
    response: CountryStats,
    handler: () => countries.stats(),
  }),
  route({
    method: 'PATCH',
    path: '/admin/country/{code}',
    tag,
    access: { permission: 'country.write' },
    gate: 'none',
    summary: 'Block or unblock a country, in force everywhere within a second',
    params: CountryPath,
    body: CountryChange,
    response: Country,
    errors: [countryErrors.COUNTRY_NOT_FOUND],
    handler: ({ by, params, body }) => countries.setBlocked(by, params.code, body.isBlocked),
  }),
];
