import { sql } from 'kysely';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import type { Mail } from '../../../base/mail/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { announceUserChange, getUser, type UserRow } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { authMessages } from '../messages.ts';
import { endTokens } from '../one-time-tokens.ts';
import { authErrors } from '../schemas.ts';
import { type Ending, isJustOpened, revokeSessions } from '../sessions/end.ts';
import type { Caller, FactorRow } from './queries.ts';
import * as queries from './queries.ts';

/**
 * Removes all second factors of a user: the app, every passkey, pending keys and recovery codes. Returns true if any factor was on.
 * Withdrawals are then put on hold for a while, as after the use of a recovery code. Locks the factor before the user's row. If the caller
 * has to lock that row, it must call `lockFactor` first.
 */
export async function removeFactor(tx: Tx, userId: number): Promise<boolean> {
  const factor = await queries.lockFactor(tx, userId);
  if (!factor) return false;
  const wasOn = queries.isOn(factor);
  await queries.deactivate(tx, userId);
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute();
  await queries.replaceRecoveryCodes(tx, userId, []);
  await endTokens(tx, userId, FACTOR_TOKENS);
  if (!wasOn) return false;
  await queries.recordReset(tx, userId);
  await setMfaEnabled(tx, userId, false);
  await announceUserChange(tx, userId);
  return true;
}

/** Tokens that become invalid when the factors change: unfinished sign-ins, and challenges and codes of passkeys. */
const FACTOR_TOKENS = ['MFA', 'PASSKEY_REGISTER', 'PASSKEY_PROVE', 'PASSKEY_CODE'] as const;

/**
 * Asserts that a session may add a factor. This requires a recent proof of an existing factor or, for the first factor, a recent sign-in.
 * The thief of a session must not be able to read a key that the owner is about to confirm, or to keep access by adding another factor.
 * Throws 403 MFA_REQUIRED and 403 SIGN_IN_AGAIN.
 */
export async function assertMayAdd(
  { db, config }: Pick<AuthDeps, 'db' | 'config'>,
  { sessionId }: Caller,
  factor: FactorRow | undefined,
): Promise<void> {
  const withinSeconds = config.MFA_PROOF_SECONDS;
  if (queries.isOn(factor)) {
    if (!(await queries.hasFreshProof(db, sessionId, { withinSeconds }))) throw commonErrors.MFA_REQUIRED();
  } else if (!(await isJustOpened(db, sessionId, withinSeconds))) throw authErrors.SIGN_IN_AGAIN();
}

/**
 * Puts withdrawals on hold for a while if the session was started with a recovery code, because changing the factors is then treated as a
 * reset.
 */
export async function holdIfRecovered(tx: Tx, { id, sessionId }: Caller): Promise<void> {
  const { method } = await queries.findProof(tx, sessionId);
  if (method === 'RECOVERY') await queries.recordReset(tx, id);
}

type AppChange = 'enabled' | 'disabled' | 'reset' | 'recovery-code-used';
type PasskeyChange = 'passkey-added' | 'passkey-removed' | 'passkey-copied';
/** The change about which the owner is notified. `passkey` is the passkey's name. */
export type FactorChange =
  | { change: AppChange; passkey?: string }
  | { change: PasskeyChange; passkey: string };

/**
 * Runs after the factors have changed: ends the user's other sessions and the tokens issued for the previous factors, and notifies the
 * user.
 */
export async function factorChanged(
  { mail }: Pick<AuthDeps, 'mail'>,
  tx: Tx,
  { id, sessionId }: Caller,
  { ending, ...change }: FactorChange & { ending: Ending },
): Promise<void> {
  const isOn = queries.isOn(await queries.findFactor(tx, id));
  await setMfaEnabled(tx, id, isOn);
  if (!isOn) {
    await queries.replaceRecoveryCodes(tx, id, []);
    await queries.deleteProof(tx, sessionId);
  }
  await endTokens(tx, id, FACTOR_TOKENS);
  await revokeSessions(tx, id, ending, sessionId);
  await announceUserChange(tx, id);
  await notifyOwner(mail, tx, await getUser(tx, id), change);
}

/** Notifies a user of a change to their second factors once `tx` commits: in the app, and also by email if the user has an address. */
export async function notifyOwner(
  mail: Mail,
  tx: Tx,
  { id, email, language }: UserRow,
  { change, passkey }: FactorChange,
): Promise<void> {
  if (isPasskeyChange(change)) await notify(tx, id, authMessages[`security.${change}`], { name: passkey! });
  else await notify(tx, id, authMessages[`security.mfa-${change}`], {});
  if (email === null) return;
  const data = { change, at: iso(new Date()), passkey: passkey ?? null };
  await mail.send(tx, { to: email, language, template: 'mfa-changed', data });
}

const isPasskeyChange = (change: AppChange | PasskeyChange): change is PasskeyChange =>
  change.startsWith('passkey-');

async function setMfaEnabled(tx: Tx, userId: number, isEnabled: boolean): Promise<void> {
  await tx
    .updateTable('users')
    .set({ is_mfa_enabled: isEnabled, updated_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .execute();
}
