import { operation } from '../../../../http/operation.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { siteConfigErrors } from '../../../base/site-config/service.ts';
import { userErrors } from '../../../base/users/errors.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { AuthDeps } from '../deps.ts';
import { sendVerificationLink } from '../email/links.ts';
import { authErrors } from '../errors.ts';
import { AuthSessionTokens, SignUp } from '../schemas.ts';
import { deviceOf, withCookies } from '../sessions/cookies.ts';
import { openSession } from './complete.ts';
import { openAccount, register } from './open-account.ts';

export const signUpWithPassword = operation({
  method: 'POST',
  path: '/auth/sign-up',
  tag: 'Authorization',
  access: 'anonymous',
  gate: 'none',
  limit: 'auth',
  summary: 'Open an account',
  captcha: true,
  body: SignUp,
  status: 200,
  response: AuthSessionTokens,
  errors: [
    authErrors.AUTH_RECAPTCHA_TOKEN_MISSING,
    authErrors.AUTH_INVALID_CAPTCHA,
    gateErrors.AUTH_GEO_BLOCKED,
    commonErrors.RATE_LIMITED,
    siteConfigErrors.REGISTRATION_CLOSED,
    userErrors.AUTH_USER_EXISTS,
    userErrors.USERNAME_RESERVED,
    userErrors.PASSWORD_BREACHED,
  ],
  handler: async (deps: AuthDeps, context) => {
    const { db, countries, passwords, passwordPolicy } = deps;
    const device = deviceOf(context);
    countries.assertAllowed(device.ip);
    const { password, ...newcomer } = context.body;
    await passwordPolicy(password, newcomer, 'password');
    const tokens = await openAccount(deps, { email: newcomer.email, device }, async () => {
      const passwordHash = await passwords.hash(password);
      return transaction(db, async (tx) => {
        const user = await register(deps, tx, { ...newcomer, passwordHash }, { type: 'EMAIL', device });
        await sendVerificationLink(deps, tx, user);
        return openSession(deps, tx, { user, device }, { provider: 'password' });
      });
    });
    return withCookies(context, tokens);
  },
});
