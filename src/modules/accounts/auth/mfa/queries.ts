import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/db.ts';

const FACTOR = [
  /** The key of the authenticator app, if one is in force. */
  'active',
  'last_step as lastStep',
  /** Seconds since 1970 by the clock that all processes share. */
  sql<number>`extract(epoch from clock_timestamp())::float8`.as('now'),
  sql<number>`(select count(*)::int from passkeys p where p.user_id = mfa_secrets.user_id)`.as('passkeys'),
] as const;

export type FactorRow = NonNullable<Awaited<ReturnType<typeof findFactor>>>;

/** The second factors of a user: undefined for one who never set any up. */
export const findFactor = (db: DbOrTx, userId: number) =>
  db.selectFrom('mfa_secrets').select(FACTOR).where('user_id', '=', userId).executeTakeFirst();

/** Whether the user has a second factor: an app or a passkey. */
export const isOn = (factor: Pick<FactorRow, 'active' | 'passkeys'> | undefined): boolean =>
  factor !== undefined && (factor.active !== null || factor.passkeys > 0);

/** The lock of this row serialises everything that happens to a user's factors: codes, recovery codes, passkeys, changes. */
export async function lockFactor(tx: Tx, userId: number): Promise<FactorRow | undefined> {
  const locked = await tx
    .selectFrom('mfa_secrets')
    .select('user_id')
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
  // In a statement of its own: one that had to wait for the lock would count the passkeys that there were before.
  return locked && findFactor(tx, userId);
}

export async function ensureFactor(tx: Tx, userId: number): Promise<void> {
  await tx
    .insertInto('mfa_secrets')
    .values({ user_id: userId })
    .onConflict((c) => c.doNothing())
    .execute();
}

/** The key that waits to be confirmed by this session, unless it is older than these seconds. */
export async function findPending(
  db: DbOrTx,
  sessionId: string,
  lifeSeconds: number,
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('pending_factors')
    .select('key')
    .where('session_id', '=', sessionId)
    .where(sql<boolean>`created_at > now() - make_interval(secs => ${lifeSeconds})`)
    .executeTakeFirst();
  return row?.key;
}

/** Stores a key for this session to confirm, in place of the one that it had. */
export async function setPending(tx: Tx, sessionId: string, key: Buffer): Promise<void> {
  await tx
    .insertInto('pending_factors')
    .values({ session_id: sessionId, key })
    .onConflict((c) => c.column('session_id').doUpdateSet({ key, created_at: sql<Date>`now()` }))
    .execute();
}

/** Deletes the keys that wait to be confirmed by any session of a user. */
export async function dropPending(tx: Tx, userId: number): Promise<void> {
  const own = tx.selectFrom('sessions').select('id').where('user_id', '=', userId);
  await tx.deleteFrom('pending_factors').where('session_id', 'in', own).execute();
}

/** Puts the key in force and deletes all pending ones; `step` is the time step of the code that proved it. */
export async function activate(
  tx: Tx,
  userId: number,
  { key, step }: { key: Buffer; step: bigint },
): Promise<void> {
  await tx
    .updateTable('mfa_secrets')
    .set({ active: key, last_step: step, enabled_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .execute();
  await dropPending(tx, userId);
}

/** Removes the app, and the keys that wait to be confirmed. */
export async function deactivate(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('mfa_secrets')
    .set({ active: null, enabled_at: null })
    .where('user_id', '=', userId)
    .execute();
  await dropPending(tx, userId);
}

/** Notes that a factor was replaced without the one before: withdrawals are held for a while. */
export async function noteReset(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('mfa_secrets')
    .set({ reset_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .execute();
}

/** Deletes all passkeys of a user. */
export async function deletePasskeys(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute();
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

/** Uses a time step up; false when it or a later one has been used. */
export async function takeStep(tx: Tx, userId: number, step: bigint): Promise<boolean> {
  const taken = await tx
    .updateTable('mfa_secrets')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst();
  return taken !== undefined;
}

export async function replaceRecoveryCodes(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (hashes.length === 0) return;
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute();
}

/** Uses a recovery code up; false when there is no such code or it has been used. */
export async function takeRecoveryCode(tx: Tx, userId: number, hash: Buffer): Promise<boolean> {
  const taken = await tx
    .updateTable('recovery_codes')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  return taken !== undefined;
}

/** How and how long ago a session proved the second factor. */
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

/** Whether a session has proved the second factor within these seconds; with `method`, in this way. */
export async function hasFreshProof(
  db: DbOrTx,
  sessionId: string,
  { withinSeconds, method }: { withinSeconds: number; method?: 'RECOVERY' },
): Promise<boolean> {
  const proof = await findProof(db, sessionId);
  const isFresh = proof.ageSeconds !== null && proof.ageSeconds <= withinSeconds;
  return isFresh && (method === undefined || proof.method === method);
}

/** Records that a session has just proved the second factor, or (null) that its proof no longer counts. */
export async function setProof(tx: Tx, sessionId: string, method: 'TOTP' | 'PASSKEY' | null): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ mfa_method: method, mfa_at: method && sql<Date>`now()` })
    .where('id', '=', sessionId)
    .execute();
}

export async function setMfaEnabled(tx: Tx, userId: number, isEnabled: boolean): Promise<void> {
  await tx
    .updateTable('users')
    .set({ is_mfa_enabled: isEnabled, updated_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .execute();
}
