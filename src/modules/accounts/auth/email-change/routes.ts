import { route } from '../../../../http/route.ts';
import { SuccessResponse } from '../../../../http/schemas.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { userErrors } from '../../../base/users/errors.ts';
import { deviceOf } from '../cookies.ts';
import { authErrors } from '../errors.ts';
import { emailChangeErrors } from './errors.ts';
import { ChangeEmail, ConfirmEmail, EmailChange, EmailChangeState, EmailConfirmed } from './schemas.ts';
import type { EmailChanges } from './service.ts';

const own = { tag: 'User', path: '/user/email/change', access: 'auth' } as const;

export const emailChangeRoutes = (changes: EmailChanges) => [
  route({
    ...own,
    method: 'POST',
    gate: 'none',
    summary: 'Ask for another email address',
    description:
      'Links go to both addresses; where nobody has proven the present one, to the new one alone. Nothing changes until every one of them is ' +
      'followed, in any order (`POST /user/email/confirm`). The answer is the same whether the new address has an account or not. Another ' +
      'request replaces the one before; a new password ends it.',
    body: ChangeEmail,
    response: EmailChange,
    errors: [
      emailChangeErrors.EMAIL_UNCHANGED,
      authErrors.PASSWORD_INVALID,
      authErrors.PASSWORD_TEMPORARY,
      authErrors.SIGN_IN_AGAIN,
      commonErrors.MFA_REQUIRED,
      commonErrors.MFA_INVALID,
      commonErrors.RATE_LIMITED,
    ],
    handler: ({ user, body }) => changes.request(user, body),
  }),
  route({
    ...own,
    method: 'GET',
    summary: 'The change of the own email address that is under way',
    response: EmailChangeState,
    handler: ({ user }) => changes.state(user.id),
  }),
  route({
    ...own,
    method: 'DELETE',
    gate: 'none',
    summary: 'Cancel the change of the own email address',
    response: SuccessResponse,
    errors: [emailChangeErrors.EMAIL_CHANGE_NOT_FOUND],
    handler: ({ user }) => changes.cancel(user.id),
  }),
  route({
    method: 'POST',
    path: '/user/email/confirm',
    tag: 'User',
    access: 'anonymous',
    readsSession: true,
    gate: 'none',
    limit: 'auth',
    summary: 'Agree to a change of an email address with the token of the mail',
    description:
      'The token answers the same again until the change expires. With the last confirmation the account has the new address, and every ' +
      'session ends but the one that asked for it. The new address of an account with second factors, identities or keys is confirmed in a browser ' +
      'that has been signed in to it.',
    body: ConfirmEmail,
    response: EmailConfirmed,
    errors: [emailChangeErrors.CONFIRM_SIGNED_IN, userErrors.AUTH_USER_EXISTS, commonErrors.RATE_LIMITED],
    handler: (context) =>
      changes.confirm(context.body.token, { device: deviceOf(context), signedInAs: context.user?.id }),
  }),
];
