import type { Config } from '../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import type { Mail } from '../../base/mail/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { UserRow } from '../../base/users/service.ts';
import type { Countries } from '../../compliance/countries/service.ts';
import type { Identity } from './identity/round-trips.ts';
import type { Passwords } from './password/passwords.ts';
import type { PasswordPolicy } from './password/policy.ts';
import type { Factor } from './second-factor/factor.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { KnownDevices } from './sign-in/known-devices.ts';
import type { SignInLimits } from './sign-in/limits.ts';

export type AuthDeps = {
  db: Db;
  config: Config;
  log: Logs;
  metrics: Metrics;
  databaseClock: DatabaseClock;
  mail: Mail;
  siteConfig: SiteConfig;
  countries: Countries;
  sessions: Sessions;
  passwords: Passwords;
  passwordPolicy: PasswordPolicy;
  knownDevices: KnownDevices;
  signInLimits: SignInLimits;
  factor: Factor;
  identity: Identity;
  /** Creates a new user's first seeds and the player row, which is locked for every change to the player. */
  createSeeds: (tx: Tx, userId: number, clientSeed?: string) => Promise<void>;
  /** Queues the task that checks whether the player gets a welcome promotion. */
  queueWelcomeBonus: (tx: Tx, userId: number) => Promise<void>;
  /** Records a new player as a referral of the affiliate whose code was used at sign-up. */
  attribute: (tx: Tx, user: Pick<UserRow, 'id' | 'affiliate_code'>) => Promise<void>;
};
