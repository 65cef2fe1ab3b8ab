import { route } from '../../../../http/route.ts';
import { SuccessResponse } from '../../../../http/schemas.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { deviceOf, withCookies } from '../cookies.ts';
import { authErrors } from '../errors.ts';
import { AuthSessionTokens } from '../schemas.ts';
import { mfaErrors } from './errors.ts';
import { DisableMfa, EnableMfa, MfaEnabled, MfaSetup, ResetMfa, VerifyMfa } from './schemas.ts';
import type { Mfa } from './service.ts';

const { MFA_INVALID, MFA_REQUIRED, UNAUTHORIZED } = commonErrors;
const { MFA_ALREADY_ENABLED, MFA_NOT_ENABLED, MFA_NOT_PENDING } = mfaErrors;

const change = { method: 'POST', tag: 'User', access: 'auth', gate: 'none', status: 201 } as const;

export const mfaRoutes = (mfa: Mfa) => [
  route({
    method: 'POST',
    path: '/auth/verify-2fa',
    tag: 'Authorization',
    access: 'anonymous',
    gate: 'none',
    limit: 'auth',
    summary: 'Complete a sign-in with the second factor',
    description:
      'Takes the temporary token of a sign-in that answered `requireMfa`, and the current code or an unused recovery code; a passkey goes to `POST /user/passkeys/second-factor`. A token has five tries of codes, and ten of recovery codes.',
    body: VerifyMfa,
    status: 200,
    response: AuthSessionTokens,
    errors: [MFA_INVALID, UNAUTHORIZED, authErrors.AUTH_INVALID_CREDENTIALS],
    handler: async (context) => withCookies(context, await mfa.verify(context.body, deviceOf(context))),
  }),
  route({
    method: 'GET',
    path: '/user/generate-2fa',
    tag: 'User',
    access: 'auth',
    hasSideEffect: true,
    summary: 'Begin to turn on the authenticator app as second factor',
    description:
      'Needs a session that was opened within the last minutes or, where there is a passkey already, has proven it in them. The key is valid in this session only, for ten minutes, and shown once: asking again ' +
      'creates another. Nothing changes until `POST /user/enable-2fa` confirms it.',
    response: MfaSetup,
    errors: [MFA_ALREADY_ENABLED, MFA_REQUIRED, authErrors.SIGN_IN_AGAIN],
    handler: ({ user }) => mfa.generate(user),
  }),
  route({
    ...change,
    path: '/user/enable-2fa',
    summary: 'Turn on the authenticator app with its first code',
    description:
      'Takes a code of the key that this session has asked for. Answers ten recovery codes, shown this once, in place of those that there were. Every other session ends.',
    body: EnableMfa,
    response: MfaEnabled,
    errors: [MFA_INVALID, MFA_NOT_PENDING, MFA_ALREADY_ENABLED],
    handler: ({ user, body }) => mfa.enable(user, body.mfaCode),
  }),
  route({
    ...change,
    path: '/user/disable-2fa',
    summary: 'Turn off the authenticator app',
    description:
      'Needs no body in a session that has just proved the second factor; `mfaCode` proves it here. Passkeys stay: `DELETE /user/passkeys/{id}` removes one. Every other session ends.',
    body: DisableMfa,
    response: SuccessResponse,
    errors: [MFA_INVALID, MFA_REQUIRED, MFA_NOT_ENABLED],
    handler: ({ user, body }) => mfa.disable(user, body.mfaCode),
  }),
  route({
    ...change,
    path: '/user/reset-2fa',
    summary: 'Replace a lost authenticator app',
    description:
      'Takes an unused recovery code; a session that was just opened with one needs none. The app is off until `POST /user/enable-2fa` confirms the new one; passkeys stay. Every other session ends.',
    body: ResetMfa,
    response: MfaSetup,
    errors: [MFA_INVALID, MFA_REQUIRED, MFA_NOT_ENABLED],
    handler: ({ user, body }) => mfa.reset(user, body.recoveryCode),
  }),
];
