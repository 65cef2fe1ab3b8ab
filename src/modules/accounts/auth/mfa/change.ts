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
import { revokeSessions } from '../revoke-sessions.ts';
import { mfaErrors } from './errors.ts';
import type { Factor } from './factor.ts';
import { prove } from './prove.ts';
import type { FactorRow } from './queries.ts';
import * as queries from './queries.ts';
import { readCode } from './rules.ts';
import { newKey, setupOf, stepOf } from './totp.ts';

export type Caller = Pick<SessionUser, 'id' | 'sessionId'>;
type Deps = AuthDeps & { factor: Factor };

/**
 * Creates a pending key, which only this session can see and confirm; asking again replaces it. Throws 409 MFA_ALREADY_ENABLED, and
 * 403 SIGN_IN_AGAIN for a session that was not just opened: a thief of a session must neither read the key that its owner is about to
 * confirm nor lock them out with another.
 */
export async function generate(deps: Deps, caller: Caller) {
  await assertMayGenerate(deps, caller);
  const key = await newKey();
  const user = await transaction(deps.db, async (tx) => {
    await queries.ensureFactor(tx, caller.id);
    assertNotEnabled(await queries.lockFactor(tx, caller.id));
    await queries.setPending(tx, caller.sessionId, deps.factor.seal(key));
    return getUser(tx, caller.id);
  });
  return setup(deps, user, key);
}

/**
 * Enables the factor with a code of the session's pending key. Answers ten recovery codes, which are shown only here. Throws 409
 * MFA_NOT_PENDING, 409 MFA_ALREADY_ENABLED, 400 MFA_INVALID, 429 RATE_LIMITED.
 */
export async function enable(deps: Deps, caller: Caller, code: string) {
  const { db, factor } = deps;
  assertNotEnabled(await queries.findFactor(db, caller.id));
  await getPending(deps, db, caller);
  const guess = { userId: caller.id, at: { sessionId: caller.sessionId }, code };
  await factor.countTry(guess);
  const recoveryCodes = await transaction(db, async (tx) => {
    const { now } = assertNotEnabled(await queries.lockFactor(tx, caller.id));
    const key = await getPending(deps, tx, caller);
    const typed = readCode(code);
    const step =
      typed?.kind === 'TOTP' && (await stepOf(factor.open(key), typed.code, { now, lastStep: 0n }));
    if (!step) throw commonErrors.MFA_INVALID();
    await queries.activate(tx, caller.id, { key, step });
    await factorChanged(deps, tx, caller, 'enabled');
    return factor.renewRecoveryCodes(tx, caller.id);
  });
  await factor.returnTry(guess);
  return { success: true, recoveryCodes };
}

/**
 * Disables the factor for a session that has just proved it or proves it with `code`. Throws 409 MFA_NOT_ENABLED, 403 MFA_REQUIRED,
 * 400 MFA_INVALID, 429 RATE_LIMITED.
 */
export async function disable(deps: Deps, caller: Caller, code: string | undefined) {
  assertEnabled(await queries.findFactor(deps.db, caller.id));
  await transaction(deps.db, async (tx) => {
    await prove(deps, tx, { userId: caller.id, sessionId: caller.sessionId, code });
    assertEnabled(await queries.lockFactor(tx, caller.id));
    await queries.deactivate(tx, caller.id, { isReset: false });
    await factorChanged(deps, tx, caller, 'disabled');
  });
  return { success: true };
}

/**
 * Replaces a lost factor by a pending one, for a recovery code or a session that was just opened with one. Until the new key is
 * confirmed the user has no factor. Errors as `disable`.
 */
