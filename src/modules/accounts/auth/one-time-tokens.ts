import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import { hashToken } from '../../../platform/secrets/encryption.ts';
import type { UserRow } from '../../base/users/service.ts';

/** The purpose of a token. A token is valid for one purpose only. */
export type Purpose =
  | ('MFA' | 'SETUP_USERNAME' | 'VERIFY_EMAIL' | 'RESET_PASSWORD' | 'IDP_STATE')
  | ('PASSKEY_REGISTER' | 'PASSKEY_PROVE' | 'PASSKEY_SIGN_IN' | 'PASSKEY_CODE')
  | ('EMAIL_CHANGE_OLD' | 'EMAIL_CHANGE_NEW');

type OneTime<P> = { userId: number | null; payload: P };

/** The prefixes identify an MFA token that was sent as an access token, and a passkey's code that was sent as an MFA code. */
const PREFIX: Readonly<Partial<Record<Purpose, string>>> = { MFA: 'mfa_', PASSKEY_CODE: 'pk_' };

type NewToken = {
  purpose: Purpose;
  userId: number | null;
  lifeSeconds: number;
  payload?: Record<string, unknown>;
};

/** Returns a new token of 256 random bits. Only its hash is stored. */
export async function issueToken(
  tx: DbOrTx,
  { purpose, userId, lifeSeconds, payload = {} }: NewToken,
): Promise<string> {
  const token = `${PREFIX[purpose] ?? ''}${randomBytes(32).toString('base64url')}`;
  await tx
    .insertInto('one_time_tokens')
    .values({
      hash: hashToken(token),
      purpose,
      user_id: userId,
      payload: JSON.stringify(payload),
      expires_at: sql<Date>`now() + make_interval(secs => ${lifeSeconds})`,
    })
    .execute();
  return token;
}

const isUsable = (purpose: Purpose, token: string) =>
  sql<boolean>`hash = ${hashToken(token)} and purpose = ${purpose} and used_at is null and expires_at > now()`;

/** Consumes a token. The first caller gets its payload; later callers get undefined. */
export async function consumeToken<P>(
  tx: Tx,
  purpose: Purpose,
  token: string,
): Promise<OneTime<P> | undefined> {
  const row = await tx
    .updateTable('one_time_tokens')
    .set({ used_at: sql<Date>`now()` })
    .where(isUsable(purpose, token))
    .returning(['user_id as userId', 'payload'])
    .executeTakeFirst();
  return row as OneTime<P> | undefined;
}

/** Reads a token without consuming it. Returns undefined if the token is used, expired or unknown. */
export async function readToken<P>(
  db: DbOrTx,
  purpose: Purpose,
  token: string,
): Promise<OneTime<P> | undefined> {
  const row = await db
    .selectFrom('one_time_tokens')
    .select(['user_id as userId', 'payload'])
    .where(isUsable(purpose, token))
    .executeTakeFirst();
  return row as OneTime<P> | undefined;
}

/** Invalidates all of a user's unused tokens for these purposes. */
export async function endTokens(tx: Tx, userId: number, purposes: readonly Purpose[]): Promise<void> {
  await tx
    .updateTable('one_time_tokens')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('purpose', 'in', [...purposes])
    .where('used_at', 'is', null)
    .execute();
}

/** The payload of a link's token: the email address to which the link was sent. */
export type LinkPayload = { email: string };

/** Returns a link with a new token. Older tokens of the user for this purpose are deleted. */
export async function issueLink(
  tx: Tx,
  { page, email, payload: more, ...token }: NewToken & { page: string; email: string },
): Promise<string> {
  const { userId, purpose } = token;
  // The second of two concurrent requests waits here and then deletes the first request's token.
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
  await tx
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .execute();
  const payload: LinkPayload = { ...more, email };
  // The token follows the #, so that mail scanners that open links do not consume it, and neither servers nor the Referer header receive
  // it.
  return `${page}#token=${await issueToken(tx, { ...token, payload })}`;
}

/** Returns and locks the user to whom a link was sent. Returns undefined if the user's address has changed. */
export const lockAddressee = (
  tx: Tx,
  { userId, payload }: OneTime<LinkPayload>,
): Promise<UserRow | undefined> =>
  tx
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .where(sql<boolean>`lower(email) = ${payload.email.toLowerCase()}`)
    .forNoKeyUpdate()
    .executeTakeFirst();
