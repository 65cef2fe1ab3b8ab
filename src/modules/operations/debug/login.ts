import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { AuthSessionTokens } from '../../accounts/auth/schemas.ts';
import { deviceOf, withCookies } from '../../accounts/auth/sessions/cookies.ts';
import type { Device, SessionTokens } from '../../accounts/auth/sessions/sessions.ts';
import { Username, userErrors } from '../../base/users/schemas.ts';
import { findUserByUsername, isShut } from '../../base/users/service.ts';
import type { DebugDeps } from './debug.ts';
import { assertToken, debugErrors, TokenHeaders, testEmailOf } from './debug.ts';

export const loginByUsername = operation({
  method: 'POST',
  path: '/debug/auth/login/{username}',
  tag: 'Debug',
  access: 'anonymous',
  gate: 'none',
  summary: 'Register or sign in with only a username',
  description:
    'An unknown username becomes a test user without a password. Signing in as staff requires the header x-debug-token with the ' +
    'DEBUG_TOKEN of the environment.',
  params: z.object({ username: Username }),
  headers: TokenHeaders,
  response: AuthSessionTokens,
  errors: [commonErrors.UNAUTHORIZED, debugErrors.DEBUG_TOKEN_WRONG, userErrors.USERNAME_RESERVED],
  handler: async (deps: DebugDeps, context) => {
    const { params, headers } = context;
    const tokens = await login(deps, {
      username: params.username,
      device: deviceOf(context),
      token: headers['x-debug-token'],
    });
    return withCookies(context, tokens);
  },
});

type Login = { username: string; device: Device; token: string | undefined };

function login(
  { db, config, signUps, sessions }: DebugDeps,
  { username, device, token }: Login,
): Promise<SessionTokens> {
  const open = async (tx: Tx) => {
    const user =
      (await findUserByUsername(tx, username)) ??
      (await signUps.register(
        tx,
        { username, email: testEmailOf(username), passwordHash: null, isTest: true },
        { type: 'DEBUG', device },
      ));
    if (isShut(user)) throw commonErrors.UNAUTHORIZED();
    if (user.is_staff) assertToken(config, token);
    return sessions.open(tx, user.id, device, { provider: 'debug' });
  };
  // A concurrent call may register the same username. In that case the retry finds the user.
  return transaction(db, open).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'AUTH_USER_EXISTS') return transaction(db, open);
    throw error;
  });
}
