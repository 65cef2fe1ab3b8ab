import { createHmac } from 'node:crypto';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { line, object, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config/config.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import type { Passkeys } from '../../../../platform/database/tables.ts';
import { type DataSecret, dataSecret, deriveKeys } from '../../../../platform/secrets/encryption.ts';
import { passkeyErrors } from '../errors.ts';
import { type Holder, issueChallenge } from './challenge.ts';

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

/** Describes a passkey so that its authenticator can find it. */
export const PasskeyDescriptor = object('PasskeyDescriptor', {
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()),
});

/** Input of `PublicKeyCredential.parseRequestOptionsFromJSON`. */
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
 * Returns the user handle that authenticators store. All passkeys of a user share it, so a device keeps one passkey for each account. The
 * handle does not reveal the user to a person who finds the device.
 */
export const handleOf = (config: DataSecret, userId: number): string => handlesOf(config, userId)[0]!;

/**
 * Returns all valid user handles. They include the handle derived from the previous DATA_SECRET, because authenticators store a handle
 * permanently.
 */
export const handlesOf = (config: DataSecret, userId: number): string[] =>
  deriveKeys(dataSecret(config), 'passkey users').map((key) =>
    createHmac('sha256', key).update(String(userId)).digest('base64url'),
  );
