import type { z } from 'zod';
import type { Cookie } from '../../../http/route.ts';
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
import { DEVICE_COOKIE_SECONDS } from './known-devices.ts';
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
  /** Name of the site: nobody else goes by it. */
  brand: string;
  /** Throws 403 REGISTRATION_CLOSED while nobody new is taken in. */
  assertRegistrationOpen: () => void;
  /** Creates a new player's seeds and lock row. */
  createSeeds: (tx: Tx, userId: number) => Promise<void>;
};

/** Names that were taken an hour and address: more is somebody who asks which addresses have an account. */
const TAKEN_PER_HOUR = 20;

export function createAuth(needs: Deps) {
  const { db, sessions, signInCompletion, passwords, countries, emails, signInLimits, createSeeds } = needs;

  /** Creates a user who can play: account, seeds, lock row and registration info, in one transaction. */
  const register = async (tx: Tx, user: NewUser, { type, device, isByHouse }: Origin): Promise<UserRow> => {
    assertNameMayBeTaken(user.username, { brand: needs.brand, isByHouse });
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
  };

  const takenAt = (device: Device) => `taken:${addressOf(device.ip)}`;
  const assertFewTaken = async (device: Device): Promise<void> => {
    needs.assertRegistrationOpen();
    await assertTry(db, { key: takenAt(device), tries: TAKEN_PER_HOUR, windowSeconds: 3600 });
  };

  /** Opens an account of names that nobody has; only names that were taken go on counting against the address that asked. */
  const unlessTaken = async <T>(open: () => Promise<T>, email: string, device: Device): Promise<T> => {
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
  };

  /** The hash of a password that its owner may have. Throws VALIDATION_FAILED for a weak one. */
  const hashPassword = async (password: string, owner: Owner): Promise<string> => {
    await assertPassword(password, owner, 'password');
    return passwords.hash(password);
  };

  return {
    register,
    hashPassword,
    /** Before another way to open an account, takes a try: throws 403 REGISTRATION_CLOSED, 429 when too many names were taken. */
    assertFewTaken,
    /** Around it: gives the try back unless a name was taken, and then tells the owner of the address. */
    unlessTaken,
    /** Throws 403 AUTH_GEO_BLOCKED: no way to sign up or in begins without it. */
    assertAllowed: countries.assertAllowed,

    async signUp(input: z.output<typeof SignUp>, device: Device): Promise<SessionTokens> {
      countries.assertAllowed(device.ip);
      const { password, ...user } = input;
      await assertPassword(password, user, 'password');
      await assertFewTaken(device);
      const open = async () => {
        const passwordHash = await passwords.hash(password);
        return transaction(db, async (tx) => {
          const row = await register(tx, { ...user, passwordHash }, { type: 'EMAIL', device });
          await emails.sendLink(tx, row);
          return signInCompletion.openSession(tx, row, device, { provider: 'password' });
        });
      };
      return unlessTaken(open, user.email, device);
    },

    async signIn(
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
    },

    refresh: (token: string) => sessions.refresh(token),
    logOut: async (sessionId: string): Promise<void> => void (await sessions.end(sessionId)),
    sessions: sessions.list,
    endSession: sessions.endOwn,
    endOtherSessions: sessions.endOthers,
  };
}

const REFRESH_PATH = '/auth/refresh';

/**
 * The cookies of a session: the access token for every request, the refresh token for its one route, and the one by which the device
 * is known. A challenge has none.
 */
export function sessionCookies(answer: SessionTokens | MfaChallenge): Cookie[] {
  if ('requireMfa' in answer) return [];
  const { accessToken, refreshToken, deviceCookie } = answer;
  return [
    { name: 'access_token', value: accessToken.token, expiresAt: new Date(accessToken.expiresAt) },
    {
      name: 'refresh_token',
      value: refreshToken.token,
      expiresAt: new Date(refreshToken.expiresAt),
      path: REFRESH_PATH,
    },
    ...deviceCookies(deviceCookie),
  ];
}

/** The cookie by which a device stays known, if there is one to set. */
export const deviceCookies = (value: string | undefined): Cookie[] =>
  value === undefined
    ? []
    : [{ name: 'device', value, expiresAt: new Date(Date.now() + DEVICE_COOKIE_SECONDS * 1000) }];

const PAST = new Date(0);

/** The alias of access_token that the administration's front end may have written. */
const clearedAlias: Cookie = { name: 'jwt_access_token', value: '', expiresAt: PAST };

/** The cookies of a sign-in, if any, and what takes back an alias that was `sent`: beside the new token it would be no session at all. */
export function withoutAlias(
  given: readonly Cookie[],
  sent: Readonly<Record<string, string | undefined>>,
): readonly Cookie[] {
  const isSession = given.some(({ name }) => name === 'access_token');
  return isSession && sent.jwt_access_token !== undefined ? [...given, clearedAlias] : given;
}

export const clearedCookies: readonly Cookie[] = [
  { name: 'access_token', value: '', expiresAt: PAST },
  clearedAlias,
  { name: 'refresh_token', value: '', expiresAt: PAST, path: REFRESH_PATH },
];
