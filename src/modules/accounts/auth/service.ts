import { z } from 'zod';
import type { Config } from '../../../platform/config/config.ts';
import { createDb, createPool, type DbOptions } from '../../../platform/database/db.ts';
import { dataSecret } from '../../../platform/secrets/encryption.ts';
import type { AuthDeps } from './deps.ts';
import { createIdentity } from './identity/round-trips.ts';
import { createPasswords } from './password/passwords.ts';
import { createPasswordPolicy } from './password/policy.ts';
import { authErrors } from './schemas.ts';
import { createFactor } from './second-factor/factor.ts';
import { createMfa } from './second-factor/prove.ts';
import { createSessions } from './sessions/sessions.ts';
import { createKnownDevices } from './sign-in/known-devices.ts';
import { createSignInLimits } from './sign-in/limits.ts';
import { createSignUps } from './sign-in/open-account.ts';

/** Functions that are needed to open an account and that belong to areas created after this one. */
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
  const sessions = createSessions(deps);
  // The pool opens no connection until the first code is entered.
  const counterPool = createPool({ ...database, poolSize: 2 }, before.log.named('db'));
  const factor = createFactor({ counters: createDb(counterPool), config });
  return {
    ...forNewAccounts,
    captcha: createCaptcha(config),
    counterPool,
    sessions,
    passwords,
    passwordPolicy,
    knownDevices,
    signInLimits: createSignInLimits({ ...deps, knownDevices }),
    factor,
    mfa: createMfa({ db, config, factor, sessions }),
    identity: createIdentity(deps),
    signUps: createSignUps({ ...forNewAccounts, config, passwords, passwordPolicy }),
  };
}

const Verdict = z.object({ success: z.boolean() });
const TIMEOUT_MS = 3000;

/**
 * Checks a captcha token with the siteverify protocol that reCAPTCHA, hCaptcha and Turnstile share. Throws AUTH_INVALID_CAPTCHA if the
 * service rejects the token, or if its response is missing, late or invalid. The fixed local token is valid only if APP_ENV is `local`.
 */
export function createCaptcha(config: Config) {
  return async (token: string | undefined, ip: string): Promise<void> => {
    if (!token) throw authErrors.AUTH_RECAPTCHA_TOKEN_MISSING();
    if (config.APP_ENV === 'local' && token === config.CAPTCHA_LOCAL_TOKEN) return;
    if (token.length > 4096 || !(await isSolved(token, ip, config))) throw authErrors.AUTH_INVALID_CAPTCHA();
  };
}

async function isSolved(token: string, ip: string, config: Config): Promise<boolean> {
  try {
    const response = await fetch(config.CAPTCHA_VERIFY_URL!, {
      method: 'POST',
      body: new URLSearchParams({ secret: config.CAPTCHA_SECRET, response: token, remoteip: ip }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return response.ok && Verdict.parse(await response.json()).success;
  } catch {
    return false;
  }
}
