import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/db.ts';

const FACTOR = [
  'active',
  'last_step as lastStep',
  /** Seconds since 1970 by the clock that all processes share. */
  sql<number>`extract(epoch from clock_timestamp())::float8`.as('now'),
] as const;

export type FactorRow = NonNullable<Awaited<ReturnType<typeof findFactor>>>;

export const findFactor = (db: DbOrTx, userId: number) =>
  db.selectFrom('mfa_secrets').select(FACTOR).where('user_id', '=', userId).executeTakeFirst();

/** The lock of this row serialises everything that happens to a user's factor: codes, recovery codes, changes. */
export const lockFactor = (tx: Tx, userId: number): Promise<FactorRow | undefined> =>
  tx.selectFrom('mfa_secrets').select(FACTOR).where('user_id', '=', userId).forUpdate().executeTakeFirst();

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

async function dropPending(tx: Tx, userId: number): Promise<void> {
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

/** Removes the factor with its recovery codes and the keys that wait to be confirmed. `isReset`: withdrawals are held for a while. */
export async function deactivate(tx: Tx, userId: number, { isReset }: { isReset: boolean }): Promise<void> {
  await tx
    .updateTable('mfa_secrets')
    .set({ active: null, enabled_at: null })
    .$if(isReset, (q) => q.set({ reset_at: sql<Date>`now()` }))
    .where('user_id', '=', userId)
    .execute();
  await dropPending(tx, userId);
  await replaceRecoveryCodes(tx, userId, []);
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
export async function setProof(tx: Tx, sessionId: string, method: 'TOTP' | null): Promise<void> {
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
