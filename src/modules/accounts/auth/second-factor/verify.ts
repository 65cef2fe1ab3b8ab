import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { hashToken } from '../../../../platform/secrets/encryption.ts';
import { getUser } from '../../../base/users/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { AuthDeps } from '../deps.ts';
import { consumeToken } from '../one-time-tokens.ts';
import { AuthSessionTokens, authErrors, MfaCode } from '../schemas.ts';
import { deviceOf, withCookies } from '../sessions/cookies.ts';
import { findPendingSignIn, openSession } from '../sign-in/complete.ts';
import { notifyOwner } from './changes.ts';
import { tryOf } from './factor.ts';

const VerifyMfa = z.strictObject({
  token: z.string().min(1).max(128),
  mfaCode: MfaCode,
  provider: z.string().max(64).optional(),
  state: z.string().max(512).optional(),
});

/** Only a correct code consumes the token. */
export const verifySecondFactor = operation({
  method: 'POST',
  path: '/auth/verify-2fa',
  tag: 'Authorization',
  access: 'anonymous',
  gate: 'none',
  limit: 'auth',
  summary: 'Complete a sign-in with the second factor',
  description:
    'Requires the temporary token from a sign-in response with `requireMfa`, and the current code or an unused recovery code. For ' +
    'a passkey, use `POST /user/passkeys/second-factor`. Each token allows five attempts with app codes and ten with recovery ' +
    'codes.',
  body: VerifyMfa,
  status: 200,
  response: AuthSessionTokens,
  errors: [
    commonErrors.MFA_INVALID,
    commonErrors.UNAUTHORIZED,
    authErrors.AUTH_INVALID_CREDENTIALS,
    gateErrors.USER_BANNED,
  ],
  handler: async (deps: AuthDeps, context) => {
    const { db, factor, knownDevices, mail } = deps;
    const device = deviceOf(context);
    const { token, mfaCode } = context.body;
    const { userId, payload } = await findPendingSignIn(db, context.body);
    const known = knownDevices.find(device.knownAs, await getUser(db, userId));
    const guess = { userId, at: { token: hashToken(token), device: known }, code: mfaCode };
    await factor.countTry(tryOf(guess));
    const tokens = await transaction(db, async (tx) => {
      const user = await getUser(tx, userId);
      if (user.banned_at) throw gateErrors.USER_BANNED();
      const mfaMethod = await factor.redeem(tx, guess, ['TOTP', 'RECOVERY']);
      if (!(await consumeToken(tx, 'MFA', token))) throw commonErrors.UNAUTHORIZED();
      if (mfaMethod === 'RECOVERY') await notifyOwner(mail, tx, user, { change: 'recovery-code-used' });
      return openSession(deps, tx, { user, device }, { provider: payload.provider, mfaMethod });
    });
    return withCookies(context, tokens);
  },
});
