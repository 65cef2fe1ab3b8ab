import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import { type Tx, transaction } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { getUser, type UserRow } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { authErrors } from '../errors.ts';
import { assertMayAdd, type Caller, factorChanged, holdIfRecovered, notifyOwner } from '../mfa/change.ts';
import type { Factor } from '../mfa/factor.ts';
import { prove } from '../mfa/prove.ts';
import {
  countRecoveryCodes,
  dropPending,
  ensureFactor,
  type FactorRow,
  findFactor,
  hasFreshProof,
  isOn,
  lockFactor,
  setProof,
} from '../mfa/queries.ts';
import { findChallenge, issueChallenge, takeChallenge, wasteChallenge } from './challenge.ts';
import { passkeyErrors } from './errors.ts';
import { handleOf } from './handle.ts';
import * as queries from './queries.ts';
import type { NewPasskey, Passkey, RegistrationOptions } from './schemas.ts';
import { ALGORITHMS, verifyRegistration } from './webauthn.ts';

export type PasskeyDeps = AuthDeps & { factor: Factor };

/** More than anybody has devices; each of them is offered at every sign-in. */
const MOST = 20;

/** The second factors of a user. */
export async function list({ db }: PasskeyDeps, { id }: Caller) {
  const [passkeys, factor, recoveryCodesLeft] = await Promise.all([
    queries.listPasskeys(db, id),
    findFactor(db, id),
    countRecoveryCodes(db, id),
  ]);
  return { passkeys: passkeys.map(shownOf), isAppEnabled: factor?.active != null, recoveryCodesLeft };
}

/** What a browser needs to make a passkey. Throws as assertMayAdd, 400 PASSWORD_TEMPORARY, 409 PASSKEY_LIMIT. */
export async function registrationOptions(
  deps: PasskeyDeps,
  caller: Caller,
): Promise<z.input<typeof RegistrationOptions>> {
  const { db, config } = deps;
  const user = await getUser(db, caller.id);
  await assertMayAdd(deps, caller, await findFactor(db, caller.id));
  assertOwnPassword(user);
  const passkeys = await queries.listPasskeys(db, caller.id);
  assertFew(passkeys.length);
  const holder = { sessionId: caller.sessionId };
  const challenge = await issueChallenge(db, config, {
    ceremony: 'PASSKEY_REGISTER',
    userId: caller.id,
    holder,
  });
  const name = user.email ?? user.username ?? String(user.id);
  return {
    rp: { id: config.PASSKEY_RP_ID, name: config.BRAND_NAME },
    user: { id: handleOf(config, user.id), name, displayName: user.username ?? name },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: config.PASSKEY_CHALLENGE_SECONDS * 1000,
    excludeCredentials: passkeys.map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  };
}

/**
 * Adds a passkey. With the first second factor of an account it answers ten recovery codes, and every other session ends. Throws 400
 * PASSKEY_CHALLENGE_INVALID, 400 PASSKEY_INVALID, 403 MFA_REQUIRED, 409 PASSKEY_EXISTS, 409 PASSKEY_LIMIT, 429 RATE_LIMITED.
 */
export async function register(
  deps: PasskeyDeps,
  caller: Caller,
  { name, response }: z.output<typeof NewPasskey>,
) {
  const { db, factor } = deps;
  const { id: userId, sessionId } = caller;
  const attempt = { userId, at: { sessionId }, kind: 'PASSKEY' } as const;
  await factor.countTry(attempt);
  const challenge = await findChallenge(db, {
    ceremony: 'PASSKEY_REGISTER',
    holder: { sessionId },
    clientDataJSON: response.response.clientDataJSON,
  });
  const made = await verifyRegistration(deps, response, challenge.text);
  if (!made) {
    await wasteChallenge(db, challenge);
    throw passkeyErrors.PASSKEY_INVALID();
  }
  const added = await transaction(db, async (tx) => {
    await ensureFactor(tx, userId);
    const before = await lockFactor(tx, userId);
    // Whatever changed the factors meanwhile has ended the challenge.
    await takeChallenge(tx, challenge);
    await assertStillProven(deps, tx, caller, before);
    assertFew(before!.passkeys);
    const passkey = await queries.insertPasskey(tx, { userId, name, ...made });
    if (!passkey) throw passkeyErrors.PASSKEY_EXISTS();
    await holdIfRecovered(tx, caller);
    if (!isOn(before)) return { passkey, recoveryCodes: await turnOn(deps, tx, caller, name) };
    await notifyOwner(deps.mail, tx, await getUser(tx, userId), { change: 'passkey-added', passkey: name });
    return { passkey };
  });
  await factor.returnTry(attempt);
  return { ...added, passkey: shownOf(added.passkey) };
}

