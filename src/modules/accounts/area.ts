import type { Area, Foundation } from '../../foundation.ts';
import { createDb, createPool } from '../../platform/db.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import { createApiKeys } from './api-keys/service.ts';
import { apiKeyStaffRoutes } from './api-keys/staff.routes.ts';
import { createEmails } from './auth/account/email.ts';
import { accountJobs } from './auth/account/jobs.ts';
import { accountRoutes } from './auth/account/routes.ts';
import { createAccount } from './auth/account/service.ts';
import { createCaptcha } from './auth/captcha.ts';
import { createSignInCompletion } from './auth/complete-sign-in.ts';
import { identityRoutes } from './auth/identity/routes.ts';
import { createIdentity } from './auth/identity/service.ts';
import { sessionJobs } from './auth/jobs.ts';
import { createKnownDevices } from './auth/known-devices.ts';
import { mfaRoutes } from './auth/mfa/routes.ts';
import { createMfa } from './auth/mfa/service.ts';
import { createPasswords } from './auth/passwords.ts';
import { authRoutes } from './auth/routes.ts';
import { createAuth } from './auth/service.ts';
import { createSessions } from './auth/sessions.ts';
import { createSignInLimits } from './auth/sign-in-limits.ts';

type Before = Foundation & Base & Compliance;

/** What later areas do for a new account. */
type Handed = Pick<Parameters<typeof createAuth>[0], 'createSeeds'>;

export type Accounts = ReturnType<typeof createAccounts>;

/** Signing up and in: sessions, passwords, second factors, identity providers; keys of partners' programs. */
export function createAccounts(before: Before, { createSeeds }: Handed) {
  const { db, database, config, metrics, databaseClock, mail, countries, siteConfig } = before;
  const log = before.log.named('auth');
  const sessions = createSessions({
    db,
    config,
    databaseClock,
    log,
    metrics,
    countryOf: countries.countryOf,
  });
  const passwords = createPasswords({
    atOnce: config.PASSWORD_HASHES_AT_ONCE,
    queue: config.PASSWORD_HASH_QUEUE,
    secret: config.DATA_SECRET,
    onHash: () => metrics.passwordHashes.inc(),
  });
  const devices = createKnownDevices(config.DATA_SECRET, databaseClock);
  const signInLimits = createSignInLimits({ db, config, log, metrics, devices });
  const signInCompletion = createSignInCompletion({
    db,
    config,
    sessions,
    mail,
    countries,
    devices,
    signInLimits,
  });
  // Opens no connection before somebody types a code.
  const counterPool = createPool({ ...database, poolSize: 2 }, before.log.named('db'));
  const mfa = createMfa({ db, counters: createDb(counterPool), config, signInCompletion, devices, mail });
  const emails = createEmails({ db, config, mail, devices, sessions });
  const auth = createAuth({
    db,
    sessions,
    signInCompletion,
    passwords,
    countries,
    emails,
    signInLimits,
    brand: config.BRAND_NAME,
    assertRegistrationOpen: siteConfig.assertRegistrationOpen,
    createSeeds,
  });
  return {
    apiKeys: createApiKeys({ db }),
    captcha: createCaptcha(config),
    counterPool,
    sessions,
    passwords,
    emails,
    mfa,
    auth,
    identity: createIdentity({ db, config, clock: databaseClock, log, signInCompletion, auth, emails }),
    account: createAccount({
      db,
      config,
      mail,
      passwords,
      devices,
      signInLimits,
      emails,
      proveMfa: (tx, userId, sessionId, code) => mfa.prove(tx, { userId, sessionId, code }),
    }),
  };
}

export const accounts: Area<Before & Accounts> = {
  routes: (s) => [
    ...authRoutes(s.auth),
    ...accountRoutes(s.account),
    ...identityRoutes(s.identity, s.config),
    ...mfaRoutes(s.mfa),
    ...apiKeyStaffRoutes(s.apiKeys),
  ],
  backofficeRoutes: (s) =>
    apiKeyStaffRoutes(s.apiKeys).map((r) => ({
      ...r,
      path: r.path.replace('/admin', ''),
      tag: 'Api Keys',
    })),
  jobs: (s) => sessionJobs(s.db, s.config),
  tasks: (s) => accountJobs(s.account),
  close: (s) => Promise.all([s.sessions.flush(), s.counterPool.end()]),
};
