import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/db.ts';
import { newId } from '../../../../platform/ids.ts';

export type PasskeyRow = NonNullable<Awaited<ReturnType<typeof findByCredential>>>;

/** A user's passkeys, the oldest first. */
export const listPasskeys = (db: DbOrTx, userId: number) =>
  db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** By the id that its authenticator gave it, which nobody else has. */
export const findByCredential = (db: DbOrTx, credentialId: Buffer) =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();

/** As it is now; undefined once it was removed. */
export const findPasskey = (db: DbOrTx, id: string) =>
  db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst();

export const findOwn = (db: DbOrTx, { id, userId }: { id: string; userId: number }) =>
  db.selectFrom('passkeys').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst();

export type NewPasskeyRow = {
  userId: number;
  name: string;
  credentialId: Buffer;
  publicKey: Buffer;
  signCount: bigint;
  isBackedUp: boolean;
  transports: string[];
};

/** Undefined when somebody has this passkey already. */
export const insertPasskey = (tx: Tx, passkey: NewPasskeyRow) =>
  tx
    .insertInto('passkeys')
    .values({
      id: newId(),
      user_id: passkey.userId,
      name: passkey.name,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      sign_count: passkey.signCount,
      is_backed_up: passkey.isBackedUp,
      transports: passkey.transports,
    })
    .onConflict((c) => c.column('credential_id').doNothing())
    .returningAll()
    .executeTakeFirst();

export async function noteUse(
  tx: Tx,
  id: string,
  { signCount, isBackedUp }: Pick<NewPasskeyRow, 'signCount' | 'isBackedUp'>,
): Promise<void> {
  await tx
    .updateTable('passkeys')
    .set({ sign_count: signCount, is_backed_up: isBackedUp, last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

export const renamePasskey = (
  db: DbOrTx,
  { id, userId, name }: { id: string; userId: number; name: string },
) =>
  db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();

export async function deletePasskey(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('passkeys').where('id', '=', id).execute();
}
