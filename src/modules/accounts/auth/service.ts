import { createDb, createPool, type DbOptions } from '../../../platform/database/db.ts';
import { dataSecret } from '../../../platform/secrets/encryption.ts';
import type { AuthDeps } from './deps.ts';
import { createIdentity } from './identity/round-trips.ts';
import { createPasswords } from './password/passwords.ts';
import { createPasswordPolicy } from './password/policy.ts';
import { createFactor } from './second-factor/factor.ts';
import { createMfa } from './second-factor/prove.ts';
import { createSessions } from './sessions/sessions.ts';
import { createCaptcha } from './sign-in/captcha.ts';
import { createKnownDevices } from './sign-in/known-devices.ts';
import { createSignInLimits } from './sign-in/limits.ts';
import { createSignUps } from './sign-in/open-account.ts';

/** Functions that opening an account needs from areas that are created after this one. */
export type ForNewAccounts = Pick<AuthDeps, 'createSeeds' | 'attribute' | 'queueWelcomeBonus'>;

export type AuthOptions = ForNewAccounts &
  Pick<AuthDeps, 'db' | 'config' | 'log' | 'metrics' | 'databaseClock'> & { database: DbOptions };

/** Sign-up and sign-in, sessions, passwords, second factors and identity providers. */
export function createAuth({ createSeeds, attribute, queueWelcomeBonus, ...before }: AuthOptions) {
  const { db, database, config, metrics, databaseClock } = before;
  const forNewAccounts = { createSeeds, attribute, queueWelcomeBonus };
  const deps = { ...before, log: before.log.named('auth') };
  const passwords = createPasswords(config, () => metrics.passwordHashes.inc());
  const passwordPolicy = createPasswordPolicy(deps);
  const knownDevices = createKnownDevices(dataSecret(config), databaseClock);
  // The pool opens no connection before the first code is entered.
  const counterPool = createPool({ ...database, poolSize: 2 }, before.log.named('db'));
  const factor = createFactor({ counters: createDb(counterPool), config });
  return {
    ...forNewAccounts,
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
    signUps: createSignUps({ ...forNewAccounts, config, passwords, passwordPolicy }),
  };
}
