import type { Tx } from '../../../../platform/db.ts';
import { announceUserChange } from '../../../base/users/service.ts';
import { endTokens } from '../one-time.ts';
import { deactivate, lockFactor, setMfaEnabled, setResetNow } from './queries.ts';

/**
 * Takes a user's second factor away, one that waits to be confirmed and the recovery codes with it, and says whether there was one in
 * force. As after a recovery code, for a while no money leaves. The factor's lock comes before the user's row: lock it first
 * (`lockFactor`) where that row is locked already.
 */
export async function removeFactor(tx: Tx, userId: number): Promise<boolean> {
  const factor = await lockFactor(tx, userId);
  if (!factor) return false;
  await deactivate(tx, userId);
  await endTokens(tx, userId, ['MFA']);
  if (!factor.active) return false;
  await setResetNow(tx, userId);
  await setMfaEnabled(tx, userId, false);
  await announceUserChange(tx, userId);
  return true;
}
