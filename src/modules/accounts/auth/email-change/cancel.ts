import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import { endTokens } from '../one-time.ts';
import { emailChangeErrors } from './errors.ts';
import { deleteChange } from './queries.ts';

/** Ends the change that waits for a user, and its links; whether there was one. */
export async function endEmailChange(tx: Tx, userId: number): Promise<boolean> {
  await endTokens(tx, userId, ['EMAIL_CHANGE_OLD', 'EMAIL_CHANGE_NEW']);
  return deleteChange(tx, userId);
}

/** Throws 404 EMAIL_CHANGE_NOT_FOUND. */
export const cancel = (db: Db, userId: number): Promise<{ success: boolean }> =>
  transaction(db, async (tx) => {
    if (!(await endEmailChange(tx, userId))) throw emailChangeErrors.EMAIL_CHANGE_NOT_FOUND();
    return { success: true };
  });
