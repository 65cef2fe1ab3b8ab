import { operation } from '../../../../http/operation.ts';
import { strictObject } from '../../../../http/schemas.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { Password, userErrors } from '../../../base/users/schemas.ts';
import { getUser } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { authErrors, MfaCode, PasswordGuess, ResultResponse } from '../schemas.ts';
import { prove } from '../second-factor/prove.ts';
import { deviceOf, setDeviceCookie } from '../sessions/cookies.ts';
import { assertNotTemporary, assertOwner, replacePassword } from './replace.ts';

const ChangePassword = strictObject('ChangePasswordRequest', {
  currentPassword: PasswordGuess.meta({ description: 'Empty for a user without a password.' }),
  newPassword: Password,
  mfaCode: MfaCode.optional(),
});

/** If the user has signed in on this device before, the device stays known after the change. */
export const changePassword = operation({
  method: 'PATCH',
  path: '/user/change-password',
  tag: 'User',
  access: 'auth',
  gate: 'none',
  summary: 'Change your password',
  description:
    'Ends every other session. A user without a password can set one within five minutes of signing in by sending an empty ' +
    '`currentPassword`. `mfaCode` is required if two-factor authentication is on.',
  body: ChangePassword,
  response: ResultResponse,
  errors: [
    userErrors.PASSWORD_BREACHED,
    authErrors.PASSWORD_INVALID,
    authErrors.PASSWORD_TEMPORARY,
    authErrors.SIGN_IN_AGAIN,
    commonErrors.MFA_REQUIRED,
    commonErrors.MFA_INVALID,
    commonErrors.RATE_LIMITED,
  ],
  handler: async (deps: AuthDeps, context) => {
    const { db, passwords, passwordPolicy, knownDevices } = deps;
    const { user: caller, setCookie } = context;
    const { currentPassword, newPassword, mfaCode } = context.body;
    const user = await getUser(db, caller.id);
    await assertOwner(deps, caller, user, currentPassword);
    await passwordPolicy(newPassword, user, 'newPassword');
    await assertNotTemporary(deps, user, newPassword);
    const hash = await passwords.hash(newPassword);
    await transaction(db, async (tx) => {
      await prove(deps, tx, { userId: user.id, sessionId: caller.sessionId, code: mfaCode });
      const isReplaced = await replacePassword(deps, tx, user, { hash, exceptSession: caller.sessionId });
      if (!isReplaced) throw authErrors.PASSWORD_INVALID();
    });
    const { knownAs } = deviceOf(context);
    const isKnown = knownDevices.find(knownAs, user) !== undefined;
    const owner = { id: user.id, password_hash: hash };
    setDeviceCookie(setCookie, isKnown ? knownDevices.remember(knownAs, owner) : undefined);
    return { result: true };
  },
});
