import type { Emails } from './email.ts';
import { createForgotPassword } from './forgot.ts';
import { createPasswordChanges } from './password.ts';

export type Account = ReturnType<typeof createAccount>;

type Deps = Parameters<typeof createPasswordChanges>[0] & { emails: Emails };

/** What users do about their own address and password. */
export function createAccount({ emails, ...needs }: Deps) {
  const { change, reset } = createPasswordChanges(needs);
  const { request, answer } = createForgotPassword(needs);
  return {
    requestVerification: emails.requestVerification,
    verifyEmail: emails.verify,
    changePassword: change,
    resetPassword: reset,
    forgotPassword: request,
    /** Answers a job FORGOT_PASSWORD of the queue. */
    sendResetLink: answer,
  };
}
