import { iso } from '../../../../platform/clock.ts';
import { type DbOrTx, transaction } from '../../../../platform/db.ts';
import type { Caller } from '../mfa/change.ts';
import type { PasskeyCode } from '../mfa/factor.ts';
import { noteProof } from '../mfa/prove.ts';
import { issueToken } from '../one-time.ts';
import { type Holder, issueChallenge } from './challenge.ts';
import { passkeyErrors } from './errors.ts';
import { descriptorOf, type PasskeyDeps } from './manage.ts';
import { listPasskeys } from './queries.ts';
import type { AssertionResponse } from './schemas.ts';
import { use, verify } from './verify.ts';

/** What a browser needs to use a passkey of this user. Throws 409 NO_PASSKEY. */
export async function proofOptions(
  { db, config }: Pick<PasskeyDeps, 'config'> & { db: DbOrTx },
  { userId, holder }: { userId: number; holder: Holder },
) {
  const passkeys = await listPasskeys(db, userId);
  if (passkeys.length === 0) throw passkeyErrors.NO_PASSKEY();
  const challenge = await issueChallenge(db, config, { ceremony: 'PASSKEY_PROVE', userId, holder });
  return { ...requestOf(config, challenge), allowCredentials: passkeys.map(descriptorOf) };
}

/** Options of any use of a passkey; without credentials the authenticator offers those that it has for the site. */
export const requestOf = (config: PasskeyDeps['config'], challenge: string) => ({
  rpId: config.PASSKEY_RP_ID,
  challenge,
  timeout: config.PASSKEY_CHALLENGE_SECONDS * 1000,
  allowCredentials: [],
  userVerification: 'required' as const,
});

/**
 * Proves the second factor of this session, and exchanges the passkey for a code that goes where a code of the app goes, once. Throws
 * 400 PASSKEY_CHALLENGE_INVALID, 400 PASSKEY_INVALID, 429 RATE_LIMITED.
 */
export async function proveSession(deps: PasskeyDeps, caller: Caller, response: AssertionResponse) {
  const { db, config, factor } = deps;
  const { id: userId, sessionId } = caller;
  const attempt = { userId, at: { sessionId }, kind: 'PASSKEY' } as const;
  await factor.countTry(attempt);
  const verified = await verify(deps, { ceremony: 'PASSKEY_PROVE', holder: { sessionId }, response });
  const lifeSeconds = config.MFA_PROOF_SECONDS;
  const mfaCode =
    verified &&
    (await transaction(db, async (tx) => {
      if (!(await use(deps, tx, verified))) return undefined;
      await noteProof(tx, caller, 'PASSKEY');
      const payload: PasskeyCode = { sessionId };
      return issueToken(tx, { purpose: 'PASSKEY_CODE', userId, lifeSeconds, payload });
    }));
  if (!mfaCode) throw passkeyErrors.PASSKEY_INVALID();
  await factor.returnTry(attempt);
  return { mfaCode, expiresAt: iso(new Date(deps.databaseClock.now() + lifeSeconds * 1000)) };
}
