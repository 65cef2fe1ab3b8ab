import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, type Page, PageNumber, page, pageOf, SortOrder, take } from '../../../http/schemas.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { CountryDeps } from './deps.ts';
import { COUNTRY_COLUMNS } from './queries.ts';
import { Country } from './schemas.ts';

const Query = z.strictObject({ page: PageNumber, take: take(300) });

const StaffQuery = z.strictObject({
  sortBy: z.enum(['name', 'code', 'dialCode', 'isBlocked']).default('name'),
  sortOrder: SortOrder,
  status: z.enum(['ALL', 'BLOCKED', 'ALLOWED']).default('ALL'),
  search: z.string().min(1).max(50).optional(),
  page: PageNumber,
  take: take(20),
});

const CountryPage = page(Country);

export const listCountries = operation({
  method: 'GET',
  path: '/country',
  tag: 'Country',
  access: 'anonymous',
  summary: 'List countries with their dial codes',
  description: 'Sorted by name. `take=300` returns all countries on one page.',
  query: Query,
  response: CountryPage,
  handler: ({ db }: CountryDeps, { query }) => readPage(db, query),
});

export const listCountriesForStaff = operation({
  method: 'GET',
  path: '/admin/country',
  tag: 'Admin Country',
  access: { permission: 'country.read' },
  summary: 'List countries with filters and sorting',
  description: 'The search matches names, codes and dial codes.',
  query: StaffQuery,
  response: CountryPage,
  handler: ({ db }: CountryDeps, { query }) => readPage(db, query),
});

export const getCountryStats = operation({
  method: 'GET',
  path: '/admin/country/stats',
  tag: 'Admin Country',
  access: { permission: 'country.read' },
  summary: 'Count blocked and allowed countries',
  response: object('CountryStats', { total: z.number(), blocked: z.number(), allowed: z.number() }),
  handler: async ({ db }: CountryDeps) => {
    const { total, blocked } = await db
      .selectFrom('countries')
      .select([
        sql<number>`count(*)::int`.as('total'),
        sql<number>`count(*) filter (where is_blocked)::int`.as('blocked'),
      ])
      .executeTakeFirstOrThrow();
    return { total, blocked, allowed: total - blocked };
  },
});

const ORDERS = { name: 'name', code: 'code', dialCode: 'dial_code', isBlocked: 'is_blocked' } as const;

async function readPage(
  db: Db,
  query: z.output<typeof Query> & Partial<z.output<typeof StaffQuery>>,
): Promise<Page<z.input<typeof Country>>> {
  const { search, status = 'ALL', sortBy = 'name', sortOrder = 'asc' } = query;
  const text = (search ?? '').toLowerCase();
  const matching = db
    .selectFrom('countries')
    .$if(status !== 'ALL', (q) => q.where('is_blocked', '=', status === 'BLOCKED'))
    .$if(search !== undefined, (q) =>
      // The table has a few hundred rows and needs no index.
      q.where(
        sql<boolean>`strpos(lower(name), ${text}) + strpos(lower(code), ${text}) + strpos(dial_code, ${text}) > 0`,
      ),
    );
  const { total } = await matching.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
  const rows = matching.select(COUNTRY_COLUMNS).orderBy(ORDERS[sortBy], sortOrder).orderBy('code', sortOrder);
  return pageOf(query, total, (offset) => rows.limit(query.take).offset(offset).execute());
}
