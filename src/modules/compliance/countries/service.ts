import { sql } from 'kysely';
import { createCache } from '../../../platform/cache.ts';
import { countryOfIp, knownCountryOfIp } from '../../../platform/countries/geo.ts';
import { type CountrySet, countrySetOf, isCountryIn } from '../../../platform/countries/rules.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db, DbOrTx } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { gateErrors } from '../gate/errors.ts';

export type CountryDeps = { db: Db; countries: Countries };

export type Countries = ReturnType<typeof createCountries>;

/** The PostgreSQL channel through which every process is notified of a change. */
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
   * A null country (of a private or unallocated address) is allowed. The country of an unreadable address may be a blocked one, so the
   * address is treated as blocked while any country is blocked.
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
    /** Returns true if this alpha-2 code belongs to a country. */
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

export const COUNTRY_COLUMNS = ['name', 'code', 'dial_code as dialCode', 'is_blocked as isBlocked'] as const;

/** A player, and the IP address of the player's request. `ip` is undefined if the player did not send the request. */
export type Sender = { userId: number; ip?: string | undefined };

type Deps = {
  db: Db;
  countryOf: (ip: string) => string | null;
  /** Returns the stated country of residence and the country of the identity document for each player. */
  identityCountriesOf: (db: DbOrTx, userIds: readonly number[]) => Promise<Map<number, CountrySet>>;
  /** Returns true while any country rule applies to bets. */
  isPlayRuled: () => boolean;
};

export type PlayerCountries = ReturnType<typeof createPlayerCountries>;

/** The maximum delay after which changes to a player's stored countries affect bets, series and game lists. */
const CACHED_MS = 60_000;

/**
 * Returns all countries linked to a player: those of the request's address, the account, its registration, the stated identity and the
 * identity document. Every country rule uses this set. A player who travels or hides their IP address is therefore subject to the rules
 * both of their home country and of the country of that address.
 */
export function createPlayerCountries({ db, countryOf, identityCountriesOf, isPlayRuled }: Deps) {
  const cache = createCache<number, Cached>(10_000, { ttl: CACHED_MS });

  const storedOf = async (tx: DbOrTx, userIds: readonly number[]): Promise<Map<number, CountrySet>> => {
    const [registered, identity] = await Promise.all([
      registeredCountries(tx, userIds),
      identityCountriesOf(tx, userIds),
    ]);
    return new Map(
      userIds.map((id) => [id, countrySetOf([registered.get(id) ?? null, identity.get(id) ?? null])]),
    );
  };

  const requestCountryOf = ({ ip }: Sender): string | null => (ip === undefined ? null : countryOf(ip));

  const rememberedOf = async (sender: Sender): Promise<CountrySet> => {
    const { userId } = sender;
    const cached = cache.get(userId) ?? {
      stored: (await storedOf(db, [userId])).get(userId) ?? null,
      sets: new Map(),
    };
    if (!cache.has(userId)) cache.set(userId, cached);
    return setAt(cached, requestCountryOf(sender));
  };

  return {
    /** Reads a player's countries without a cache. */
    of: async (tx: DbOrTx, sender: Sender): Promise<CountrySet> =>
      countrySetOf([
        requestCountryOf(sender),
        (await storedOf(tx, [sender.userId])).get(sender.userId) ?? null,
      ]),

    /** Reads the stored countries of several players. Does not include the countries of request addresses. */
    storedOf,

    /** Like `of`, but the stored countries may be up to a minute old. */
    rememberedOf,

    /**
     * Returns the countries whose rules apply to a bet. While no country rule applies to bets, returns synchronously and without a query.
     */
    ofBet(sender: Sender): CountrySet | Promise<CountrySet> {
      if (!isPlayRuled()) return requestCountryOf(sender);
      const cached = cache.get(sender.userId);
      return cached ? setAt(cached, requestCountryOf(sender)) : rememberedOf(sender);
    },
  };
}

/** A player's stored countries. `sets` also contains them combined with each country from which the player has sent requests. */
type Cached = { stored: CountrySet; sets: Map<string | null, CountrySet> };

function setAt({ stored, sets }: Cached, here: string | null): CountrySet {
  const existing = sets.get(here);
  if (existing !== undefined) return existing;
  const set = countrySetOf([here, stored]);
  sets.set(here, set);
  return set;
}

/**
 * Returns the countries that were explicitly set for accounts. Returns null for an account whose country equals that of the registration
 * address, because the account's country was then probably derived from this address.
 */
async function givenCountries(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, CountrySet>> {
  const rows = await readRegistered(db, userIds);
  return new Map(rows.map(({ id, account, registered }) => [id, account === registered ? null : account]));
}

/** Returns the country of the account and the country of the registration address for each player. */
async function registeredCountries(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, CountrySet>> {
  const rows = await readRegistered(db, userIds);
  return new Map(rows.map(({ id, account, registered }) => [id, countrySetOf([account, registered])]));
}

const readRegistered = (db: DbOrTx, userIds: readonly number[]) =>
  db
    .selectFrom('users as u')
    .leftJoin('registration_info as r', 'r.user_id', 'u.id')
    .select(['u.id', 'u.country_code as account', 'r.country_code as registered'])
    .where('u.id', '=', sql<number>`any(${userIds}::int4[])`)
    .execute();
