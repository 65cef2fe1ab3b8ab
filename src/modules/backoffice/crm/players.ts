import type { Db } from '../../../platform/database/db.ts';
import { userErrors } from '../../base/users/errors.ts';
import { getUser, type UserRow } from '../../base/users/service.ts';
import { findRestrictions, transactionTime } from '../../compliance/gate/service.ts';
import { userIdOf } from '../../games/seamless-wallet/engine/rules.ts';

/** Returns the user with an id that the CRM sent. Throws 404 USER_NOT_FOUND. */
export async function getCrmUser(db: Db, text: string): Promise<UserRow> {
  const id = userIdOf(text);
  if (id === undefined) throw userErrors.USER_NOT_FOUND();
  return getUser(db, id);
}

/**
 * Returns when a player's exclusion ends, including the pause before play is possible again. Returns null if they are not excluded.
 * Excluded players must not be encouraged to return.
 */
export async function excludedUntil(db: Db, userId: number): Promise<Date | null> {
  const restrictions = await findRestrictions(db, userId);
  const { excludedUntil: until = null, playFrom = null } = restrictions ?? {};
  const last = until && playFrom && playFrom > until ? playFrom : until;
  return last && last > (await transactionTime(db)) ? last : null;
}
