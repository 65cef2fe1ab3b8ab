import type { Config } from '../../../../platform/config.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../../platform/db.ts';
import { hashToken } from '../../../../platform/encryption.ts';
import { issueToken, peekToken, takeToken } from '../one-time.ts';
import { readClientData } from './client-data.ts';
import { passkeyErrors } from './errors.ts';

/** What a challenge is signed for. */
export type Ceremony = 'PASSKEY_REGISTER' | 'PASSKEY_PROVE' | 'PASSKEY_SIGN_IN';
/** Who may use it: a session, or whoever has the token of a sign-in under way. */
export type Holder = { sessionId: string } | { token: string };
/** `userId`: whose passkey it is for; null: anybody's. */
export type Challenge = { ceremony: Ceremony; text: string; userId: number | null };

type Payload = { holder: string };

const nameOf = (holder: Holder): string =>
  'sessionId' in holder ? holder.sessionId : hashToken(holder.token).toString('base64url');

/** A new challenge, good once, for a few minutes, and for its holder alone. */
export const issueChallenge = (
  db: DbOrTx,
  { PASSKEY_CHALLENGE_SECONDS: lifeSeconds }: Pick<Config, 'PASSKEY_CHALLENGE_SECONDS'>,
  { ceremony, userId, holder }: Pick<Challenge, 'ceremony' | 'userId'> & { holder: Holder },
): Promise<string> =>
  issueToken(db, {
    purpose: ceremony,
    userId,
    lifeSeconds,
    payload: { holder: nameOf(holder) } satisfies Payload,
  });

/**
 * The challenge that a browser has signed. Throws 400 PASSKEY_CHALLENGE_INVALID unless it was issued for this, to this holder, and is
 * neither used nor expired; 400 PASSKEY_INVALID for one that was signed within a page of another site.
 */
export async function findChallenge(
  db: Db,
  { ceremony, holder, clientDataJSON }: { ceremony: Ceremony; holder: Holder; clientDataJSON: string },
): Promise<Challenge> {
  const client = readClientData(clientDataJSON);
  const issued = client && (await peekToken<Payload>(db, ceremony, client.challenge));
  if (!issued || issued.payload.holder !== nameOf(holder)) throw passkeyErrors.PASSKEY_CHALLENGE_INVALID();
  const challenge = { ceremony, text: client.challenge, userId: issued.userId };
  if (!client.isFramed) return challenge;
  await wasteChallenge(db, challenge);
  throw passkeyErrors.PASSKEY_INVALID();
}

/** Uses a challenge up. Throws 400 PASSKEY_CHALLENGE_INVALID for everybody but the first. */
export async function takeChallenge(tx: Tx, { ceremony, text }: Challenge): Promise<void> {
  if (!(await takeToken(tx, ceremony, text))) throw passkeyErrors.PASSKEY_CHALLENGE_INVALID();
}

/** Uses a challenge up whose answer was wrong. */
export const wasteChallenge = (db: Db, { ceremony, text }: Challenge): Promise<unknown> =>
  transaction(db, (tx) => takeToken(tx, ceremony, text));