export async function reset(deps: Deps, caller: Caller, recoveryCode: string | undefined) {
  const { db, config, factor } = deps;
  assertEnabled(await queries.findFactor(db, caller.id));
  const at = { sessionId: caller.sessionId };
  const guess = recoveryCode && { userId: caller.id, at, code: recoveryCode };
  if (guess) await factor.countTry(guess);
  const key = await newKey();
  const recovered = { withinSeconds: config.MFA_PROOF_SECONDS, method: 'RECOVERY' } as const;
  const user = await transaction(db, async (tx) => {
    assertEnabled(await queries.lockFactor(tx, caller.id));
    if (guess) await factor.redeem(tx, guess, ['RECOVERY']);
    else if (!(await queries.hasFreshProof(tx, caller.sessionId, recovered)))
      throw commonErrors.MFA_REQUIRED();
    await queries.deactivate(tx, caller.id, { isReset: true });
    await queries.setPending(tx, caller.sessionId, factor.seal(key));
    await factorChanged(deps, tx, caller, 'reset');
    return getUser(tx, caller.id);
  });
  return setup(deps, user, key);
}

/**
 * Removes a user's second factor, with one that waits to be confirmed and the recovery codes; returns whether there was one in force.
 * As after a recovery code, withdrawals are held for a while. The factor is locked before the user's row: lock it first (`lockFactor`)
 * where that row is locked already.
 */
export async function removeFactor(tx: Tx, userId: number): Promise<boolean> {
  const factor = await queries.lockFactor(tx, userId);
  if (!factor) return false;
  const isReset = factor.active !== null;
  await queries.deactivate(tx, userId, { isReset });
  await endTokens(tx, userId, ['MFA']);
  if (!isReset) return false;
  await queries.setMfaEnabled(tx, userId, false);
  await announceUserChange(tx, userId);
  return true;
}

const ENDINGS = { enabled: 'MFA_ENABLED', disabled: 'MFA_DISABLED', reset: 'MFA_RESET' } as const;
type Change = keyof typeof ENDINGS;

/** Ends the user's other sessions and unfinished sign-ins, and notifies them. */
async function factorChanged(
  { mail }: Deps,
  tx: Tx,
  { id, sessionId }: Caller,
  change: Change,
): Promise<void> {
  const isEnabled = change === 'enabled';
  await queries.setMfaEnabled(tx, id, isEnabled);
  await queries.setProof(tx, sessionId, isEnabled ? 'TOTP' : null);
  await endTokens(tx, id, ['MFA']);
  await revokeSessions(tx, id, ENDINGS[change], sessionId);
  await announceUserChange(tx, id);
  await notifyOwner(mail, tx, await getUser(tx, id), change);
}

/** Tells users what happened to their second factor once `tx` commits: by notification, and by mail if they have an address. */
export async function notifyOwner(
  mail: Mail,
  tx: Tx,
  { id, email, language }: UserRow,
  change: Change | 'recovery-code-used',
): Promise<void> {
  await notify(tx, id, `security.mfa-${change}`, {});
  if (email === null) return;
  const data = { change, at: iso(new Date()) };
  await mail.send(tx, { to: email, language, template: 'mfa-changed', data });
}

const setup = ({ config }: Deps, { email, username, id }: UserRow, key: string) =>
  setupOf(key, { brand: config.BRAND_NAME, account: email ?? username ?? String(id) });

/** Throws 409 MFA_NOT_PENDING. */
async function getPending({ config }: Deps, at: DbOrTx, { sessionId }: Caller): Promise<Buffer> {
  const key = await queries.findPending(at, sessionId, config.MFA_PENDING_SECONDS);
  if (!key) throw mfaErrors.MFA_NOT_PENDING();
  return key;
}

async function assertMayGenerate({ db, config }: Deps, { id, sessionId }: Caller): Promise<void> {
  if ((await queries.findFactor(db, id))?.active) throw mfaErrors.MFA_ALREADY_ENABLED();
  if (!(await isJustOpened(db, sessionId, config.MFA_PROOF_SECONDS))) throw authErrors.SIGN_IN_AGAIN();
}

function assertNotEnabled(row: FactorRow | undefined): Pick<FactorRow, 'now'> {
  if (row?.active) throw mfaErrors.MFA_ALREADY_ENABLED();
  if (!row) throw mfaErrors.MFA_NOT_PENDING();
  return row;
}

function assertEnabled(row: FactorRow | undefined): void {
  if (!row?.active) throw mfaErrors.MFA_NOT_ENABLED();
}
