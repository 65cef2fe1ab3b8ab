import type { SessionUser } from '../../../../http/access.ts';
import { iso } from '../../../../platform/clock.ts';
import { type DbOrTx, type Tx, transaction } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import type { Mail } from '../../../base/mail/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { announceUserChange, getUser, type UserRow } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { authErrors } from '../errors.ts';
import { endTokens } from '../one-time.ts';
import { isJustOpened } from '../queries.ts';
import { type Ending, revokeSessions } from '../revoke-sessions.ts';
import { mfaErrors } from './errors.ts';
import { type Factor, tryOf } from './factor.ts';
import { prove } from './prove.ts';
import type { FactorRow } from './queries.ts';
import * as queries from './queries.ts';
import { readCode } from './rules.ts';
import { newKey, setupOf, stepOf } from './totp.ts';

export type Caller = Pick<SessionUser, 'id' | 'sessionId'>;
type Deps = AuthDeps & { factor: Factor };

/**
 * Creates a pending key, which only this session can see and confirm; asking again replaces it. Throws 409 MFA_ALREADY_ENABLED, and
 * what assertMayAdd throws.
 */
export async function generate(deps: Deps, caller: Caller) {
  const known = await queries.findFactor(deps.db, caller.id);
  assertNoApp(known);
  await assertMayAdd(deps, caller, known);
  const key = await newKey();
  const user = await transaction(deps.db, async (tx) => {
    await queries.ensureFactor(tx, caller.id);
    assertNoApp(await queries.lockFactor(tx, caller.id));
    await queries.setPending(tx, caller.sessionId, deps.factor.seal(key));
    return getUser(tx, caller.id);
  });
  return setup(deps, user, key);
}

/**
 * Enables the app with a code of the session's pending key. Answers ten recovery codes, which are shown only here. Throws 409
 * MFA_NOT_PENDING, 409 MFA_ALREADY_ENABLED, 400 MFA_INVALID, 429 RATE_LIMITED.
 */
export async function enable(deps: Deps, caller: Caller, code: string) {
  const { db, factor } = deps;
  assertNoApp(await queries.findFactor(db, caller.id));
  await getPending(deps, db, caller);
  const guess = { userId: caller.id, at: { sessionId: caller.sessionId }, code };
  await factor.countTry(tryOf(guess));
  const recoveryCodes = await transaction(db, async (tx) => {
    const row = await queries.lockFactor(tx, caller.id);
    assertNoApp(row);
    const key = await getPending(deps, tx, caller);
    const typed = readCode(code);
    const step =
      typed?.kind === 'TOTP' && (await stepOf(factor.open(key), typed.code, { now: row!.now, lastStep: 0n }));
    if (!step) throw commonErrors.MFA_INVALID();
    await holdIfRecovered(tx, caller);
    await queries.activate(tx, caller.id, { key, step });
    await queries.setProof(tx, caller.sessionId, 'TOTP');
    await factorChanged(deps, tx, caller, { change: 'enabled', ending: 'MFA_ENABLED' });
    return factor.renewRecoveryCodes(tx, caller.id);
  });
  await factor.returnTry(tryOf(guess));
  return { success: true, recoveryCodes };
}

/**
 * Disables the app for a session that has just proved a factor or proves it with `code`; passkeys stay. Throws 409 MFA_NOT_ENABLED, 403
 * MFA_REQUIRED, 400 MFA_INVALID, 429 RATE_LIMITED.
 */
export async function disable(deps: Deps, caller: Caller, code: string | undefined) {
  assertApp(await queries.findFactor(deps.db, caller.id));
  await transaction(deps.db, async (tx) => {
    await prove(deps, tx, { userId: caller.id, sessionId: caller.sessionId, code });
    assertApp(await queries.lockFactor(tx, caller.id));
    await holdIfRecovered(tx, caller);
    await queries.deactivate(tx, caller.id);
    await factorChanged(deps, tx, caller, { change: 'disabled', ending: 'MFA_DISABLED' });
  });
  return { success: true };
}

/**
 * Replaces a lost app by a pending one, for a recovery code or a session that was just opened with one. Until the new key is
 * confirmed the user has no app; passkeys stay. Errors as `disable`.
 */
export async function reset(deps: Deps, caller: Caller, recoveryCode: string | undefined) {
  const { db, config, factor } = deps;
  assertApp(await queries.findFactor(db, caller.id));
  const at = { sessionId: caller.sessionId };
  const guess = recoveryCode && { userId: caller.id, at, code: recoveryCode };
  if (guess) await factor.countTry(tryOf(guess));
  const key = await newKey();
  const recovered = { withinSeconds: config.MFA_PROOF_SECONDS, method: 'RECOVERY' } as const;
  const user = await transaction(db, async (tx) => {
    assertApp(await queries.lockFactor(tx, caller.id));
    if (guess) await factor.redeem(tx, guess, ['RECOVERY']);
    else if (!(await queries.hasFreshProof(tx, caller.sessionId, recovered)))
      throw commonErrors.MFA_REQUIRED();
    await queries.deactivate(tx, caller.id);
    await queries.noteReset(tx, caller.id);
    await queries.setPending(tx, caller.sessionId, factor.seal(key));
    await factorChanged(deps, tx, caller, { change: 'reset', ending: 'MFA_RESET' });
    return getUser(tx, caller.id);
  });
  return setup(deps, user, key);
}

