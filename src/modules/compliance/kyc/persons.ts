import { createHmac } from 'node:crypto';
import { type CountrySet, countrySetOf } from '../../../platform/countries/rules.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { createEncryption, deriveKeys, type Secret } from '../../../platform/secrets/encryption.ts';
import type { Countries } from '../countries/service.ts';
import { transactionTime } from '../gate/service.ts';
import { findPerson, findPersons } from './queries.ts';
import { ageOn, sameness } from './rules.ts';
import type { Person } from './schemas.ts';

export type Persons = ReturnType<typeof createPersons>;

type AgeDeps = {
  persons: Persons;
  countries: Pick<Countries, 'givenCountries'>;
  minimumAge: () => number;
};

/** Encrypts the identities that players state. Each identity has a key, which is the same for all statements of the same person. */
export function createPersons(secret: Secret) {
  const encryption = createEncryption(secret, 'kyc');
  const keys = deriveKeys(secret, 'kyc same person');
  const keysOf = (person: Person) =>
    keys.map((key) => createHmac('sha256', key).update(sameness(person)).digest());
  return {
    encryption,
    seal: (person: Person) => ({
      sealed: encryption.seal(Buffer.from(JSON.stringify(person))),
      person_key: keysOf(person)[0]!,
    }),
    /** The keys under which the same person may be stored: the current key and, during a DATA_SECRET rotation, the previous one. */
    keysOf,
    open: (sealed: Buffer): Person => JSON.parse(encryption.open(sealed).toString()) as Person,
  };
}

/** Returns the identity that a player has stated, if any. */
export async function statedPersonOf(
  db: DbOrTx,
  persons: Persons,
  userId: number,
): Promise<Person | undefined> {
  const sealed = (await findPerson(db, userId))?.sealed;
  return sealed ? persons.open(sealed) : undefined;
}

/** Returns the players who are below the minimum age according to their latest statement. Omits players without a statement. */
export async function underageAmong(
  db: DbOrTx,
  { persons, countries, minimumAge }: AgeDeps,
  userIds: readonly number[],
): Promise<Set<number>> {
  const [found, given, now] = await Promise.all([
    findPersons(db, userIds),
    countries.givenCountries(db, userIds),
    transactionTime(db),
  ]);
  const isUnderage = (person: (typeof found)[number]) => {
    const { user_id: userId, sealed, stated_at: statedAt, underage_at: underageAt } = person;
    const otherCountries = [given.get(userId) ?? null, person.document_country];
    // Birth dates of underage people are not stored, only the time of the attempt.
    if (underageAt && !(statedAt && statedAt > underageAt)) return true;
    if (sealed === null) return false;
    const { birthDate, country } = persons.open(sealed);
    return ageOn(birthDate, now, countrySetOf([country, ...otherCountries])) < minimumAge();
  };
  return new Set(found.filter(isUnderage).map(({ user_id }) => user_id));
}

/** Returns the stated country of residence and the country of the identity document for each player. */
export async function identityCountriesOf(
  db: DbOrTx,
  persons: Persons,
  userIds: readonly number[],
): Promise<Map<number, CountrySet>> {
  const found = await findPersons(db, userIds);
  return new Map(
    found.map(({ user_id, sealed, document_country }) => {
      const stated = sealed ? persons.open(sealed).country : null;
      return [user_id, countrySetOf([stated, document_country])];
    }),
  );
}
