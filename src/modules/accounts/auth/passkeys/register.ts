import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object, strictObject } from '../../../../http/schemas.ts';
import { type Tx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { newId } from '../../../../platform/ids.ts';
import { getUser, type UserRow } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { authErrors, passkeyErrors } from '../schemas.ts';
import { assertMayAdd, factorChanged, holdIfRecovered, notifyOwner } from '../second-factor/changes.ts';
import {
  type Caller,
  dropPending,
  ensureFactor,
  type FactorRow,
  findFactor,
  hasFreshProof,
  isOn,
  lockFactor,
  setProof,
} from '../second-factor/queries.ts';
import { holdLive } from '../sessions/end.ts';
import {
  consumeChallenge,
  discardChallenge,
  findChallenge,
  handleOf,
  issueChallenge,
  listPasskeys,
  Passkey,
  PasskeyDescriptor,
  PasskeyName,
  toDescriptor,
  toPasskey,
} from './options.ts';
import { ALGORITHMS, type Credential, RegistrationResponse, verifyRegistration } from './webauthn.ts';

const own = { method: 'POST', tag: 'Passkeys', access: 'auth', gate: 'none' } as const;
const { PASSKEY_CHALLENGE_INVALID, PASSKEY_EXISTS, PASSKEY_INVALID, PASSKEY_LIMIT } = passkeyErrors;

/** The number of passkeys per user is limited, because the second step of every sign-in sends the credential ids of all of them. */
const MAX_PASSKEYS = 20;

/** The input of `PublicKeyCredential.parseCreationOptionsFromJSON`. */
const RegistrationOptions = object('PasskeyRegistrationOptions', {
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number().int() })),
  timeout: z.number().int(),
  excludeCredentials: z.array(PasskeyDescriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
});

export const getRegistrationOptions = operation({
  ...own,
  path: '/user/passkeys/registration/options',
  summary: 'Start adding a passkey',
  description:
    'Requires a session started within the last few minutes or, if you have a second factor, a recent second-factor check. Pass ' +
    'the response to `navigator.credentials.create`. Its challenge can be used once, in this session, within five minutes.',
  response: RegistrationOptions,
  errors: [authErrors.SIGN_IN_AGAIN, commonErrors.MFA_REQUIRED, authErrors.PASSWORD_TEMPORARY, PASSKEY_LIMIT],
  handler: async (deps: AuthDeps, { user: caller }) => {
    const { db, config } = deps;
    const user = await getUser(db, caller.id);
    await assertMayAdd(deps, caller, await findFactor(db, caller.id));
    assertOwnPassword(user);
    const passkeys = await listPasskeys(db, caller.id);
    assertBelowLimit(passkeys.length);
    const challenge = await issueChallenge(db, config, {
      ceremony: 'PASSKEY_REGISTER',
      userId: caller.id,
      holder: { sessionId: caller.sessionId },
    });
    const name = user.email ?? user.username ?? String(user.id);
    return {
      rp: { id: config.PASSKEY_RP_ID, name: config.BRAND_NAME },
      user: { id: handleOf(config, user.id), name, displayName: user.username ?? name },
      challenge,
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
      timeout: config.PASSKEY_CHALLENGE_SECONDS * 1000,
      excludeCredentials: passkeys.map(toDescriptor),
      authenticatorSelection: {
        residentKey: 'required' as const,
        requireResidentKey: true as const,
        userVerification: 'required' as const,
      },
      attestation: 'none' as const,
    };
  },
});

const PasskeyAdded = object('PasskeyAdded', {
  passkey: Passkey,
  recoveryCodes: z.array(z.string()).optional().meta({
    description:
      'Ten recovery codes. They are returned only when the first second factor is added, and are never shown again.',
  }),
});

