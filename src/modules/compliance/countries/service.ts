import { countryOfIp, knownCountryOfIp } from '../../../platform/countries/geo.ts';
import { type CountrySet, isCountryIn } from '../../../platform/countries/rules.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { gateErrors } from '../gate/errors.ts';
import { givenCountries } from './known.ts';

export type CountryDeps = { db: Db; countries: Countries };

export type Countries = ReturnType<typeof createCountries>;

/** PostgreSQL channel that notifies every process of a change. */
export const CHANNEL = 'countries_changed';

/** Caches the blocked countries in every process. Before `start` is called, no country is blocked. */
export function createCountries({
  db,
  databaseClock,
  log,
}: {
  db: Db;
  databaseClock: DatabaseClock;
  log: Log;
}) {
  let blocked: ReadonlySet<string> = new Set();
  const { start, close, reload } = createMirror({
    what: 'blocked countries',
    channel: CHANNEL,
    read: async () => db.selectFrom('countries').select('code').where('is_blocked', '=', true).execute(),
    apply: (rows) => {
      blocked = new Set(rows.map((row) => row.code));
    },
    databaseClock,
    log,
  });
  /**
   * A null country (of a private or unallocated address) is allowed. An unreadable address may belong to a blocked country, so it counts as
   * blocked while any country is blocked.
   */
  const isBlocked = (countries: CountrySet) => isCountryIn(countries, blocked);
  return {
    start,
    close,
    reload,
    /** Returns the alpha-2 code of an address's country, or null for private and unallocated addresses, which are allowed. */
    countryOf: countryOfIp,
    isBlocked,
    /** Returns true while any country is blocked. */
    isAnyBlocked: () => blocked.size > 0,
    givenCountries,
    /** Returns true if a country has this alpha-2 code. */
    async exists(code: string): Promise<boolean> {
      const row = await db.selectFrom('countries').select('code').where('code', '=', code).executeTakeFirst();
      return row !== undefined;
    },
    /** Throws 403 AUTH_GEO_BLOCKED if the address is in a blocked country. */
    assertAllowed(ip: string): void {
      if (isBlocked(countryOfIp(ip)))
        throw gateErrors.AUTH_GEO_BLOCKED({ countryCode: knownCountryOfIp(ip) });
    },
  };
}
