import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object } from '../../../http/schemas.ts';
import { countryOfIp, knownCountryOfIp } from '../../../platform/countries/geo.ts';
import type { CountryDeps } from './deps.ts';

export const checkLocation = operation({
  method: 'GET',
  path: '/geo',
  tag: 'GEO Restrictions',
  access: 'anonymous',
  summary: "Get the caller's country and whether it is blocked",
  response: object('GeoCheckDto', {
    countryCode: z.string().nullable(),
    isBlocked: z.boolean(),
    reason: z.string().nullable(),
    ip: z.string().nullable(),
  }),
  handler: ({ countries }: CountryDeps, { ip }) => {
    const isBlocked = countries.isBlocked(countryOfIp(ip));
    const reason = isBlocked ? 'COUNTRY_BLOCKED' : null;
    return { countryCode: knownCountryOfIp(ip), isBlocked, reason, ip };
  },
});
