import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import type { DataSecret } from '../../../../platform/secrets/encryption.ts';
import { recordIncident } from '../../../base/audit/service.ts';
import { getUser } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { notifyOwner } from '../second-factor/changes.ts';
import { lockFactor } from '../second-factor/queries.ts';
import {
  type Challenge,
  consumeChallenge,
  discardChallenge,
  findChallenge,
  type Holder,
  handlesOf,
  type PasskeyRow,
} from './options.ts';
import { type AssertionResponse, verifyAssertion } from './webauthn.ts';

/** A passkey whose signature is valid, before its use is recorded. */
export type Verified = {
  passkey: PasskeyRow;
  challenge: Challenge;
  signCount: bigint;
  isBackedUp: boolean;
  isMultiDevice: boolean;
};
type Assertion = { ceremony: Challenge['ceremony']; holder: Holder; response: AssertionResponse };

/**
 * Verifies an authenticator's signature, outside any transaction. Returns undefined and discards the challenge if the signature is invalid
 * or the passkey belongs to another user. Throws 400 PASSKEY_CHALLENGE_INVALID or 400 PASSKEY_INVALID.
 */
export async function verifyPasskey(
  deps: Pick<AuthDeps, 'db' | 'config' | 'log'>,
  { ceremony, holder, response }: Assertion,
): Promise<Verified | undefined> {
  const { db, config } = deps;
  const { clientDataJSON, userHandle } = response.response;
  const challenge = await findChallenge(db, { ceremony, holder, clientDataJSON });
  const passkey = await findByCredential(db, response.id);
  const signed =
    passkey && isOfUser(config, passkey, { challenge, userHandle })
      ? await verifyAssertion(deps, response, {
          challenge: challenge.text,
          publicKey: passkey.public_key,
        })
      : undefined;
  if (passkey && signed) return { passkey, challenge, ...signed };
  await discardChallenge(db, challenge);
  return undefined;
}

/** Finds a passkey by the unique id that its authenticator assigned to it (base64url). */
export const findByCredential = (db: DbOrTx, credentialId: string): Promise<PasskeyRow | undefined> =>
  db
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', Buffer.from(credentialId, 'base64url'))
    .executeTakeFirst();

/**
 * Returns true if the passkey belongs to the user of the challenge. If the challenge was issued for no particular user, the user handle
 * must match the passkey's owner.
 */
function isOfUser(
  config: DataSecret,
  { user_id }: PasskeyRow,
  { challenge, userHandle }: { challenge: Challenge; userHandle: string | null | undefined },
): boolean {
  if (challenge.userId !== null && challenge.userId !== user_id) return false;
  if (challenge.userId !== null && userHandle == null) return true;
  return userHandle != null && handlesOf(config, user_id).includes(userHandle);
}

/**
 * Consumes the challenge and records the use of the passkey. Returns false if the passkey was removed in the meantime or was used by a copy
 * of the authenticator. In the case of a copy, `tx` must commit before the request is rejected, so that the owner is notified and the audit
 * log is written. Throws 400 PASSKEY_CHALLENGE_INVALID if another request used the challenge first. Locks the user's factors, so call it
 * before locking the user's row.
 */
export async function recordUse(
  { mail }: Pick<AuthDeps, 'mail'>,
  tx: Tx,
  { passkey: { id, user_id: userId }, challenge, ...used }: Verified,
): Promise<boolean> {
  await lockFactor(tx, userId);
  await consumeChallenge(tx, challenge);
  const passkey = await tx.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst();
  if (!passkey) return false;
  const { signCount } = used;
  // Uses the type that the passkey had at registration, so that a copied passkey cannot claim to be a multi-device passkey.
  const isMultiDevice = passkey.is_multi_device ?? passkey.is_backed_up;
  if (!isCopy({ stored: passkey.sign_count, seen: signCount, isMultiDevice })) {
    await updateUsage(tx, id, used);
    return true;
  }
  const user = await getUser(tx, userId);
  await notifyOwner(mail, tx, user, { change: 'passkey-copied', passkey: passkey.name });
  await recordIncident(tx, {
    what: 'passkey copied',
    userId,
    change: {
      before: { passkeyId: id, signCount: Number(passkey.sign_count) },
      after: { signCount: Number(signCount) },
      reason:
        'The signature counter did not increase, so the authenticator has a copy. The passkey was rejected.',
    },
  });
  return false;
}

/**
 * Returns true if a copy of the authenticator used the passkey (WebAuthn, 6.1.1). On a single device, each use must increase the counter.
 * An authenticator without a counter reports 0. A multi-device passkey is copied by design, and its devices have separate counters or none.
 */
export const isCopy = ({
  stored,
  seen,
  isMultiDevice,
}: {
  stored: bigint;
  seen: bigint;
  isMultiDevice: boolean;
}): boolean => !isMultiDevice && stored > 0n && seen <= stored;

async function updateUsage(
  tx: Tx,
  id: string,
  { signCount, isBackedUp, isMultiDevice }: Pick<Verified, 'signCount' | 'isBackedUp' | 'isMultiDevice'>,
): Promise<void> {
  await tx
    .updateTable('passkeys')
    .set({ sign_count: signCount, is_backed_up: isBackedUp, last_used_at: sql<Date>`now()` })
    .set({ is_multi_device: sql<boolean>`coalesce(is_multi_device, ${isMultiDevice})` })
    .where('id', '=', id)
    .execute();
}
