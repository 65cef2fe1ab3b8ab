import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { offsetOf, type Page, paginated } from '../../../http/schemas.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { countryErrors } from './errors.ts';
import type { Country, CountryQuery, CountryStaffQuery, GeoCheck } from './schemas.ts';
import { type Blocked, CHANNEL } from './state.ts';

export type Countries = ReturnType<typeof createCountries>;

type Row = z.input<typeof Country>;

const COLUMNS = ['name', 'code', 'dial_code as dialCode', 'is_blocked as isBlocked'] as const;
const ORDERS = { name: 'name', code: 'code', dialCode: 'dial_code', isBlocked: 'is_blocked' } as const;

/** Countries, which of them are served, and where an address is. */
export function createCountries({ db, blocked }: { db: Db; blocked: Blocked }) {
  const isBlocked = (code: string | null) => code !== null && blocked.has(code);
  return {
    /** The alpha-2 code of an address; null for private and unknown ones, which are served. */
    countryOf: countryOfIp,

    /** Of a country; the unknown one is served. */
    isBlocked,

    /** Whether there is a country with this alpha-2 code. */
    async exists(code: string): Promise<boolean> {
      const row = await db.selectFrom('countries').select('code').where('code', '=', code).executeTakeFirst();
      return row !== undefined;
    },

    /** Throws 403 AUTH_GEO_BLOCKED when the address is in a blocked country. */
    assertAllowed(ip: string): void {
      const countryCode = countryOfIp(ip);
      if (isBlocked(countryCode)) throw countryErrors.AUTH_GEO_BLOCKED({ countryCode });
    },

    check(ip: string): z.input<typeof GeoCheck> {
      const countryCode = countryOfIp(ip);
      const stopped = isBlocked(countryCode);
      return { countryCode, isBlocked: stopped, reason: stopped ? 'COUNTRY_BLOCKED' : null, ip };
    },

    list: (query: z.output<typeof CountryQuery>): Promise<Page<Row>> =>
      pageOf(db, { ...query, sortBy: 'name', sortOrder: 'asc', status: 'ALL' }),

    listForStaff: (query: z.output<typeof CountryStaffQuery>): Promise<Page<Row>> => pageOf(db, query),

    async stats() {
      const { total, stopped } = await db
        .selectFrom('countries')
        .select([
          sql<number>`count(*)::int`.as('total'),
          sql<number>`count(*) filter (where is_blocked)::int`.as('stopped'),
        ])
        .executeTakeFirstOrThrow();
      return { total, blocked: stopped, allowed: total - stopped };
    },

    /** Blocks or unblocks a country; every process knows within a second. */
    async setBlocked(by: StaffCall, code: string, stops: boolean): Promise<Row> {
      const row = await transaction(db, async (tx) => {
        const before = await tx
          .selectFrom('countries')
          .select(COLUMNS)
          .where('code', '=', code)
          .forUpdate()
          .executeTakeFirst();
        await freshActor(tx, by);
        if (!before) throw countryErrors.COUNTRY_NOT_FOUND({ code });
        await tx
          .updateTable('countries')
          .set({ is_blocked: stops, updated_at: sql<Date>`now()` })
          .where('code', '=', code)
          .execute();
        await sql`select pg_notify(${CHANNEL}, ${code})`.execute(tx);
        if (before.isBlocked !== stops)
          await emitEvent(tx, { event: 'config.changed', data: { code: 'COUNTRIES' } });
        const change = { before: { isBlocked: before.isBlocked }, after: { isBlocked: stops } };
        await recordAudit(tx, by, change);
        return { ...before, isBlocked: stops };
      });
      await blocked.reload();
      return row;
    },
  };
}

async function pageOf(db: Db, query: z.output<typeof CountryStaffQuery>): Promise<Page<Row>> {
  const { search, status, sortBy, sortOrder } = query;
  const wanted = (search ?? '').toLowerCase();
  const matching = db
    .selectFrom('countries')
    .$if(status !== 'ALL', (q) => q.where('is_blocked', '=', status === 'BLOCKED'))
    .$if(search !== undefined, (q) =>
      // A few hundred rows: no index to think of.
      q.where(
        sql<boolean>`strpos(lower(name), ${wanted}) + strpos(lower(code), ${wanted}) + strpos(dial_code, ${wanted}) > 0`,
      ),
    );
  const { total } = await matching.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
  const offset = offsetOf(query, total);
  if (offset === undefined) return paginated<Row>([], query, total);
  const rows = await matching
    .select(COLUMNS)
    .orderBy(ORDERS[sortBy], sortOrder)
    .orderBy('code', sortOrder)
    .limit(query.take)
    .offset(offset)
    .execute();
  return paginated(rows, query, total);
}
