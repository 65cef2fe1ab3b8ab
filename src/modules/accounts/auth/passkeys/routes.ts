import { route } from '../../../../http/route.ts';
import { SuccessResponse } from '../../../../http/schemas.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { deviceOf, withCookies } from '../cookies.ts';
import { authErrors } from '../errors.ts';
import { AuthSessionTokens } from '../schemas.ts';
import { passkeyErrors } from './errors.ts';
import {
  AssertionOptions,
  NewPasskey,
  Passkey,
  PasskeyAdded,
  PasskeyName,
  PasskeyPath,
  PasskeyProof,
  PasskeyProven,
  PasskeySignIn,
  PasskeySignInOptions,
  RegistrationOptions,
  RemovePasskey,
  SecondFactor,
  SecondFactorOptions,
  SecondFactors,
} from './schemas.ts';
import type { Passkeys } from './service.ts';

const { MFA_INVALID, MFA_REQUIRED, RATE_LIMITED, UNAUTHORIZED } = commonErrors;
const { PASSKEY_CHALLENGE_INVALID, PASSKEY_EXISTS, PASSKEY_INVALID, PASSKEY_LIMIT } = passkeyErrors;
const { LAST_FACTOR, NO_PASSKEY, PASSKEY_NOT_FOUND, PASSKEY_REFUSED } = passkeyErrors;

const tag = 'Passkeys';
const own = { tag, access: 'auth', gate: 'none' } as const;
const signingIn = { method: 'POST', tag, access: 'anonymous', gate: 'none', limit: 'auth' } as const;

export const passkeyRoutes = (passkeys: Passkeys) => [
  route({
    method: 'GET',
    path: '/user/passkeys',
    tag,
    access: 'auth',
    summary: 'Own second factors: passkeys, whether the authenticator app is on, recovery codes left',
    response: SecondFactors,
    handler: ({ user }) => passkeys.list(user),
  }),
  route({
    ...own,
    method: 'POST',
    path: '/user/passkeys/registration/options',
    summary: 'Begin to add a passkey',
    description:
      'Needs a session that was opened within the last minutes or, where there is a second factor already, has proven it in them. The answer is for ' +
      '`navigator.credentials.create`; its challenge is good once, in this session, for five minutes.',
    response: RegistrationOptions,
    errors: [authErrors.SIGN_IN_AGAIN, MFA_REQUIRED, authErrors.PASSWORD_TEMPORARY, PASSKEY_LIMIT],
    handler: ({ user }) => passkeys.registrationOptions(user),
  }),
  route({
    ...own,
    method: 'POST',
    path: '/user/passkeys',
    summary: 'Add the passkey that the browser has made',
    description:
      'The passkey signs in by itself, and is a second factor after a password. With the first second factor of an account ten recovery codes ' +
      'are shown, this once, and every other session ends.',
    body: NewPasskey,
    response: PasskeyAdded,
    errors: [
      PASSKEY_CHALLENGE_INVALID,
      PASSKEY_INVALID,
      MFA_REQUIRED,
      PASSKEY_EXISTS,
      PASSKEY_LIMIT,
      RATE_LIMITED,
    ],
    handler: ({ user, body }) => passkeys.register(user, body),
  }),
  route({
    ...own,
    method: 'PATCH',
    path: '/user/passkeys/{id}',
    summary: 'Rename a passkey',
    params: PasskeyPath,
    body: PasskeyName,
    response: Passkey,
    errors: [PASSKEY_NOT_FOUND],
    handler: ({ user, params, body }) => passkeys.rename(user, params.id, body.name),
  }),
  route({
    ...own,
    method: 'DELETE',
    path: '/user/passkeys/{id}',
    summary: 'Remove a passkey',
    description:
      'Needs no body in a session that has just proven a second factor; `mfaCode` proves it here. Every other session ends. With the last ' +
      'second factor the recovery codes go, too; staff keeps one where it needs one.',
    params: PasskeyPath,
    body: RemovePasskey,
    response: SuccessResponse,
    errors: [PASSKEY_NOT_FOUND, MFA_INVALID, MFA_REQUIRED, LAST_FACTOR, RATE_LIMITED],
    handler: ({ user, params, body }) => passkeys.remove(user, { id: params.id, code: body.mfaCode }),
  }),
  route({
    ...own,
    method: 'POST',
    path: '/user/passkeys/proof/options',
    summary: 'Begin to prove the second factor with a passkey',
    description:
      'The answer is for `navigator.credentials.get`; its challenge is good once, in this session, for five minutes.',
    response: AssertionOptions,
    errors: [NO_PASSKEY],
    handler: ({ user }) => passkeys.proofOptions(user),
  }),
  route({
    ...own,
    method: 'POST',
    path: '/user/passkeys/proof',
    summary: 'Prove the second factor with a passkey',
    description:
      'This session has proven its second factor from now on, as by a code: dangerous operations go on without the header `x-mfa-code`. What wants a ' +
      'code each time (a withdrawal, a tip) takes the `mfaCode` of the answer in place of one: once, in this session, within five minutes.',
    body: PasskeyProof,
    response: PasskeyProven,
    errors: [PASSKEY_CHALLENGE_INVALID, PASSKEY_INVALID, RATE_LIMITED],
    handler: ({ user, body }) => passkeys.prove(user, body.response),
  }),
  route({
    ...signingIn,
    path: '/user/passkeys/sign-in/options',
    summary: 'Begin to sign in with a passkey alone',
    description:
      'The same for everybody: the browser offers the passkeys that it has for this site. Good for five minutes.',
    response: PasskeySignInOptions,
    errors: [RATE_LIMITED],
    handler: () => passkeys.signInOptions(),
  }),
  route({
    ...signingIn,
    path: '/user/passkeys/sign-in',
    summary: 'Sign in with a passkey alone',
    description: 'A passkey that has verified its user is both factors.',
    captcha: true,
    body: PasskeySignIn,
    response: AuthSessionTokens,
    errors: [
      authErrors.AUTH_RECAPTCHA_TOKEN_MISSING,
      authErrors.AUTH_INVALID_CAPTCHA,
      gateErrors.AUTH_GEO_BLOCKED,
      PASSKEY_CHALLENGE_INVALID,
      PASSKEY_INVALID,
      PASSKEY_REFUSED,
      authErrors.AUTH_INVALID_CREDENTIALS,
      RATE_LIMITED,
    ],
    handler: async (context) => withCookies(context, await passkeys.signIn(context.body, deviceOf(context))),
  }),
  route({
    ...signingIn,
    path: '/user/passkeys/second-factor/options',
    summary: 'Begin to complete a sign-in with a passkey as second factor',
    description: 'Takes the temporary token of a sign-in that answered `requireMfa`.',
    body: SecondFactorOptions,
    response: AssertionOptions,
    errors: [UNAUTHORIZED, NO_PASSKEY, RATE_LIMITED],
    handler: ({ body }) => passkeys.secondFactorOptions(body),
  }),
  route({
    ...signingIn,
    path: '/user/passkeys/second-factor',
    summary: 'Complete a sign-in with a passkey as second factor',
    description: 'In place of `POST /auth/verify-2fa`. A token has ten tries of passkeys.',
    body: SecondFactor,
    response: AuthSessionTokens,
    errors: [
      UNAUTHORIZED,
      authErrors.AUTH_INVALID_CREDENTIALS,
      PASSKEY_CHALLENGE_INVALID,
      PASSKEY_INVALID,
      RATE_LIMITED,
    ],
    handler: async (context) =>
      withCookies(context, await passkeys.completeSignIn(context.body, deviceOf(context))),
  }),
];
