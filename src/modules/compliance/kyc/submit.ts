import type { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { countrySetOf } from '../../../platform/countries/rules.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { gateErrors } from '../gate/errors.ts';
import { transactionTime } from '../gate/service.ts';
import { changeTiers, lockStanding, type Standing, tierIn, toPlayerTier } from './level.ts';
import { findPerson, storePerson, storeUnderage } from './queries.ts';
import { ageOn, isApproved, isClosed, isInReview, nothingIn, type TierState } from './rules.ts';
import { KycBasicRequest, KycTier, type Person } from './schemas.ts';
import { type KycDeps, kycErrors } from './service.ts';

export const submitBasic = operation({
  method: 'POST',
  path: '/kyc/basic',
  tag: 'KYC',
  access: 'auth',
  gate: 'none',
  summary: 'Submit basic identity details',
  description: 'The details are approved immediately. Required before all other tiers.',
  body: KycBasicRequest,
  response: KycTier,
  errors: [
    kycErrors.KYC_UNDERAGE,
    gateErrors.AUTH_GEO_BLOCKED,
    kycErrors.KYC_ALREADY_APPROVED,
    kycErrors.KYC_FINALLY_REJECTED,
    kycErrors.KYC_UNDER_REVIEW,
  ],
  handler: (deps: KycDeps, { user, body }) => submit(deps, user.id, body),
});

async function submit(
  { db, countries, kyc }: KycDeps,
  userId: number,
  person: Person,
): Promise<z.input<typeof KycTier>> {
  const { persons, minimumAge } = kyc;
  await assertServed(countries, person.country);
  const residences = countrySetOf([
    person.country,
    (await countries.givenCountries(db, [userId])).get(userId) ?? null,
    (await findPerson(db, userId))?.document_country ?? null,
  ]);
  if (ageOn(person.birthDate, await transactionTime(db), residences) < minimumAge()) {
    await storeUnderage(db, userId);
    throw kycErrors.KYC_UNDERAGE({ minimumAge: minimumAge() });
  }
  return transaction(db, async (tx) => {
    const standing = await lockStanding(tx, userId);
    assertOpen(tierIn(standing, 'BASIC'));
    const { now } = standing;
    const previousKey = (await findPerson(tx, userId))?.person_key;
    const isOther = previousKey != null && !persons.keysOf(person).some((key) => previousKey.equals(key));
    await storePerson(tx, userId, { ...persons.seal(person), ...(isOther && { document_country: null }) });
    const basic: TierState = {
      ...nothingIn('BASIC', now),
      submittedAt: now,
      decidedAt: now,
      status: 'APPROVED',
    };
    const next = isOther ? [basic, ...resubmitDocuments(standing)] : [basic];
    const reason = isOther ? 'the player has stated a different identity' : null;
    await changeTiers(tx, standing, next, { actorId: userId, reason });
    return toPlayerTier(basic);
  });
}

/** Asserts that the country exists and is not blocked. Throws 400 VALIDATION_FAILED or 403 AUTH_GEO_BLOCKED. */
async function assertServed(countries: KycDeps['countries'], country: string): Promise<void> {
  if (!(await countries.exists(country)))
    throw commonErrors.VALIDATION_FAILED({
      fields: [{ path: 'country', message: 'must be an existing country' }],
    });
  if (countries.isBlocked(country)) throw gateErrors.AUTH_GEO_BLOCKED({ countryCode: country });
}

function assertOpen(basic: TierState): void {
  if (isApproved(basic)) throw kycErrors.KYC_ALREADY_APPROVED();
  if (isClosed(basic)) throw kycErrors.KYC_FINALLY_REJECTED();
  if (isInReview(basic)) throw kycErrors.KYC_UNDER_REVIEW();
}

/** Requests new documents, because documents of the previous identity do not verify the new one. */
const resubmitDocuments = ({ tiers, now }: Standing): TierState[] =>
  tiers
    .filter((state) => state.tier !== 'BASIC' && (isApproved(state) || isInReview(state)))
    .map(({ tier }) => ({ ...nothingIn(tier, now), status: 'RESUBMIT', decidedAt: now }));
