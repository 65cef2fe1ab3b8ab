import type { z } from 'zod';
import { addressOf } from '../../../platform/address.ts';
import { type Tx, transaction } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import { emitEvent } from '../../base/events/service.ts';
import { recordRegistration } from '../../base/registration-info/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { assertNameMayBeTaken } from '../../base/users/names.ts';
import { createUser, type NewUser, type UserRow } from '../../base/users/service.ts';
import type { Emails } from './account/email.ts';
import { assertTry, giveBack } from './attempts.ts';
import type { AuthDeps } from './deps.ts';
import type { Owner, PasswordPolicy } from './password-policy.ts';
import type { Passwords } from './passwords.ts';
import type { SignUp } from './schemas.ts';
import type { Device, SessionTokens } from './sessions.ts';
import type { SignIns } from './sign-in.ts';

export type SignUps = ReturnType<typeof createSignUps>;

/** How an account is opened: `EMAIL`, the segment of an identity provider, or `DEBUG`; and from where. */
type Origin = {
  type: string;
  device?: Pick<Device, 'ip' | 'userAgent'>;
  /** A superadmin opens it: the name may be an official one. */
  isByHouse?: boolean;
};

/** The address that somebody opens an account with, and the device on which they do. */
type Applicant = { email: string; device: Device };

type Deps = AuthDeps & {
  signIns: SignIns;
  passwords: Passwords;
  passwordPolicy: PasswordPolicy;
  emails: Emails;
  /** Creates a new player's seeds and lock row. */
  createSeeds: (tx: Tx, userId: number) => Promise<void>;
  /** Has the welcome promotion looked for that fits a player now. */
  queueWelcomeBonus: (tx: Tx, userId: number) => Promise<void>;
  /** Makes a new player the referral of whose code they came with. */
  attribute: (tx: Tx, user: Pick<UserRow, 'id' | 'affiliate_code'>) => Promise<void>;
};

/** Refused sign-ups per hour and address: more look like a search for addresses that have an account. */
const TAKEN_PER_HOUR = 20;

/** Opening accounts: by e-mail and password, and the steps that all other ways to open one share. */
export const createSignUps = (deps: Deps) => ({
  signUp: (input: z.output<typeof SignUp>, device: Device) => signUp(deps, input, device),

  /** Creates a user who can play: account, seeds, lock row and registration info, in one transaction. */
  register: (tx: Tx, user: NewUser, origin: Origin) => register(deps, tx, user, origin),

  /** Hashes a password that its owner may have. Throws VALIDATION_FAILED for a weak one, PASSWORD_BREACHED. */
  async hashPassword(password: string, owner: Owner): Promise<string> {
    await deps.passwordPolicy(password, owner, 'password');
    return deps.passwords.hash(password);
  },

  openAccount: <T>(who: Applicant, open: () => Promise<T>) => openAccount(deps, who, open),
});

async function signUp(deps: Deps, input: z.output<typeof SignUp>, device: Device): Promise<SessionTokens> {
  const { db, countries, passwords, passwordPolicy, emails, signIns } = deps;
  countries.assertAllowed(device.ip);
  const { password, ...user } = input;
  await passwordPolicy(password, user, 'password');
  return openAccount(deps, { email: user.email, device }, async () => {
    const passwordHash = await passwords.hash(password);
    return transaction(db, async (tx) => {
      const row = await register(deps, tx, { ...user, passwordHash }, { type: 'EMAIL', device });
      await emails.sendLink(tx, row);
      return signIns.openSession(tx, row, device, { provider: 'password' });
    });
  });
}

async function register(
  { config, createSeeds, attribute, queueWelcomeBonus }: Deps,
  tx: Tx,
  user: NewUser,
  { type, device, isByHouse }: Origin,
): Promise<UserRow> {
  assertNameMayBeTaken(user.username, { brand: config.BRAND_NAME, isByHouse });
  const country = device ? countryOfIp(device.ip) : null;
  const row = await createUser(tx, { ...user, country: user.country ?? country ?? undefined });
  await createSeeds(tx, row.id);
  await recordRegistration(tx, {
    userId: row.id,
    type,
    ip: device?.ip ?? null,
    country,
    userAgent: device?.userAgent,
    language: row.language,
    referrer: row.referrer,
  });
  await queueWelcomeBonus(tx, row.id);
  await attribute(tx, row);
  const data = { by: type, country: row.country_code };
  await emitEvent(tx, { event: 'user.registered', userId: row.id, data });
  return row;
}

/**
 * Opens an account with `open`. Each attempt takes a try, given back unless the name or address is taken; then its owner is notified.
 * Throws 403 REGISTRATION_CLOSED, 429 RATE_LIMITED after too many taken names.
 */
async function openAccount<T>(
  { db, emails, siteConfig }: Deps,
  { email, device }: Applicant,
  open: () => Promise<T>,
): Promise<T> {
  siteConfig.assertRegistrationOpen();
  const key = `taken:${addressOf(device.ip)}`;
  await assertTry(db, { key, tries: TAKEN_PER_HOUR, windowSeconds: 3600 });
  const giveTryBack = () => giveBack(db, [key], 'one');
  const opened = await open().catch(async (error: unknown) => {
    const isTaken = error instanceof AppError && error.code === userErrors.AUTH_USER_EXISTS.code;
    await (isTaken ? emails.alreadyRegistered(email) : giveTryBack());
    throw error;
  });
  await giveTryBack();
  return opened;
}
