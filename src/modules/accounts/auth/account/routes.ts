import { route } from '../../../../http/route.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { userErrors } from '../../../base/users/errors.ts';
import { deviceOf, setDeviceCookie } from '../cookies.ts';
import { authErrors } from '../errors.ts';
import type { PasswordChange } from './change-password.ts';
import type { Emails } from './email.ts';
import type { PasswordResets } from './reset-password.ts';
import {
  ChangePassword,
  ForgotPassword,
  ResetPassword,
  ResultResponse,
  VerifyEmailQuery,
} from './schemas.ts';

type Services = { emails: Emails; changePassword: PasswordChange; passwordResets: PasswordResets };

const anonymous = { tag: 'User', access: 'anonymous', limit: 'auth' } as const;

export const accountRoutes = ({ emails, changePassword, passwordResets }: Services) => [
  route({
    method: 'GET',
    path: '/user/request-email-verification',
    tag: 'User',
    access: 'auth',
    hasSideEffect: true,
    summary: 'Receive another link that verifies the email address',
    description: 'Three an hour. Nothing is sent when the address is verified already.',
    errors: [commonErrors.RATE_LIMITED],
    handler: ({ user }) => emails.requestVerification(user.id),
  }),
  route({
    ...anonymous,
    method: 'GET',
    path: '/user/verify-email',
    hasSideEffect: true,
    summary: 'Verify an email address with the token of the mail',
    description:
      'The same token answers true again as long as the address is verified. False: unknown, expired, or replaced by a newer one.',
    query: VerifyEmailQuery,
    response: ResultResponse,
    handler: (context) => emails.verify(context.query.token, deviceOf(context)),
  }),
  route({
    method: 'PATCH',
    path: '/user/change-password',
    tag: 'User',
    access: 'auth',
    gate: 'none',
    summary: 'Change the own password; ends every other session',
    description:
      'A user without a password sets the first one within five minutes of signing in, with an empty currentPassword. mfaCode is needed when 2FA is on.',
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
    handler: async (context) => {
      const { deviceCookie } = await changePassword(context.user, context.body, deviceOf(context));
      setDeviceCookie(context.setCookie, deviceCookie);
      return { result: true };
    },
  }),
  route({
    ...anonymous,
    method: 'POST',
    path: '/user/forgot-password',
    gate: 'none',
    summary: 'Receive a link that resets the password',
    description: 'The response is the same for a known and an unknown address.',
    body: ForgotPassword,
    response: ResultResponse,
    handler: ({ body }) => passwordResets.request(body.email),
  }),
  route({
    ...anonymous,
    method: 'PATCH',
    path: '/user/confirm-password-reset',
    gate: 'none',
    summary: 'Set a new password with the token of the mail; ends every session',
    description:
      'Signs nobody in. False: the token is used, expired, unknown, or replaced by a newer one. A second factor stays in force, unless ' +
      'nobody had proven the address before: then everything that a stranger may have set up is removed (second factors, passkeys, linked identities, API key).',
    body: ResetPassword,
    response: ResultResponse,
    errors: [userErrors.PASSWORD_BREACHED, authErrors.PASSWORD_TEMPORARY],
    handler: (context) => passwordResets.reset(context.body, deviceOf(context)),
  }),
];
