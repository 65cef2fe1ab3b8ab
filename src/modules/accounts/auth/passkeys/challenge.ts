import { z } from 'zod';
import type { Config } from '../../../../platform/config/config.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import { hashToken } from '../../../../platform/secrets/encryption.ts';
import { passkeyErrors } from '../errors.ts';
import { consumeToken, issueToken, readToken } from '../one-time-tokens.ts';

export type Ceremony = 'PASSKEY_REGISTER' | 'PASSKEY_PROVE' | 'PASSKEY_SIGN_IN';
/** Only this session, or only the client with this sign-in token, may use the challenge. */
export type Holder = { sessionId: string } | { token: string };
/** `userId` is the owner of the passkey; null if a passkey of any user is accepted. */
export type Challenge = { ceremony: Ceremony; text: string; userId: number | null };

type Payload = { holder: string };

const nameOf = (holder: Holder): string =>
  'sessionId' in holder ? holder.sessionId : hashToken(holder.token).toString('base64url');

/** Returns a new challenge that works once, for PASSKEY_CHALLENGE_SECONDS, and only for its holder. */
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
 * Returns the challenge that a browser has signed. Throws 400 PASSKEY_CHALLENGE_INVALID unless it was issued for this ceremony and
 * holder and is neither used nor expired; 400 PASSKEY_INVALID if it was signed in a frame of another site.
 */
export async function findChallenge(
  db: Db,
  { ceremony, holder, clientDataJSON }: { ceremony: Ceremony; holder: Holder; clientDataJSON: string },
): Promise<Challenge> {
  const client = readClientData(clientDataJSON);
  const issued = client && (await readToken<Payload>(db, ceremony, client.challenge));
  if (!issued || issued.payload.holder !== nameOf(holder)) throw passkeyErrors.PASSKEY_CHALLENGE_INVALID();
  const challenge = { ceremony, text: client.challenge, userId: issued.userId };
  if (!client.isFramed) return challenge;
  await discardChallenge(db, challenge);
  throw passkeyErrors.PASSKEY_INVALID();
}

/** Marks a challenge as used. Throws 400 PASSKEY_CHALLENGE_INVALID if another request has already used it. */
export async function consumeChallenge(tx: Tx, { ceremony, text }: Challenge): Promise<void> {
  if (!(await consumeToken(tx, ceremony, text))) throw passkeyErrors.PASSKEY_CHALLENGE_INVALID();
}

/** Marks a challenge as used after an invalid signature. */
export const discardChallenge = (db: Db, { ceremony, text }: Challenge): Promise<unknown> =>
  transaction(db, (tx) => consumeToken(tx, ceremony, text));

/** The fields of WebAuthn's CollectedClientData that are needed here. */
type ClientData = { challenge: string; isFramed: boolean };

const CHALLENGE = /^[\w-]{43}$/;
const CollectedClientData = z.object({
  challenge: z.string().regex(CHALLENGE),
  crossOrigin: z.boolean().optional(),
  topOrigin: z.string().optional(),
});

/**
 * Parses `clientDataJSON` (base64url). Returns undefined if it contains no challenge in the form issued here. `isFramed`: true if it was
 * signed in a frame of another site.
 */
export function readClientData(encoded: string): ClientData | undefined {
  const parsed = CollectedClientData.safeParse(parseJson(Buffer.from(encoded, 'base64url').toString()));
  if (!parsed.success) return undefined;
  const { challenge, crossOrigin, topOrigin } = parsed.data;
  return { challenge, isFramed: crossOrigin === true || topOrigin !== undefined };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
