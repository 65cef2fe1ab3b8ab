import { sql } from 'kysely';
import type { Tx } from '../../../../platform/db.ts';
import { issueToken, type Purpose } from '../one-time.ts';

/** What the token of a link carries: the address that it was sent to. */
export type LinkPayload = { email: string };

type NewLink = { purpose: Purpose; userId: number; email: string; lifeSeconds: number; page: string };

/** A link with a new token, the only one of its purpose that works from now on: older ones are gone. */
export async function newLink(
  tx: Tx,
  { purpose, userId, email, lifeSeconds, page }: NewLink,
): Promise<string> {
  // Two requests at once: the second one waits here, and then finds the first one's token.
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
  await tx
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .execute();
  const payload: LinkPayload = { email };
  const token = await issueToken(tx, { purpose, userId, lifeSeconds, payload });
  // Behind the #: mail scanners that follow links do not use the token up, and no server or Referer sees it.
  return `${page}#token=${token}`;
}

/** Whether a user's address is still this one. */
export const isAddress = (email: string) => sql<boolean>`lower(email) = ${email.toLowerCase()}`;