/** A factor that another session has turned on since the options were asked for has not been proven in this one. */
async function assertStillProven(
  { config }: PasskeyDeps,
  tx: Tx,
  { sessionId }: Caller,
  before: FactorRow | undefined,
): Promise<void> {
  const withinSeconds = config.MFA_PROOF_SECONDS + config.PASSKEY_CHALLENGE_SECONDS;
  if (isOn(before) && !(await hasFreshProof(tx, sessionId, { withinSeconds })))
    throw commonErrors.MFA_REQUIRED();
}

/** The first second factor of an account. A key of an app that waits to be confirmed does not outlive it. */
async function turnOn(deps: PasskeyDeps, tx: Tx, caller: Caller, passkey: string): Promise<string[]> {
  await dropPending(tx, caller.id);
  await setProof(tx, caller.sessionId, 'PASSKEY');
  await factorChanged(deps, tx, caller, { change: 'passkey-added', passkey, ending: 'MFA_ENABLED' });
  return deps.factor.renewRecoveryCodes(tx, caller.id);
}

/** Throws 404 PASSKEY_NOT_FOUND. */
export async function rename({ db }: PasskeyDeps, { id: userId }: Caller, id: string, name: string) {
  const passkey = await queries.renamePasskey(db, { id, userId, name });
  if (!passkey) throw passkeyErrors.PASSKEY_NOT_FOUND();
  return shownOf(passkey);
}

/**
 * Removes a passkey for a session that has just proved a factor or proves it with `code`; every other session ends. With the last factor
 * the recovery codes go. Throws 404 PASSKEY_NOT_FOUND, 403 MFA_REQUIRED, 400 MFA_INVALID, 429 RATE_LIMITED, 409 LAST_FACTOR for staff.
 */
export async function remove(
  deps: PasskeyDeps,
  caller: Caller,
  { id, code }: { id: string; code: string | undefined },
) {
  const { db, config } = deps;
  const own = { id, userId: caller.id };
  if (!(await queries.findOwn(db, own))) throw passkeyErrors.PASSKEY_NOT_FOUND();
  await transaction(db, async (tx) => {
    await prove(deps, tx, { userId: caller.id, sessionId: caller.sessionId, code });
    const before = await lockFactor(tx, caller.id);
    const passkey = await queries.findOwn(tx, own);
    if (!passkey || !before) throw passkeyErrors.PASSKEY_NOT_FOUND();
    const isLast = before.active === null && before.passkeys === 1;
    if (isLast && config.STAFF_MFA_REQUIRED && (await getUser(tx, caller.id)).is_staff)
      throw passkeyErrors.LAST_FACTOR();
    await holdIfRecovered(tx, caller);
    await queries.deletePasskey(tx, id);
    const what = isLast
      ? ({ change: 'disabled', ending: 'MFA_DISABLED' } as const)
      : ({ change: 'passkey-removed', ending: 'PASSKEY_REMOVED' } as const);
    await factorChanged(deps, tx, caller, { ...what, passkey: passkey.name });
  });
  return { success: true };
}

/** A passkey signs in by itself: that of the person who made up the password would outlive it. */
function assertOwnPassword(user: UserRow): void {
  if (user.password_is_temporary) throw authErrors.PASSWORD_TEMPORARY();
}

function assertFew(passkeys: number): void {
  if (passkeys >= MOST) throw passkeyErrors.PASSKEY_LIMIT({ max: MOST });
}

/** How an authenticator recognises a passkey of its own. */
export const descriptorOf = ({ credential_id, transports }: queries.PasskeyRow) => ({
  id: credential_id.toString('base64url'),
  type: 'public-key' as const,
  transports,
});

const shownOf = (row: queries.PasskeyRow): z.input<typeof Passkey> => ({
  id: row.id,
  name: row.name,
  isBackedUp: row.is_backed_up,
  createdAt: iso(row.created_at),
  lastUsedAt: row.last_used_at && iso(row.last_used_at),
});
