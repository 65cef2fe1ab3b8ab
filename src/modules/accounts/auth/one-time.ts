import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { hashToken } from '../../../platform/encryption.ts';

/** What a one-time token opens. A token of one purpose is nothing to another. */
export type Purpose = 'MFA' | 'SETUP_USERNAME' | 'VERIFY_EMAIL' | 'RESET_PASSWORD' | 'IDP_STATE';

export type OneTime<P = Record<string, unknown>> = { userId: number | null; payload: P };

/** MFA tokens are recognised when somebody presents one as a session. */
const PREFIX: Readonly<Partial<Record<Purpose, string>>> = { MFA: 'mfa_' };

type NewToken = {
  purpose: Purpose;
  userId: number | null;
  lifeSeconds: number;
  payload?: Record<string, unknown>;
};

/** A new token: 256 random bits as text; only its hash is kept. */
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

/** Takes a token: the first caller gets its payload, every later one undefined. */
export async function takeToken<P>(tx: Tx, purpose: Purpose, token: string): Promise<OneTime<P> | undefined> {
  const row = await tx
    .updateTable('one_time_tokens')
    .set({ used_at: sql<Date>`now()` })
    .where('hash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['user_id', 'payload'])
    .executeTakeFirst();
  return row && { userId: row.user_id, payload: row.payload as P };
}

/** Looks at a token without taking it; undefined when it is used, over, or was never there. */
export async function peekToken<P>(
  db: DbOrTx,
  purpose: Purpose,
  token: string,
): Promise<OneTime<P> | undefined> {
  const row = await db
    .selectFrom('one_time_tokens')
    .select(['user_id', 'payload'])
    .where('hash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row && { userId: row.user_id, payload: row.payload as P };
}

/** Ends every open token of a user for these purposes: an older link is worth nothing after a newer one. */
export async function endTokens(tx: Tx, userId: number, purposes: readonly Purpose[]): Promise<void> {
  await tx
    .updateTable('one_time_tokens')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('purpose', 'in', [...purposes])
    .where('used_at', 'is', null)
    .execute();
}
