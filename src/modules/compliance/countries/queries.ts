import { sql } from 'kysely';
import { type CountrySet, countrySetOf } from '../../../platform/countries/rules.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';

export const COUNTRY_COLUMNS = ['name', 'code', 'dial_code as dialCode', 'is_blocked as isBlocked'] as const;

/** Returns the countries of players' accounts and of the addresses from which they registered. */
export async function registeredCountries(
  db: DbOrTx,
  userIds: readonly number[],
): Promise<Map<number, CountrySet>> {
  const rows = await readRegistered(db, userIds);
  return new Map(rows.map(({ id, account, registered }) => [id, countrySetOf([account, registered])]));
}

/**
 * Returns the countries that were explicitly set for accounts, as opposed to those derived from the registration address. Null if the two
 * countries are equal: the account then probably took the country of the address.
 */
export async function givenCountries(
  db: DbOrTx,
  userIds: readonly number[],
): Promise<Map<number, CountrySet>> {
  const rows = await readRegistered(db, userIds);
  return new Map(rows.map(({ id, account, registered }) => [id, account === registered ? null : account]));
}

const readRegistered = (db: DbOrTx, userIds: readonly number[]) =>
  db
    .selectFrom('users as u')
    .leftJoin('registration_info as r', 'r.user_id', 'u.id')
    .select(['u.id', 'u.country_code as account', 'r.country_code as registered'])
    .where('u.id', '=', sql<number>`any(${userIds}::int4[])`)
    .execute();
