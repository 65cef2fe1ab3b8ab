import { route } from '../../../../http/route.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { deviceCookies } from '../cookies.ts';
import { authErrors } from '../errors.ts';
import { deviceOf } from '../routes.ts';
import {
  ChangePassword,
  ForgotPassword,
  ResetPassword,
  ResultResponse,
  VerifyEmailQuery,
} from './schemas.ts';
import type { Account } from './service.ts';

export const accountRoutes = (account: Account) => [
  route({
    method: 'GET',
    path: '/user/request-email-verification',
    tag: 'User',
    access: 'auth',
    hasSideEffect: true,
    summary: 'Receive another link that verifies the email address',
    description: 'Three an hour. Nothing is sent when the address is verified already.',
    status: 200,
    errors: [commonErrors.RATE_LIMITED],
    handler: ({ user }) => account.requestVerification(user.id),
  }),
  route({
    method: 'GET',
    path: '/user/verify-email',
    tag: 'User',
    access: 'anonymous',
    limit: 'auth',
    hasSideEffect: true,
    summary: 'Verify an email address with the token of the mail',
    description:
      'The same token again answers true as long as the address is verified. False: unknown, over, or replaced by a newer one.',
    query: VerifyEmailQuery,
    status: 200,
    response: ResultResponse,
    handler: (context) => account.verifyEmail(context.query.token, deviceOf(context)),
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
    status: 200,
    response: ResultResponse,
    errors: [
      authErrors.PASSWORD_INVALID,
      authErrors.PASSWORD_TEMPORARY,
      authErrors.SIGN_IN_AGAIN,
      commonErrors.MFA_REQUIRED,
      commonErrors.MFA_INVALID,
      commonErrors.RATE_LIMITED,
    ],
    handler: async (context) => {
      const { deviceCookie } = await account.changePassword(context.user, context.body, deviceOf(context));
      for (const cookie of deviceCookies(deviceCookie)) context.setCookie(cookie);
      return { result: true };
    },
  }),
  route({
    method: 'POST',
    path: '/user/forgot-password',
    tag: 'User',
    access: 'anonymous',
    gate: 'none',
    limit: 'auth',
    summary: 'Receive a link that resets the password',
    description: 'The same answer for a known and an unknown address.',
    body: ForgotPassword,
    status: 201,
    response: ResultResponse,
    handler: ({ body }) => account.forgotPassword(body.email),
  }),
  route({
    method: 'PATCH',
    path: '/user/confirm-password-reset',
    tag: 'User',
    access: 'anonymous',
    gate: 'none',
    limit: 'auth',
    summary: 'Set a new password with the token of the mail; ends every session',
    description:
      'Signs nobody in. False: the token is used, over, unknown, or replaced by a newer one. A second factor stays in force, unless ' +
      'nobody had proven the address before: then whatever a stranger may have set up goes (factor, linked identities, API key).',
    body: ResetPassword,
    status: 200,
    response: ResultResponse,
    handler: (context) => account.resetPassword(context.body, deviceOf(context)),
  }),
];
