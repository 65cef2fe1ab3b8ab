import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import type { SessionEnds } from '../sessions/end.ts';

/** The user who makes the request, and the user's session. */
export type Caller = { id: number; sessionId: string };

const FACTOR = [
  /** The encrypted key of the authenticator app; null if the app is off. */
  'active',
  'last_step as lastStep',
  /** The Unix time in seconds according to the database. */
  sql<number>`extract(epoch from clock_timestamp())::float8`.as('now'),
  sql<number>`(select count(*)::int from passkeys p where p.user_id = mfa_secrets.user_id)`.as('passkeys'),
] as const;

export type FactorRow = NonNullable<Awaited<ReturnType<typeof findFactor>>>;

/** Returns the second factors of a user, or undefined if the user has never set one up. */
export const findFactor = (db: DbOrTx, userId: number) =>
  db.selectFrom('mfa_secrets').select(FACTOR).where('user_id', '=', userId).executeTakeFirst();

/** Returns true if the user has a second factor: the app or a passkey. */
export const isOn = (factor: Pick<FactorRow, 'active' | 'passkeys'> | undefined): boolean =>
  factor !== undefined && (factor.active !== null || factor.passkeys > 0);

/** Locks the row that serializes all uses and changes of a user's factors: app codes, recovery codes and passkeys. */
export async function lockFactor(tx: Tx, userId: number): Promise<FactorRow | undefined> {
  const locked = await tx
    .selectFrom('mfa_secrets')
    .select('user_id')
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
  // Reads the factors in a separate statement. The statement that waited for the lock would not return passkeys that were added in the
  // meantime.
  return locked && findFactor(tx, userId);
}

export async function ensureFactor(tx: Tx, userId: number): Promise<void> {
  await tx
    .insertInto('mfa_secrets')
    .values({ user_id: userId })
    .onConflict((c) => c.doNothing())
    .execute();
}

/** Deletes the unconfirmed keys of all sessions of a user. */
export async function dropPending(tx: Tx, userId: number): Promise<void> {
  const own = tx.selectFrom('sessions').select('id').where('user_id', '=', userId);
  await tx.deleteFrom('pending_factors').where('session_id', 'in', own).execute();
}

/** Removes the app and all unconfirmed keys. */
export async function deactivate(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('mfa_secrets')
    .set({ active: null, enabled_at: null })
    .where('user_id', '=', userId)
    .execute();
  await dropPending(tx, userId);
}

/** Records that a factor was replaced without a proof of the previous one. Withdrawals are then put on hold for a while. */
export async function recordReset(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('mfa_secrets')
    .set({ reset_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .execute();
}

export async function countRecoveryCodes(db: DbOrTx, userId: number): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)::int`.as('left'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return left;
}

export async function replaceRecoveryCodes(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (hashes.length === 0) return;
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute();
}

/** Returns how a session has proven the second factor, and how long ago. */
export async function findProof(db: DbOrTx, sessionId: string) {
  const row = await db
    .selectFrom('sessions')
    .select([
      'mfa_method as method',
      sql<number | null>`extract(epoch from clock_timestamp() - mfa_at)::float8`.as('ageSeconds'),
    ])
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row ?? { method: null, ageSeconds: null };
}

/**
 * Returns true if a session has proven the second factor within this number of seconds. If `method` is given, only proofs with that method
 * count.
 */
export async function hasFreshProof(
  db: DbOrTx,
  sessionId: string,
  { withinSeconds, method }: { withinSeconds: number; method?: 'RECOVERY' },
): Promise<boolean> {
  const proof = await findProof(db, sessionId);
  const isFresh = proof.ageSeconds !== null && proof.ageSeconds <= withinSeconds;
  return isFresh && (method === undefined || proof.method === method);
}

/** Records that a session has just proven the second factor. Throws 401 UNAUTHORIZED if the session has ended in the meantime. */
export async function setProof(
  tx: Tx,
  ends: SessionEnds,
  { sessionId, method }: { sessionId: string; method: 'TOTP' | 'PASSKEY' },
): Promise<void> {
  const session = await tx
    .updateTable('sessions')
    .from('users')
    .set({ mfa_method: method, mfa_at: sql<Date>`now()` })
    .whereRef('users.id', '=', 'sessions.user_id')
    .where('sessions.id', '=', sessionId)
    .where(ends.isLive)
    .returning('sessions.id')
    .executeTakeFirst();
  if (!session) throw commonErrors.UNAUTHORIZED();
}

export async function deleteProof(tx: Tx, sessionId: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ mfa_method: null, mfa_at: null })
    .where('id', '=', sessionId)
    .execute();
}
