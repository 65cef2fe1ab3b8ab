import { defineModule } from '../../../http/module.ts';
import { bind } from '../../../http/operation.ts';
import type { Pool } from '../../../platform/database/db.ts';
import type { AuthDeps } from './deps.ts';
import {
  cancelEmailChange,
  EMAIL_CHANGE,
  getEmailChange,
  requestEmailChange,
  sendEmailChangeLinks,
} from './email/change.ts';
import { confirmEmailChange } from './email/confirm.ts';
import { requestVerification, verifyEmail } from './email/verify.ts';
import { setupUsername } from './identity/setup-username.ts';
import { identityOperations } from './identity/sign-in.ts';
import { authMessages } from './messages.ts';
import { listSecondFactors, removePasskey, renamePasskey } from './passkeys/manage.ts';
import { getProofOptions, provePasskey } from './passkeys/prove.ts';
import { getRegistrationOptions, registerPasskey } from './passkeys/register.ts';
import {
  completeSignInWithPasskey,
  getPasskeySignInOptions,
  getSecondFactorOptions,
  signInWithPasskey,
} from './passkeys/sign-in.ts';
import { changePassword } from './password/change.ts';
import { confirmSession } from './password/confirm.ts';
import { FORGOT_PASSWORD, requestPasswordReset, resetPassword, sendResetLink } from './password/reset.ts';
import { purgeJobs } from './purge.ts';
import { authEvents } from './schemas.ts';
import { disableApp, enableApp, generateAppKey, resetApp } from './second-factor/app.ts';
import { verifySecondFactor } from './second-factor/verify.ts';
import { createAuth } from './service.ts';
import { endCurrentSession, endOtherSessions, endSession, listSessions } from './sessions/manage.ts';
import { getSocketToken, refreshTokens } from './sessions/refresh.ts';
import { reportUse, SESSION_UPDATE } from './sessions/use-events.ts';
import { signInWithPassword, signUpWithPassword } from './sign-in/sign-in.ts';

type Services = AuthDeps & { counterPool: Pool };

export const auth = defineModule({
  name: 'auth',
  tags: {
    Authorization: 'Sign-up, sign-in, refresh, identity providers and the second factor.',
    Passkeys: 'Passkeys, as a second factor and for signing in without a password.',
    Session: 'The sessions of an account, and signing out.',
  },
  events: authEvents,
  messages: authMessages,
  create: createAuth,
  operations: [
    signUpWithPassword,
    signInWithPassword,
    refreshTokens,
    getSocketToken,
    endCurrentSession,
    listSessions,
    endOtherSessions,
    endSession,
    requestVerification,
    verifyEmail,
    changePassword,
    confirmSession,
    requestPasswordReset,
    resetPassword,
    requestEmailChange,
    getEmailChange,
    cancelEmailChange,
    confirmEmailChange,
    setupUsername,
    verifySecondFactor,
    generateAppKey,
    enableApp,
    disableApp,
    resetApp,
    listSecondFactors,
    getRegistrationOptions,
    registerPasskey,
    renamePasskey,
    removePasskey,
    getProofOptions,
    provePasskey,
    getPasskeySignInOptions,
    signInWithPasskey,
    getSecondFactorOptions,
    completeSignInWithPasskey,
  ],
  jobs: ({ db, config }: Services) => purgeJobs(db, config),
  tasks: (deps: Services) => ({
    [FORGOT_PASSWORD]: (payload) => sendResetLink(deps, payload),
    [EMAIL_CHANGE]: (payload) => sendEmailChangeLinks(deps, payload),
    [SESSION_UPDATE]: (payload) => reportUse(deps, payload),
  }),
  // The paths of identity providers depend on the configuration.
  routes: (deps: Services) => bind(identityOperations(deps.config), deps),
  async close({ sessions, counterPool }: Services) {
    await sessions.flush();
    await counterPool.end();
  },
});