/**
 * Removes all second factors of a user, the app and every passkey, with a key that waits to be confirmed and the recovery codes; returns
 * whether there was one in force. As after a recovery code, withdrawals are held for a while. The factor is locked before the user's row:
 * lock it first (`lockFactor`) where that row is locked already.
 */
export async function removeFactor(tx: Tx, userId: number): Promise<boolean> {
  const factor = await queries.lockFactor(tx, userId);
  if (!factor) return false;
  const wasOn = queries.isOn(factor);
  await queries.deactivate(tx, userId);
  await queries.deletePasskeys(tx, userId);
  await queries.replaceRecoveryCodes(tx, userId, []);
  await endTokens(tx, userId, OF_FACTORS);
  if (!wasOn) return false;
  await queries.noteReset(tx, userId);
  await queries.setMfaEnabled(tx, userId, false);
  await announceUserChange(tx, userId);
  return true;
}

/** What was issued for the factors that there were: sign-ins under way, challenges and codes of passkeys. */
const OF_FACTORS = ['MFA', 'PASSKEY_REGISTER', 'PASSKEY_PROVE', 'PASSKEY_CODE'] as const;

/**
 * Who may add a factor: whoever has just proved the one there is, for the first one whoever has just signed in. A thief of a session must
 * neither read a key that its owner is about to confirm nor stay in by a factor of their own. Throws 403 MFA_REQUIRED, 403 SIGN_IN_AGAIN.
 */
export async function assertMayAdd(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  { sessionId }: Caller,
  factor: FactorRow | undefined,
): Promise<void> {
  const withinSeconds = config.MFA_PROOF_SECONDS;
  if (queries.isOn(factor)) {
    if (!(await queries.hasFreshProof(db, sessionId, { withinSeconds }))) throw commonErrors.MFA_REQUIRED();
  } else if (!(await isJustOpened(db, sessionId, withinSeconds))) throw authErrors.SIGN_IN_AGAIN();
}

/** Factors that change in a session which a recovery code has opened are replaced: withdrawals are held for a while. */
export async function holdIfRecovered(tx: Tx, { id, sessionId }: Caller): Promise<void> {
  const { method } = await queries.findProof(tx, sessionId);
  if (method === 'RECOVERY') await queries.noteReset(tx, id);
}

type OfApp = 'enabled' | 'disabled' | 'reset' | 'recovery-code-used';
type OfPasskeys = 'passkey-added' | 'passkey-removed' | 'passkey-copied';
/** What the owner is told; `passkey` is its name. */
export type FactorChange = { change: OfApp; passkey?: string } | { change: OfPasskeys; passkey: string };

/** After factors were changed: ends the user's other sessions and what was issued for the factors before, and notifies them. */
export async function factorChanged(
  { mail }: Pick<Deps, 'mail'>,
  tx: Tx,
  { id, sessionId }: Caller,
  { ending, ...change }: FactorChange & { ending: Ending },
): Promise<void> {
  const isOn = queries.isOn(await queries.findFactor(tx, id));
  await queries.setMfaEnabled(tx, id, isOn);
  if (!isOn) {
    await queries.replaceRecoveryCodes(tx, id, []);
    await queries.setProof(tx, sessionId, null);
  }
  await endTokens(tx, id, OF_FACTORS);
  await revokeSessions(tx, id, ending, sessionId);
  await announceUserChange(tx, id);
  await notifyOwner(mail, tx, await getUser(tx, id), change);
}

/** Tells users what happened to their second factors once `tx` commits: by notification, and by mail if they have an address. */
export async function notifyOwner(
  mail: Mail,
  tx: Tx,
  { id, email, language }: UserRow,
  { change, passkey }: FactorChange,
): Promise<void> {
  if (isOfPasskeys(change)) await notify(tx, id, `security.${change}`, { name: passkey! });
  else await notify(tx, id, `security.mfa-${change}`, {});
  if (email === null) return;
  const data = { change, at: iso(new Date()), passkey: passkey ?? null };
  await mail.send(tx, { to: email, language, template: 'mfa-changed', data });
}

const isOfPasskeys = (change: OfApp | OfPasskeys): change is OfPasskeys => change.startsWith('passkey-');

const setup = ({ config }: Deps, { email, username, id }: UserRow, key: string) =>
  setupOf(key, { brand: config.BRAND_NAME, account: email ?? username ?? String(id) });

/** Throws 409 MFA_NOT_PENDING. */
async function getPending({ config }: Deps, at: DbOrTx, { sessionId }: Caller): Promise<Buffer> {
  const key = await queries.findPending(at, sessionId, config.MFA_PENDING_SECONDS);
  if (!key) throw mfaErrors.MFA_NOT_PENDING();
  return key;
}

function assertNoApp(row: FactorRow | undefined): void {
  if (row?.active) throw mfaErrors.MFA_ALREADY_ENABLED();
}

function assertApp(row: FactorRow | undefined): void {
  if (!row?.active) throw mfaErrors.MFA_NOT_ENABLED();
}
