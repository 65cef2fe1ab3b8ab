import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Page, pageOf } from '../../../http/schemas.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import type { Log } from '../../../platform/log.ts';
import { createMirror } from '../../../platform/mirror.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { gateErrors } from '../gate/errors.ts';
import { countryErrors } from './errors.ts';
import type { Country, CountryQuery, CountryStaffQuery, GeoCheck } from './schemas.ts';

export type Countries = ReturnType<typeof createCountries>;

type Row = z.input<typeof Country>;
/** What players do not choose: all countries, by name. */
type Query = z.output<typeof CountryQuery> & Partial<z.output<typeof CountryStaffQuery>>;

const CHANNEL = 'countries_changed';
const COLUMNS = ['name', 'code', 'dial_code as dialCode', 'is_blocked as isBlocked'] as const;
const ORDERS = { name: 'name', code: 'code', dialCode: 'dial_code', isBlocked: 'is_blocked' } as const;

type Deps = { db: Db; databaseClock: DatabaseClock; log: Log };

/** Countries, which of them are blocked, and where an address is. Nothing is blocked before `start`. */
export function createCountries({ db, databaseClock, log }: Deps) {
  let blocked: ReadonlySet<string> = new Set();
  const mirror = createMirror({
    what: 'blocked countries',
    channel: CHANNEL,
    read: async () => db.selectFrom('countries').select('code').where('is_blocked', '=', true).execute(),
    apply: (rows) => {
      blocked = new Set(rows.map((row) => row.code));
    },
    databaseClock,
    log,
  });
  /** Of a country; the unknown one is served. */
  const isBlocked = (code: string | null) => code !== null && blocked.has(code);
  return {
    start: mirror.start,
    close: mirror.close,
    /** The alpha-2 code of an address; null for private and unknown ones, which are served. */
    countryOf: countryOfIp,
    isBlocked,
    /** Whether there is a country with this alpha-2 code. */
    async exists(code: string): Promise<boolean> {
      const row = await db.selectFrom('countries').select('code').where('code', '=', code).executeTakeFirst();
      return row !== undefined;
    },
    /** Throws 403 AUTH_GEO_BLOCKED when the address is in a blocked country. */
    assertAllowed(ip: string): void {
      const countryCode = countryOfIp(ip);
      if (isBlocked(countryCode)) throw gateErrors.AUTH_GEO_BLOCKED({ countryCode });
    },
    check(ip: string): z.input<typeof GeoCheck> {
      const countryCode = countryOfIp(ip);
      const stopped = isBlocked(countryCode);
      return { countryCode, isBlocked: stopped, reason: stopped ? 'COUNTRY_BLOCKED' : null, ip };
    },
    list: (query: Query) => listCountries(db, query),
    stats: () => countCountries(db),
    /** Blocks or unblocks a country; every process knows within a second. Throws 404 COUNTRY_NOT_FOUND. */
    async setBlocked(by: StaffCall, code: string, isNowBlocked: boolean): Promise<Row> {
      const row = await transaction(db, (tx) => setBlocked(tx, by, code, isNowBlocked));
      await mirror.reload();
      return row;
    },
  };
}

async function countCountries(db: Db) {
  const { total, blocked } = await db
    .selectFrom('countries')
    .select([
      sql<number>`count(*)::int`.as('total'),
      sql<number>`count(*) filter (where is_blocked)::int`.as('blocked'),
    ])
    .executeTakeFirstOrThrow();
  return { total, blocked, allowed: total - blocked };
}

async function setBlocked(tx: Tx, by: StaffCall, code: string, isBlocked: boolean): Promise<Row> {
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
    .set({ is_blocked: isBlocked, updated_at: sql<Date>`now()` })
    .where('code', '=', code)
    .execute();
  await sql`select pg_notify(${CHANNEL}, ${code})`.execute(tx);
  if (before.isBlocked !== isBlocked)
    await emitEvent(tx, { event: 'config.changed', data: { code: 'COUNTRIES' } });
  await recordAudit(tx, by, { before: { isBlocked: before.isBlocked }, after: { isBlocked } });
  return { ...before, isBlocked };
}

async function listCountries(db: Db, query: Query): Promise<Page<Row>> {
  const { search, status = 'ALL', sortBy = 'name', sortOrder = 'asc' } = query;
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
  const rows = matching.select(COLUMNS).orderBy(ORDERS[sortBy], sortOrder).orderBy('code', sortOrder);
  return pageOf(query, total, (offset) => rows.limit(query.take).offset(offset).execute());
}
