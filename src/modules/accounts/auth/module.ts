import { defineModule } from '../../../http/module.ts';
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
import { FORGOT_PASSWORD, requestPasswordReset, resetPassword, sendResetLink } from './password/reset.ts';
import { purgeJobs } from './purge.ts';
import { disableApp, enableApp, generateAppKey, resetApp } from './second-factor/app.ts';
import { verifySecondFactor } from './second-factor/verify.ts';
import { endCurrentSession, endOtherSessions, endSession, listSessions } from './sessions/manage.ts';
import { getSocketToken, refreshTokens } from './sessions/refresh.ts';
import { reportUse, SESSION_UPDATE } from './sessions/use-events.ts';
import { signInWithPassword, signUpWithPassword } from './sign-in/sign-in.ts';

export const auth = defineModule({
  name: 'auth',
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
  jobs: ({ db, config }: AuthDeps) => purgeJobs(db, config),
  tasks: (deps: AuthDeps) => ({
    [FORGOT_PASSWORD]: (payload) => sendResetLink(deps, payload),
    [EMAIL_CHANGE]: (payload) => sendEmailChangeLinks(deps, payload),
    [SESSION_UPDATE]: (payload) => reportUse(deps, payload),
  }),
  close: ({ sessions }: AuthDeps) => sessions.flush(),
});

/** Operations whose paths depend on the configuration; the area binds them. */
export { identityOperations } from './identity/sign-in.ts';