export const registerPasskey = operation({
  ...own,
  path: '/user/passkeys',
  summary: 'Add the passkey created by the browser',
  description:
    'The passkey can be used to sign in without a password, and as a second factor after a password. If it is the first second factor of ' +
    'the account, the response contains ten recovery codes, shown only once, and every other session ends.',
  body: strictObject('NewPasskey', { name: PasskeyName, response: RegistrationResponse }),
  response: PasskeyAdded,
  errors: [
    PASSKEY_CHALLENGE_INVALID,
    PASSKEY_INVALID,
    commonErrors.MFA_REQUIRED,
    PASSKEY_EXISTS,
    PASSKEY_LIMIT,
    commonErrors.RATE_LIMITED,
  ],
  handler: async (deps: AuthDeps, { user: caller, body: { name, response } }) => {
    const { db, factor } = deps;
    const { id: userId, sessionId } = caller;
    const attempt = { userId, at: { sessionId }, kind: 'PASSKEY' } as const;
    await factor.countTry(attempt);
    const challenge = await findChallenge(db, {
      ceremony: 'PASSKEY_REGISTER',
      holder: { sessionId },
      clientDataJSON: response.response.clientDataJSON,
    });
    const credential = await verifyRegistration(deps, response, challenge.text);
    if (!credential) {
      await discardChallenge(db, challenge);
      throw PASSKEY_INVALID();
    }
    const added = await transaction(db, async (tx) => {
      await ensureFactor(tx, userId);
      const before = await lockFactor(tx, userId);
      // If the user's factors have changed in the meantime, the challenge is no longer valid.
      await consumeChallenge(tx, challenge);
      await assertStillProven(deps, tx, caller, before);
      assertBelowLimit(before!.passkeys);
      const passkey = await insertPasskey(tx, { userId, name, ...credential });
      if (!passkey) throw PASSKEY_EXISTS();
      await holdIfRecovered(tx, caller);
      if (!isOn(before)) return { passkey, recoveryCodes: await enableFactors(deps, tx, caller, name) };
      await holdLive(tx, deps.sessions.ends, sessionId);
      await notifyOwner(deps.mail, tx, await getUser(tx, userId), { change: 'passkey-added', passkey: name });
      return { passkey };
    });
    await factor.returnTry(attempt);
    return { ...added, passkey: toPasskey(added.passkey) };
  },
});

/** Throws if another session has turned on 2FA since the options were requested, because this session has not proven a factor. */
async function assertStillProven(
  { config }: AuthDeps,
  tx: Tx,
  { sessionId }: Caller,
  before: FactorRow | undefined,
): Promise<void> {
  const withinSeconds = config.MFA_PROOF_SECONDS + config.PASSKEY_CHALLENGE_SECONDS;
  if (isOn(before) && !(await hasFreshProof(tx, sessionId, { withinSeconds })))
    throw commonErrors.MFA_REQUIRED();
}

/** Turns on 2FA with the first passkey. Deletes all unconfirmed keys of authenticator apps. Returns the recovery codes. */
async function enableFactors(deps: AuthDeps, tx: Tx, caller: Caller, passkey: string): Promise<string[]> {
  await dropPending(tx, caller.id);
  await setProof(tx, deps.sessions.ends, { sessionId: caller.sessionId, method: 'PASSKEY' });
  await factorChanged(deps, tx, caller, { change: 'passkey-added', passkey, ending: 'MFA_ENABLED' });
  return deps.factor.renewRecoveryCodes(tx, caller.id);
}

/**
 * Rejects users with a temporary password. A passkey works without the password, so the person who assigned the password could keep access.
 */
function assertOwnPassword(user: UserRow): void {
  if (user.password_is_temporary) throw authErrors.PASSWORD_TEMPORARY();
}

function assertBelowLimit(passkeys: number): void {
  if (passkeys >= MAX_PASSKEYS) throw PASSKEY_LIMIT({ max: MAX_PASSKEYS });
}

/** Stores a passkey. Returns undefined if the passkey is already registered, by this user or another. */
const insertPasskey = (tx: Tx, passkey: Credential & { userId: number; name: string }) =>
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
      is_multi_device: passkey.isMultiDevice,
      transports: passkey.transports,
    })
    .onConflict((c) => c.column('credential_id').doNothing())
    .returningAll()
    .executeTakeFirst();
