import { createHmac } from 'node:crypto';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { line, object, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import type { Passkeys } from '../../../../platform/database/tables.ts';
import {
  type DataSecret,
  dataSecret,
  deriveKeys,
  hashToken,
} from '../../../../platform/secrets/encryption.ts';
import { consumeToken, issueToken, readToken } from '../one-time-tokens.ts';
import { passkeyErrors } from '../schemas.ts';

export type PasskeyRow = Selectable<Passkeys>;

export const PasskeyName = line(64).meta({ description: 'A name chosen by the owner.', example: 'Laptop' });

export const Passkey = object('Passkey', {
  id: z.string(),
  name: z.string(),
  isBackedUp: z.boolean().meta({ description: 'True if the passkey is stored on more than one device.' }),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});

export const toPasskey = (row: PasskeyRow): z.input<typeof Passkey> => ({
  id: row.id,
  name: row.name,
  isBackedUp: row.is_backed_up,
  createdAt: iso(row.created_at),
  lastUsedAt: row.last_used_at && iso(row.last_used_at),
});

/** Describes a passkey, so that its authenticator can find it. */
export const PasskeyDescriptor = object('PasskeyDescriptor', {
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()),
});

/** The input of `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const AssertionOptions = object('PasskeyAssertionOptions', {
  rpId: z.string(),
  challenge: z.string(),
  timeout: z.number().int(),
  allowCredentials: z.array(PasskeyDescriptor),
  userVerification: z.literal('required'),
});

/** Returns a user's passkeys, oldest first. */
export const listPasskeys = (db: DbOrTx, userId: number): Promise<PasskeyRow[]> =>
  db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export const toDescriptor = ({ credential_id, transports }: PasskeyRow) => ({
  id: credential_id.toString('base64url'),
  type: 'public-key' as const,
  transports,
});

/** Returns the options for proving the second factor with one of this user's passkeys. Throws 409 NO_PASSKEY. */
export async function proofOptions(
  { db, config }: { db: DbOrTx; config: Config },
  { userId, holder }: { userId: number; holder: Holder },
) {
  const passkeys = await listPasskeys(db, userId);
  if (passkeys.length === 0) throw passkeyErrors.NO_PASSKEY();
  const challenge = await issueChallenge(db, config, { ceremony: 'PASSKEY_PROVE', userId, holder });
  return { ...requestOptions(config, challenge), allowCredentials: passkeys.map(toDescriptor) };
}

/** Without `allowCredentials`, the authenticator offers every passkey that it stores for this site. */
export const requestOptions = (config: Config, challenge: string) => ({
  rpId: config.PASSKEY_RP_ID,
  challenge,
  timeout: config.PASSKEY_CHALLENGE_SECONDS * 1000,
  allowCredentials: [],
  userVerification: 'required' as const,
});

/**
 * Returns the user handle that authenticators store. All passkeys of a user share this handle, so a device keeps one passkey for each
 * account. The handle does not reveal the user's identity to a person who finds the device.
 */
export const handleOf = (config: DataSecret, userId: number): string => handlesOf(config, userId)[0]!;

/**
 * Returns all valid user handles of a user. They include the handle derived from the previous DATA_SECRET, because authenticators store a
 * handle permanently.
 */
export const handlesOf = (config: DataSecret, userId: number): string[] =>
  deriveKeys(dataSecret(config), 'passkey users').map((key) =>
    createHmac('sha256', key).update(String(userId)).digest('base64url'),
  );

type Ceremony = 'PASSKEY_REGISTER' | 'PASSKEY_PROVE' | 'PASSKEY_SIGN_IN';
/** Only this session, or only the client with this sign-in token, may use the challenge. */
export type Holder = { sessionId: string } | { token: string };
/** `userId` is the owner of the passkey; null if a passkey of any user is accepted. */
export type Challenge = { ceremony: Ceremony; text: string; userId: number | null };

type Payload = { holder: string };

const nameOf = (holder: Holder): string =>
  'sessionId' in holder ? holder.sessionId : hashToken(holder.token).toString('base64url');

/** Returns a new challenge. It works once, for PASSKEY_CHALLENGE_SECONDS, and only for the given session or sign-in. */
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
 * Returns the challenge that a browser has signed. Throws 400 PASSKEY_CHALLENGE_INVALID if the challenge was not issued for this ceremony
 * and holder, or is used or expired. Throws 400 PASSKEY_INVALID if it was signed in a frame of another site.
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
 * Parses `clientDataJSON` (base64url). Returns undefined if it contains no challenge in the form issued here. `isFramed`: true if the
 * challenge was signed in a frame of another site.
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
