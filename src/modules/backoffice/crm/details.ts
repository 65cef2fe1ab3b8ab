import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { userErrors } from '../../base/users/errors.ts';
import { getUser, type UserRow } from '../../base/users/service.ts';
import { findRestrictions, transactionTime } from '../../compliance/gate/service.ts';
import type { Kyc } from '../../compliance/kyc/service.ts';
import { userIdOf } from '../../games/provider-wallets/rules.ts';
import { isErased } from '../user-admin/erase.ts';
import type { CrmBlocks, CrmUserDetails } from './schemas.ts';

/** The user that the CRM means. Throws 404 USER_NOT_FOUND. */
export async function userNamed(db: Db, text: string): Promise<UserRow> {
  const id = userIdOf(text);
  if (id === undefined) throw userErrors.USER_NOT_FOUND();
  return getUser(db, id);
}

/** Until when a player is excluded, and nothing may draw them back; null: they are not. The pause before play opens again counts. */
export async function excludedUntil(db: Db, userId: number): Promise<Date | null> {
  const restrictions = await findRestrictions(db, userId);
  const { excludedUntil: until = null, playFrom = null } = restrictions ?? {};
  const last = until && playFrom && playFrom > until ? playFrom : until;
  return last && last > (await transactionTime(db)) ? last : null;
}

type Deps = { db: Db; kyc: Pick<Kyc, 'identityOf'>; origin: string };

const SEXES = { MALE: 'Male', FEMALE: 'Female', OTHER: 'Other' } as const;

/** What the CRM may know of a user: every key, empty where nothing is known. Throws 404 USER_NOT_FOUND. */
export async function userDetails(
  { db, kyc, origin }: Deps,
  text: string,
): Promise<z.input<typeof CrmUserDetails>> {
  const user = await userNamed(db, text);
  const [{ person, approvedAt }, until] = await Promise.all([
    kyc.identityOf(user.id),
    excludedUntil(db, user.id),
  ]);
  return {
    user_id: String(user.id),
    username: user.username ?? '',
    email: user.email ?? '',
    first_name: person?.firstName ?? '',
    last_name: person?.lastName ?? '',
    birth_date: person?.birthDate ?? '',
    sex: person?.gender ? SEXES[person.gender] : '',
    title: '',
    address: person?.address ?? '',
    city: person?.city ?? '',
    postal_code: person?.postalCode ?? '',
    country: user.country_code ?? '',
    language: user.language ?? '',
    currency: '',
    mobile: person?.phone ?? '',
    mobile_prefix: person?.phonePrefix ?? '',
    origin,
    market: '',
    roles: [...(user.is_staff ? ['STAFF'] : []), ...(user.is_test ? ['TEST'] : [])],
    registration_date: iso(user.created_at),
    registration_code: '',
    affiliate_reference: user.affiliate_code ?? '',
    verified_at: approvedAt ? iso(approvedAt) : '',
    deleted_at: isErased(user) ? iso(user.updated_at) : '',
    is_blocked: user.banned_at !== null,
    is_excluded: until !== null,
    segmentation: { vip_level: user.vip_level, kyc_level: user.kyc_level },
  };
}

/** Always both. Why somebody is banned stays with staff. Throws 404 USER_NOT_FOUND. */
export async function userBlocks(db: Db, text: string): Promise<z.input<typeof CrmBlocks>> {
  const user = await userNamed(db, text);
  const until = await excludedUntil(db, user.id);
  return {
    blocks: [
      { type: 'Blocked', active: user.banned_at !== null, note: '' },
      { type: 'Excluded', active: until !== null, note: until ? iso(until) : '' },
    ],
  };
}
