import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { hashToken } from '../../../platform/encryption.ts';
import type { UserRow } from '../../base/users/service.ts';

/** What a one-time token is for: a token of one purpose is useless for another. */
export type Purpose =
  | ('MFA' | 'SETUP_USERNAME' | 'VERIFY_EMAIL' | 'RESET_PASSWORD' | 'IDP_STATE')
  | ('PASSKEY_REGISTER' | 'PASSKEY_PROVE' | 'PASSKEY_SIGN_IN' | 'PASSKEY_CODE')
  | ('EMAIL_CHANGE_OLD' | 'EMAIL_CHANGE_NEW');

type OneTime<P> = { userId: number | null; payload: P };

/** MFA tokens are recognised when one is presented as an access token, codes of passkeys where a code is typed. */
const PREFIX: Readonly<Partial<Record<Purpose, string>>> = { MFA: 'mfa_', PASSKEY_CODE: 'pk_' };

type NewToken = {
  purpose: Purpose;
  userId: number | null;
  lifeSeconds: number;
  payload?: Record<string, unknown>;
};

/** A new token: 256 random bits as text; only its hash is stored. */
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

/** Uses a token up: the first caller gets its payload, every later one undefined. */
export async function takeToken<P>(tx: Tx, purpose: Purpose, token: string): Promise<OneTime<P> | undefined> {
  const row = await tx
    .updateTable('one_time_tokens')
    .set({ used_at: sql<Date>`now()` })
    .where(isUsable(purpose, token))
    .returning(['user_id as userId', 'payload'])
    .executeTakeFirst();
  return row as OneTime<P> | undefined;
}

/** Reads a token without using it up; undefined when it is used, expired or unknown. */
export async function peekToken<P>(
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

/** What the token of a link carries: the address that it was sent to. */
export type LinkPayload = { email: string };

/** A link with a new token, the only one of its purpose that works from now on: older ones are deleted. */
export async function issueLink(
  tx: Tx,
  { page, email, payload: more, ...token }: NewToken & { page: string; email: string },
): Promise<string> {
  const { userId, purpose } = token;
  // Of two concurrent requests the second waits here, and then deletes the token of the first.
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
  await tx
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .execute();
  const payload: LinkPayload = { ...more, email };
  // After the #: mail scanners that follow links do not use the token up, and no server or Referer sees it.
  return `${page}#token=${await issueToken(tx, { ...token, payload })}`;
}

/** The user to whom a link was sent, locked; undefined when the address is no longer theirs. */
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
