import { createHmac } from 'node:crypto';
import type { z } from 'zod';
import { type Db, type DbOrTx, transaction } from '../../../platform/db.ts';
import { createEncryption, deriveKey } from '../../../platform/encryption.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Countries } from '../countries/service.ts';
import { gateErrors } from '../gate/errors.ts';
import { transactionTime } from '../gate/service.ts';
import { kycErrors } from './errors.ts';
import { changeTiers, lockStanding, type Standing, shownToPlayer, tierIn } from './level.ts';
import { findPerson, findPersons, storePerson, storeUnderage } from './queries.ts';
import { ageOn, isApproved, isClosed, isInReview, nothingIn, sameness, type TierState } from './rules.ts';
import type { KycTier, Person } from './schemas.ts';

export type Persons = ReturnType<typeof createPersons>;

export type PersonDeps = {
  db: Db;
  persons: Persons;
  countries: Pick<Countries, 'isBlocked' | 'exists'>;
  minimumAge: () => number;
};

/** How what players state about themselves is stored: encrypted, with a key that is equal for the same person. */
export function createPersons(secret: string) {
  const encryption = createEncryption(secret, 'kyc');
  const key = deriveKey(secret, 'kyc same person');
  return {
    seal: (person: Person) => ({
      sealed: encryption.seal(Buffer.from(JSON.stringify(person))),
      person_key: createHmac('sha256', key).update(sameness(person)).digest(),
    }),
    open: (sealed: Buffer): Person => JSON.parse(encryption.open(sealed).toString()) as Person,
  };
}

/** What a player has stated about themselves; undefined: nothing. */
export async function statedPersonOf(
  db: DbOrTx,
  persons: Persons,
  userId: number,
): Promise<Person | undefined> {
  const sealed = (await findPerson(db, userId))?.sealed;
  return sealed ? persons.open(sealed) : undefined;
}

/** Which of these players are too young by what they have stated last; whoever has stated nothing is not. */
export async function underageAmong(
  db: DbOrTx,
  { persons, minimumAge }: Pick<PersonDeps, 'persons' | 'minimumAge'>,
  userIds: readonly number[],
): Promise<Set<number>> {
  const [found, now] = await Promise.all([findPersons(db, userIds), transactionTime(db)]);
  const isUnderage = ({ sealed, stated_at: statedAt, underage_at: underageAt }: (typeof found)[number]) => {
    // A birth date that was refused is not kept.
    if (underageAt && !(statedAt && statedAt > underageAt)) return true;
    return sealed !== null && ageOn(persons.open(sealed).birthDate, now) < minimumAge();
  };
  return new Set(found.filter(isUnderage).map(({ user_id }) => user_id));
}

/** The country that a player has stated to live in; null: none. */
export const statedCountryOf = async (db: DbOrTx, persons: Persons, userId: number): Promise<string | null> =>
  (await statedPersonOf(db, persons, userId))?.country ?? null;

/**
 * Takes what players state about themselves; approved immediately. Throws 400 VALIDATION_FAILED (unknown country), KYC_UNDERAGE,
 * 403 AUTH_GEO_BLOCKED, 409 KYC_ALREADY_APPROVED, KYC_FINALLY_REJECTED, KYC_UNDER_REVIEW.
 */
export async function submitBasic(
  deps: PersonDeps,
  userId: number,
  person: Person,
): Promise<z.input<typeof KycTier>> {
  const { db, persons, minimumAge } = deps;
  await assertServed(deps, person.country);
  if (ageOn(person.birthDate, await transactionTime(db)) < minimumAge()) {
    await storeUnderage(db, userId);
    throw kycErrors.KYC_UNDERAGE({ minimumAge: minimumAge() });
  }
  return transaction(db, async (tx) => {
    const standing = await lockStanding(tx, userId);
    assertOpen(tierIn(standing, 'BASIC'));
    const { now } = standing;
    const known = await findPerson(tx, userId);
    const stated = persons.seal(person);
    await storePerson(tx, userId, stated);
    const isOther = known?.person_key != null && !known.person_key.equals(stated.person_key);
    const basic: TierState = {
      ...nothingIn('BASIC', now),
      submittedAt: now,
      decidedAt: now,
      status: 'APPROVED',
    };
    const next = isOther ? [basic, ...provenOfAnother(standing)] : [basic];
    const reason = isOther ? 'the player has stated that they are somebody else' : null;
    await changeTiers(tx, standing, next, { actorId: userId, reason });
    return shownToPlayer(basic);
  });
}

/** Throws 400 VALIDATION_FAILED, 403 AUTH_GEO_BLOCKED. */
async function assertServed({ countries }: PersonDeps, country: string): Promise<void> {
  if (!(await countries.exists(country)))
    throw commonErrors.VALIDATION_FAILED({ fields: [{ path: 'country', message: 'is not known' }] });
  if (countries.isBlocked(country)) throw gateErrors.AUTH_GEO_BLOCKED({ countryCode: country });
}

function assertOpen(basic: TierState): void {
  if (isApproved(basic)) throw kycErrors.KYC_ALREADY_APPROVED();
  if (isClosed(basic)) throw kycErrors.KYC_FINALLY_REJECTED();
  if (isInReview(basic)) throw kycErrors.KYC_UNDER_REVIEW();
}

/** Documents of one person prove nothing about another. */
const provenOfAnother = ({ tiers, now }: Standing): TierState[] =>
  tiers
    .filter((state) => state.tier !== 'BASIC' && (isApproved(state) || isInReview(state)))
    .map(({ tier }) => ({ ...nothingIn(tier, now), status: 'RESUBMIT', decidedAt: now }));
