import type { Foundation } from '../../app/foundation.ts';
import { areaOf } from '../../http/module.ts';
import { bind } from '../../http/operation.ts';
import { createDb, createPool } from '../../platform/database/db.ts';
import { dataSecret } from '../../platform/secrets/encryption.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import { apiKeys } from './api-keys/module.ts';
import { createApiKeys } from './api-keys/service.ts';
import type { AuthDeps } from './auth/deps.ts';
import { createIdentity } from './auth/identity/round-trips.ts';
import { auth, identityOperations } from './auth/module.ts';
import { createPasswords } from './auth/password/passwords.ts';
import { createPasswordPolicy } from './auth/password/policy.ts';
import { createFactor } from './auth/second-factor/factor.ts';
import { createMfa } from './auth/second-factor/prove.ts';
import { createSessions } from './auth/sessions/sessions.ts';
import { createCaptcha } from './auth/sign-in/captcha.ts';
import { createKnownDevices } from './auth/sign-in/known-devices.ts';
import { createSignInLimits } from './auth/sign-in/limits.ts';
import { createSignUps } from './auth/sign-in/open-account.ts';

type Before = Foundation & Base & Compliance;

/** Functions of later areas for a new account. */
type Handed = Pick<AuthDeps, 'createSeeds' | 'attribute' | 'queueWelcomeBonus'>;

export type Accounts = ReturnType<typeof createAccounts>;

/** The services of this area: sign-up and sign-in, sessions, passwords, second factors, identity providers, and API keys. */
export function createAccounts(before: Before, handed: Handed) {
  const { db, database, config, metrics, databaseClock } = before;
  const deps = { ...before, log: before.log.named('auth') };
  const passwords = createPasswords(config, () => metrics.passwordHashes.inc());
  const passwordPolicy = createPasswordPolicy(deps);
  const knownDevices = createKnownDevices(dataSecret(config), databaseClock);
  // Opens no connection before the first code is entered.
  const counterPool = createPool({ ...database, poolSize: 2 }, before.log.named('db'));
  const factor = createFactor({ counters: createDb(counterPool), config });
  return {
    ...handed,
    apiKeys: createApiKeys(db),
    captcha: createCaptcha(config),
    counterPool,
    sessions: createSessions(deps),
    passwords,
    passwordPolicy,
    knownDevices,
    signInLimits: createSignInLimits({ ...deps, knownDevices }),
    factor,
    mfa: createMfa({ db, config, factor }),
    identity: createIdentity(deps),
    signUps: createSignUps({ ...handed, config, passwords, passwordPolicy }),
  };
}

export const accounts = areaOf<Before & Accounts>([auth, apiKeys], {
  routes: (s) => bind(identityOperations(s.config), s),
  close: (s) => s.counterPool.end(),
});
