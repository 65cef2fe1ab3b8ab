import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/db.ts';
import { newId } from '../../../../platform/ids.ts';

export type EmailChangeRow = NonNullable<Awaited<ReturnType<typeof findChange>>>;

type NewChange = {
  userId: number;
  sessionId: string;
  newEmail: string;
  /** Null where nobody has proven the present address. */
  oldEmail: string | null;
  hours: number;
};

/** The one change of this user from now on: an earlier one is replaced. */
export async function replaceChange(
  tx: Tx,
  { userId, sessionId, newEmail, oldEmail, hours }: NewChange,
): Promise<EmailChangeRow> {
  await deleteChange(tx, userId);
  return tx
    .insertInto('email_changes')
    .values({
      id: newId(),
      user_id: userId,
      session_id: sessionId,
      new_email: newEmail,
      old_email: oldEmail,
      expires_at: sql<Date>`now() + make_interval(hours => ${hours})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The change of a user that waits for a confirmation. */
export const findPendingOf = (db: DbOrTx, userId: number) =>
  db
    .selectFrom('email_changes')
    .selectAll()
    .where('user_id', '=', userId)
    .where('changed_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();

/** A change that has not expired, whether it waits or has happened. */
export const findChange = (db: DbOrTx, id: string) =>
  db
    .selectFrom('email_changes')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();

/** Records that the owner of one of the addresses agrees; `isHolder`: in a browser where the account is signed in. */
export const proveSide = (
  tx: Tx,
  { id }: Pick<EmailChangeRow, 'id'>,
  { side, isHolder }: { side: 'OLD' | 'NEW'; isHolder: boolean },
): Promise<EmailChangeRow> =>
  tx
    .updateTable('email_changes')
    .set(
      side === 'OLD'
        ? { old_proven_at: sql<Date>`coalesce(old_proven_at, now())` }
        : {
            new_proven_at: sql<Date>`coalesce(new_proven_at, now())`,
            is_new_proven_by_holder: sql<boolean>`is_new_proven_by_holder or ${isHolder}`,
          },
    )
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

export async function noteChanged(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('email_changes').set({ changed_at: sql<Date>`now()` }).where('id', '=', id).execute();
}

/** Ends whatever change a user has; false when none was waiting. */
export async function deleteChange(tx: Tx, userId: number): Promise<boolean> {
  const gone = await tx
    .deleteFrom('email_changes')
    .where('user_id', '=', userId)
    .returning('changed_at')
    .executeTakeFirst();
  return gone?.changed_at === null;
}
