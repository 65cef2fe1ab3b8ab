import type { Area, Foundation } from '../../foundation.ts';
import { remount } from '../../http/route.ts';
import { createDb, createPool } from '../../platform/db.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import { createApiKeys } from './api-keys/service.ts';
import { apiKeyStaffRoutes } from './api-keys/staff.routes.ts';
import { createPasswordChange } from './auth/account/change-password.ts';
import { createEmails } from './auth/account/email.ts';
import { createPasswordResets, FORGOT_PASSWORD } from './auth/account/reset-password.ts';
import { accountRoutes } from './auth/account/routes.ts';
import { createBreachedPasswords } from './auth/breached-passwords.ts';
import { createCaptcha } from './auth/captcha.ts';
import { EMAIL_CHANGE } from './auth/email-change/request.ts';
import { emailChangeRoutes } from './auth/email-change/routes.ts';
import { createEmailChanges } from './auth/email-change/service.ts';
import { identityRoutes } from './auth/identity/routes.ts';
import { createIdentity } from './auth/identity/service.ts';
import { sessionJobs } from './auth/jobs.ts';
import { createKnownDevices } from './auth/known-devices.ts';
import { createFactor } from './auth/mfa/factor.ts';
import { mfaRoutes } from './auth/mfa/routes.ts';
import { createMfa } from './auth/mfa/service.ts';
import { passkeyRoutes } from './auth/passkeys/routes.ts';
import { createPasskeys } from './auth/passkeys/service.ts';
import { createPasswordPolicy } from './auth/password-policy.ts';
import { createPasswords } from './auth/passwords.ts';
import { authRoutes } from './auth/routes.ts';
import { SESSION_UPDATE } from './auth/session-update.ts';
import { createSessions } from './auth/sessions.ts';
import { createSignIns } from './auth/sign-in.ts';
import { createSignInLimits } from './auth/sign-in-limits.ts';
import { createSignUps } from './auth/sign-up.ts';

type Before = Foundation & Base & Compliance;

/** What later areas do for a new account. */
type Handed = Pick<Parameters<typeof createSignUps>[0], 'createSeeds' | 'attribute' | 'queueWelcomeBonus'>;

export type Accounts = ReturnType<typeof createAccounts>;

/** Signing up and in: sessions, passwords, second factors, identity providers; API keys of partners. */
export function createAccounts(before: Before, handed: Handed) {
  const { db, database, config, metrics, databaseClock } = before;
  const deps = { ...before, log: before.log.named('auth') };
  const sessions = createSessions(deps);
  const passwords = createPasswords(config, () => metrics.passwordHashes.inc());
  const passwordPolicy = createPasswordPolicy(createBreachedPasswords(deps));
  const devices = createKnownDevices(config.DATA_SECRET, databaseClock);
  const signInLimits = createSignInLimits({ ...deps, devices });
  const signIns = createSignIns({ ...deps, sessions, passwords, devices, signInLimits });
  // Opens no connection before somebody types a code.
  const counterPool = createPool({ ...database, poolSize: 2 }, before.log.named('db'));
  const factor = createFactor({ counters: createDb(counterPool), config });
  const mfa = createMfa({ ...deps, factor, signIns, devices });
  const emails = createEmails({ ...deps, devices, sessions, signInLimits, ...handed });
  const signUps = createSignUps({ ...deps, signIns, passwords, passwordPolicy, emails, ...handed });
  return {
    apiKeys: createApiKeys(db),
    captcha: createCaptcha(config),
    counterPool,
    sessions,
    passwords,
    emails,
    mfa,
    passkeys: createPasskeys({ ...deps, factor, signIns, devices }),
    signIns,
    signUps,
    identity: createIdentity({ ...deps, signIns, signUps, emails }),
    emailChanges: createEmailChanges({
      ...deps,
      sessions,
      passwords,
      devices,
      mfa,
      emails,
      signInLimits,
      ...handed,
    }),
    changePassword: createPasswordChange({ ...deps, passwords, passwordPolicy, devices, mfa }),
    passwordResets: createPasswordResets({ ...deps, passwords, passwordPolicy, signInLimits, ...handed }),
  };
}

export const accounts: Area<Before & Accounts> = {
  routes: (s) => [
    ...authRoutes(s),
    ...accountRoutes(s),
    ...emailChangeRoutes(s.emailChanges),
    ...identityRoutes(s.identity, s.config),
    ...mfaRoutes(s.mfa),
    ...passkeyRoutes(s.passkeys),
    ...apiKeyStaffRoutes(s.apiKeys),
  ],
  backofficeRoutes: (s) => remount(apiKeyStaffRoutes(s.apiKeys), { without: '/admin', tag: 'Api Keys' }),
  jobs: (s) => sessionJobs(s.db, s.config),
  tasks: (s) => ({
    [FORGOT_PASSWORD]: s.passwordResets.sendLink,
    [EMAIL_CHANGE]: s.emailChanges.sendLinks,
    [SESSION_UPDATE]: s.sessions.sayUse,
  }),
  close: (s) => Promise.all([s.sessions.flush(), s.counterPool.end()]),
};
