import type { Config } from '../../../../platform/config/config.ts';
import { knownCountryOfIp } from '../../../../platform/countries/geo.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { AppError } from '../../../../platform/errors.ts';
import { addressOf } from '../../../../platform/net/address.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { recordRegistration } from '../../../base/registration-info/record.ts';
import { assertNameMayBeTaken, assertNotOfStaff } from '../../../base/users/names.ts';
import { userErrors } from '../../../base/users/schemas.ts';
import { createUser, type NewUser, type UserRow } from '../../../base/users/service.ts';
import { assertTry, giveBack } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { sendAlreadyRegistered } from '../email/links.ts';
import type { Passwords } from '../password/passwords.ts';
import type { Owner, PasswordPolicy } from '../password/policy.ts';
import { authEvents } from '../schemas.ts';
import type { Device } from '../sessions/sessions.ts';

export type SignUps = ReturnType<typeof createSignUps>;

/** `type` is `EMAIL`, the path segment of an identity provider, or `DEBUG`. */
type Origin = {
  type: string;
  device?: Pick<Device, 'ip' | 'userAgent'>;
  /** True if a superadmin opens the account. The username may then be an official one. */
  isByHouse?: boolean;
};

/** `clientSeed` was generated on the player's device. */
type Newcomer = NewUser & { clientSeed?: string | undefined };

type Deps = Pick<AuthDeps, 'createSeeds' | 'queueWelcomeBonus' | 'attribute'> & {
  config: Config;
  passwords: Passwords;
  passwordPolicy: PasswordPolicy;
};

/**
 * The maximum number of sign-ups per hour and network address that fail because the name or address is taken. A higher number suggests a
 * search for registered addresses.
 */
const TAKEN_PER_HOUR = 20;

/** Functions for opening accounts, for use by other modules. */
export const createSignUps = (deps: Deps) => ({
  register: (tx: Tx, user: Newcomer, origin: Origin) => register(deps, tx, user, origin),

  /** Hashes a new password. Throws VALIDATION_FAILED if the password is weak, and PASSWORD_BREACHED if it is known from a breach. */
  async hashPassword(password: string, owner: Owner): Promise<string> {
    await deps.passwordPolicy(password, owner, 'password');
    return deps.passwords.hash(password);
  },
});

/** Creates a user who can play, with an account, seeds, a lock row and registration info. */
export async function register(
  {
    config,
    createSeeds,
    attribute,
    queueWelcomeBonus,
  }: Pick<Deps, 'config' | 'createSeeds' | 'attribute' | 'queueWelcomeBonus'>,
  tx: Tx,
  user: Newcomer,
  { type, device, isByHouse }: Origin,
): Promise<UserRow> {
  assertNameMayBeTaken(user.username, { brand: config.BRAND_NAME, isByHouse });
  if (!isByHouse) await assertNotOfStaff(tx, { username: user.username });
  const country = device ? knownCountryOfIp(device.ip) : null;
  const row = await createUser(tx, { ...user, country: user.country ?? country ?? undefined });
  await createSeeds(tx, row.id, user.clientSeed);
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
  await emitEvent(tx, { event: authEvents['user.registered'], userId: row.id, data });
  return row;
}

/**
 * Opens an account with `open`. Each call is counted as an attempt, which is subtracted again unless the name or address is taken. If the
 * address is taken, its owner is notified. Throws 403 REGISTRATION_CLOSED, and 429 RATE_LIMITED after too many attempts with taken
 * names or addresses.
 */
export async function openAccount<T>(
  deps: AuthDeps,
  { email, device }: { email: string; device: Device },
  open: () => Promise<T>,
): Promise<T> {
  const { db, siteConfig } = deps;
  siteConfig.assertRegistrationOpen();
  const key = `taken:${addressOf(device.ip)}`;
  await assertTry(db, { key, tries: TAKEN_PER_HOUR, windowSeconds: 3600 });
  const giveTryBack = () => giveBack(db, [key], 'one');
  const opened = await open().catch(async (error: unknown) => {
    const isTaken = error instanceof AppError && error.code === userErrors.AUTH_USER_EXISTS.code;
    await (isTaken ? sendAlreadyRegistered(deps, email) : giveTryBack());
    throw error;
  });
  await giveTryBack();
  return opened;
}
