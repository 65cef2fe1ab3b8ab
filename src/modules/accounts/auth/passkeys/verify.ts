import type { Config } from '../../../../platform/config.ts';
import type { Tx } from '../../../../platform/db.ts';
import { recordIncident } from '../../../base/audit/service.ts';
import { getUser } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { notifyOwner } from '../mfa/change.ts';
import { lockFactor } from '../mfa/queries.ts';
import { type Challenge, findChallenge, type Holder, takeChallenge, wasteChallenge } from './challenge.ts';
import { handleOf } from './handle.ts';
import { findByCredential, findPasskey, noteUse, type PasskeyRow } from './queries.ts';
import { isCopy } from './rules.ts';
import type { AssertionResponse } from './schemas.ts';
import { verifyAssertion } from './webauthn.ts';

/** A passkey whose signature was good, before its use is written down. */
export type Verified = {
  passkey: PasskeyRow;
  challenge: Challenge;
  signCount: bigint;
  isBackedUp: boolean;
};
type Assertion = { ceremony: Challenge['ceremony']; holder: Holder; response: AssertionResponse };

/**
 * Verifies what an authenticator has signed, outside any transaction. Undefined when it is not the passkey of who was asked; the challenge
 * is used up then. Throws 400 PASSKEY_CHALLENGE_INVALID, 400 PASSKEY_INVALID.
 */
export async function verify(
  deps: Pick<AuthDeps, 'db' | 'config' | 'log'>,
  { ceremony, holder, response }: Assertion,
): Promise<Verified | undefined> {
  const { db, config } = deps;
  const { clientDataJSON, userHandle } = response.response;
  const challenge = await findChallenge(db, { ceremony, holder, clientDataJSON });
  const passkey = await findByCredential(db, Buffer.from(response.id, 'base64url'));
  const signed =
    passkey && isOf(config, passkey, { challenge, userHandle })
      ? await verifyAssertion(deps, response, {
          challenge: challenge.text,
          publicKey: passkey.public_key,
        })
      : undefined;
  if (passkey && signed) return { passkey, challenge, ...signed };
  await wasteChallenge(db, challenge);
  return undefined;
}

/** Whether the passkey is of the user who was asked for one. Where nobody was named the authenticator itself names the user. */
function isOf(
  config: Pick<Config, 'DATA_SECRET'>,
  { user_id }: PasskeyRow,
  { challenge, userHandle }: { challenge: Challenge; userHandle: string | null | undefined },
): boolean {
  if (challenge.userId !== null && challenge.userId !== user_id) return false;
  if (challenge.userId !== null && userHandle == null) return true;
  return userHandle === handleOf(config, user_id);
}

/**
 * Uses challenge and passkey up. False when the passkey was removed meanwhile, or is a copy, which its owner and the audit hear of if `tx`
 * commits: refuse after that. Throws 400 PASSKEY_CHALLENGE_INVALID when somebody was faster. Locks the factors of the user: before
 * the user's row.
 */
export async function use(
  { mail }: Pick<AuthDeps, 'mail'>,
  tx: Tx,
  { passkey: { id, user_id: userId }, challenge, signCount, isBackedUp }: Verified,
): Promise<boolean> {
  await lockFactor(tx, userId);
  await takeChallenge(tx, challenge);
  const now = await findPasskey(tx, id);
  if (!now) return false;
  if (!isCopy({ stored: now.sign_count, seen: signCount })) {
    await noteUse(tx, id, { signCount, isBackedUp });
    return true;
  }
  const user = await getUser(tx, userId);
  await notifyOwner(mail, tx, user, { change: 'passkey-copied', passkey: now.name });
  await recordIncident(tx, {
    what: 'passkey copied',
    userId,
    change: {
      before: { passkeyId: id, signCount: Number(now.sign_count) },
      after: { signCount: Number(signCount) },
      reason: 'The count of uses did not grow: the authenticator has a copy. It was refused.',
    },
  });
  return false;
}
