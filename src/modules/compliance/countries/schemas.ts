import { z } from 'zod';
import { object, PageNumber, page, SortOrder, take } from '../../../http/schemas.ts';

const CountryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'needs to be a code of two capital letters such as DE')
  .meta({ example: 'DE' });

export const Country = object('Country', {
  name: z.string(),
  code: z.string(),
  dialCode: z.string(),
  isBlocked: z.boolean(),
});

export const CountryPage = page(Country);

export const CountryStats = object('CountryStats', {
  total: z.number(),
  blocked: z.number(),
  allowed: z.number(),
});

export const GeoCheck = object('GeoCheckDto', {
  countryCode: z.string().nullable(),
  isBlocked: z.boolean(),
  reason: z.string().nullable(),
  ip: z.string().nullable(),
});

export const CountryQuery = z.strictObject({ page: PageNumber, take: take(300) });

export const CountryStaffQuery = z.strictObject({
  sortBy: z.enum(['name', 'code', 'dialCode', 'isBlocked']).default('name'),
  sortOrder: SortOrder,
  status: z.enum(['ALL', 'BLOCKED', 'ALLOWED']).default('ALL'),
  search: z.string().min(1).max(50).optional(),
  page: PageNumber,
  take: take(20),
});

export const CountryPath = z.object({ code: CountryCode });
export const CountryChange = z.strictObject({ isBlocked: z.boolean() });
