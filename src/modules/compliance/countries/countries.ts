import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { object, type Page, PageNumber, page, pageOf, SortOrder, take } from '../../../http/schemas.ts';
import { countryOfIp, knownCountryOfIp } from '../../../platform/countries/geo.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { errors } from '../../../platform/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { siteEvents } from '../../base/site-config/schemas.ts';
import { CHANNEL, COUNTRY_COLUMNS, type CountryDeps } from './service.ts';

const countryErrors = errors({
  COUNTRY_NOT_FOUND: [404, 'Country not found. GET /country lists all countries.'],
});

const Country = object('Country', {
  name: z.string(),
  code: z.string(),
  dialCode: z.string(),
  isBlocked: z.boolean(),
});

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
      // The table has only a few hundred rows, so it needs no index.
      q.where(
        sql<boolean>`strpos(lower(name), ${text}) + strpos(lower(code), ${text}) + strpos(dial_code, ${text}) > 0`,
      ),
    );
  const { total } = await matching.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
  const rows = matching.select(COUNTRY_COLUMNS).orderBy(ORDERS[sortBy], sortOrder).orderBy('code', sortOrder);
  return pageOf(query, total, (offset) => rows.limit(query.take).offset(offset).execute());
}

const CountryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be a code of two capital letters such as DE')
  .meta({ example: 'DE' });

export const blockCountry = operation({
  method: 'PATCH',
  path: '/admin/country/{code}',
  tag: 'Admin Country',
  access: { permission: 'country.write' },
  gate: 'none',
  summary: 'Block or unblock a country',
  description: 'Takes effect in every process within a second.',
  params: z.object({ code: CountryCode }),
  body: z.strictObject({ isBlocked: z.boolean() }),
  response: Country,
  errors: [countryErrors.COUNTRY_NOT_FOUND],
  handler: async ({ db, countries }: CountryDeps, { by, params: { code }, body: { isBlocked } }) => {
    const row = await transaction(db, (tx) => setBlocked(tx, by, { code, isBlocked }));
    await countries.reload();
    return row;
  },
});

async function setBlocked(
  tx: Tx,
  by: StaffCall,
  { code, isBlocked }: { code: string; isBlocked: boolean },
): Promise<z.input<typeof Country>> {
  const before = await tx
    .selectFrom('countries')
    .select(COUNTRY_COLUMNS)
    .where('code', '=', code)
    .forUpdate()
    .executeTakeFirst();
  await freshActor(tx, by);
  if (!before) throw countryErrors.COUNTRY_NOT_FOUND({ code });
  await tx
    .updateTable('countries')
    .set({ is_blocked: isBlocked, updated_at: sql<Date>`now()` })
    .where('code', '=', code)
    .execute();
  await sql`select pg_notify(${CHANNEL}, ${code})`.execute(tx);
  if (before.isBlocked !== isBlocked)
    await emitEvent(tx, { event: siteEvents['config.changed'], data: { code: 'COUNTRIES' } });
  await recordAudit(tx, by, { before: { isBlocked: before.isBlocked }, after: { isBlocked } });
  return { ...before, isBlocked };
}

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
