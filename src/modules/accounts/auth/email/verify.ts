import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { type Tx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { hashToken } from '../../../../platform/secrets/encryption.ts';
import { getUser } from '../../../base/users/service.ts';
import { assertTry } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { consumeToken, type LinkPayload, lockAddressee } from '../one-time-tokens.ts';
import { LinkToken, ResultResponse } from '../schemas.ts';
import { deviceOf } from '../sessions/cookies.ts';
import { sendVerificationLink } from './links.ts';
import { isHolder, markProven } from './ownership.ts';

const REQUESTS_PER_HOUR = 3;

export const requestVerification = operation({
  method: 'GET',
  path: '/user/request-email-verification',
  tag: 'User',
  access: 'auth',
  hasSideEffect: true,
  summary: 'Resend the verification email',
  description: 'Limited to three per hour. No email is sent if the address is already verified.',
  errors: [commonErrors.RATE_LIMITED],
  handler: async (deps: AuthDeps, { user: { id: userId } }) => {
    const { db } = deps;
    const user = await getUser(db, userId);
    if (user.email_verified || !user.email) return;
    await assertTry(db, {
      key: `verify-email:${userId}`,
      tries: REQUESTS_PER_HOUR,
      windowSeconds: 3600,
    });
    await transaction(db, (tx) => sendVerificationLink(deps, tx, user));
  },
});

/** The device is used to determine whether the link was opened in a browser where the account is or was signed in. */
export const verifyEmail = operation({
  method: 'GET',
  path: '/user/verify-email',
  tag: 'User',
  access: 'anonymous',
  limit: 'auth',
  hasSideEffect: true,
  summary: 'Verify an email address with the token from the email',
  description:
    'Repeated requests with the same token return true while the address is verified. Returns false if the token is ' +
    'unknown, expired or replaced by a newer one.',
  query: z.strictObject({ token: LinkToken }),
  response: ResultResponse,
  handler: (deps: AuthDeps, context) =>
    transaction(deps.db, async (tx) => {
      const { token } = context.query;
      const link = await consumeToken<LinkPayload>(tx, 'VERIFY_EMAIL', token);
      if (!link) return { result: await hasVerified(tx, token) };
      const user = await lockAddressee(tx, link);
      if (user && !user.email_verified) {
        await markProven(tx, user.id, await isHolder(deps, user, deviceOf(context)));
        await deps.queueWelcomeBonus(tx, user.id);
      }
      return { result: user !== undefined };
    }),
});

/** Returns true if this link was used to verify the user's current address. */
async function hasVerified(tx: Tx, token: string): Promise<boolean> {
  const row = await tx
    .selectFrom('one_time_tokens as t')
    .innerJoin('users', 'users.id', 't.user_id')
    .select('users.id')
    .where('t.hash', '=', hashToken(token))
    .where('t.purpose', '=', 'VERIFY_EMAIL')
    .where('t.used_at', 'is not', null)
    .where('users.email_verified', 'is', true)
    .where(sql<boolean>`lower(users.email) = lower(t.payload ->> 'email')`)
    .executeTakeFirst();
  return row !== undefined;
}
