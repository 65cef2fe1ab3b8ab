import type { z } from 'zod';
import { addressOf } from '../../../platform/address.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { recordRegistration } from '../../base/registration-info/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { assertNameMayBeTaken } from '../../base/users/names.ts';
import { createUser, findUserByEmail, type NewUser, type UserRow } from '../../base/users/service.ts';
import type { Countries } from '../../compliance/countries/service.ts';
import type { Emails } from './account/email.ts';
import { assertTry, giveBack } from './attempts.ts';
import type { MfaChallenge, SignInCompletion } from './complete-sign-in.ts';
import { authErrors } from './errors.ts';
import type { Device } from './open-session.ts';
import { assertPassword, type Owner } from './password-policy.ts';
import type { Passwords } from './passwords.ts';
import type { SignIn, SignUp } from './schemas.ts';
import type { Sessions } from './sessions.ts';
import type { SignInLimits } from './sign-in-limits.ts';
import type { SessionTokens } from './token-signer.ts';

export type Auth = ReturnType<typeof createAuth>;

/** How an account is opened: `EMAIL`, the segment of an identity provider, or `DEBUG`; and from where. */
export type Origin = {
  type: string;
  device?: Pick<Device, 'ip' | 'userAgent'>;
  /** A superadmin opens it: the name may be an official one. */
  isByHouse?: boolean;
};

type Deps = {
  db: Db;
  sessions: Sessions;
  signInCompletion: SignInCompletion;
  passwords: Passwords;
  countries: Countries;
  emails: Emails;
  signInLimits: SignInLimits;
  /** The site's name, which no user may take. */
  brand: string;
  /** Throws 403 REGISTRATION_CLOSED while registration is closed. */
  assertRegistrationOpen: () => void;
  /** Creates a new player's seeds and lock row. */
  createSeeds: (tx: Tx, userId: number) => Promise<void>;
};

/** Refused sign-ups per hour and address: more looks like a search for addresses that have an account. */
const TAKEN_PER_HOUR = 20;

export function createAuth(deps: Deps) {
  const { sessions } = deps;
  return {
    register: (tx: Tx, user: NewUser, origin: Origin) => register(deps, tx, user, origin),
    hashPassword: (password: string, owner: Owner) => hashPassword(deps, password, owner),
    assertFewTaken: (device: Device) => assertFewTaken(deps, device),
    unlessTaken: <T>(open: () => Promise<T>, email: string, device: Device) =>
      unlessTaken(deps, open, email, device),
    /** Throws 403 AUTH_GEO_BLOCKED: every way to sign up or in begins with it. */
    assertAllowed: deps.countries.assertAllowed,
    signUp: (input: z.output<typeof SignUp>, device: Device) => signUp(deps, input, device),
    signIn: (input: z.output<typeof SignIn>, device: Device) => signIn(deps, input, device),
    refresh: (token: string) => sessions.refresh(token),
    logOut: async (sessionId: string): Promise<void> => void (await sessions.end(sessionId)),
    sessions: sessions.list,
    endSession: sessions.endOwn,
    endOtherSessions: sessions.endOthers,
  };
}

async function signUp(deps: Deps, input: z.output<typeof SignUp>, device: Device): Promise<SessionTokens> {
  const { db, countries, passwords, emails, signInCompletion } = deps;
  countries.assertAllowed(device.ip);
  const { password, ...user } = input;
  await assertPassword(password, user, 'password');
  await assertFewTaken(deps, device);
  const open = async () => {
    const passwordHash = await passwords.hash(password);
    return transaction(db, async (tx) => {
      const row = await register(deps, tx, { ...user, passwordHash }, { type: 'EMAIL', device });
      await emails.sendLink(tx, row);
      return signInCompletion.openSession(tx, row, device, { provider: 'password' });
    });
  };
  return unlessTaken(deps, open, user.email, device);
}

async function signIn(
  { db, countries, passwords, signInLimits, signInCompletion }: Deps,
  { email, password }: z.output<typeof SignIn>,
  device: Device,
): Promise<SessionTokens | MfaChallenge> {
  countries.assertAllowed(device.ip);
  const user = await findUserByEmail(db, email);
  const attempt = { email, user, device };
  await signInLimits.take(attempt);
  const matches = await passwords.verify(password, user?.password_hash).catch(async (error: unknown) => {
    await signInLimits.untaken(attempt);
    throw error;
  });
  if (!user || !matches || user.banned_at) {
    await signInLimits.failed(attempt);
    throw authErrors.AUTH_INVALID_CREDENTIALS();
  }
  return signInCompletion.completeSignIn(user, device, 'password');
}

/** Creates a user who can play: account, seeds, lock row and registration info, in one transaction. */
async function register(
  { brand, countries, createSeeds }: Deps,
  tx: Tx,
  user: NewUser,
  { type, device, isByHouse }: Origin,
): Promise<UserRow> {
  assertNameMayBeTaken(user.username, { brand, isByHouse });
  const country = device ? countries.countryOf(device.ip) : null;
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
  return row;
}

/** Hashes a password that its owner may have. Throws VALIDATION_FAILED for a weak one. */
async function hashPassword({ passwords }: Deps, password: string, owner: Owner): Promise<string> {
  await assertPassword(password, owner, 'password');
  return passwords.hash(password);
}

const takenAt = (device: Device) => `taken:${addressOf(device.ip)}`;

/** Takes a try before an account is opened. Throws 403 REGISTRATION_CLOSED, 429 RATE_LIMITED when too many names were taken. */
async function assertFewTaken({ db, assertRegistrationOpen }: Deps, device: Device): Promise<void> {
  assertRegistrationOpen();
  await assertTry(db, { key: takenAt(device), tries: TAKEN_PER_HOUR, windowSeconds: 3600 });
}

/** Opens an account. Gives the try back unless the name or address was taken; then it counts, and the address's owner is notified. */
async function unlessTaken<T>(
  { db, emails, signInLimits }: Deps,
  open: () => Promise<T>,
  email: string,
  device: Device,
): Promise<T> {
  const untaken = () => giveBack(db, [takenAt(device)], 'one');
  try {
    const opened = await open();
    await untaken();
    return opened;
  } catch (error) {
    const isTaken = error instanceof AppError && error.code === userErrors.AUTH_USER_EXISTS.code;
    if (isTaken) await emails.alreadyRegistered(email, signInLimits.nameOf(email));
    else await untaken();
    throw error;
  }
}
