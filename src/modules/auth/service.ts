import type { z } from 'zod';
import type { Cookie } from '../../http/route.ts';
import { type Db, type Tx, transaction } from '../../platform/db.ts';
import { createUser, findUserByEmail, type NewUser, type UserRow } from '../users/service.ts';
import { authErrors } from './errors.ts';
import type { Passwords } from './passwords.ts';
import type { SignIn, SignUp } from './schemas.ts';
import type { Device, Sessions, SessionTokens } from './sessions.ts';

export type Auth = ReturnType<typeof createAuth>;

/** `createSeeds` gives a new player his seeds and his place among the players. */
export function createAuth({
  db,
  sessions,
  passwords,
  createSeeds,
}: {
  db: Db;
  sessions: Sessions;
  passwords: Passwords;
  createSeeds: (tx: Tx, userId: number) => Promise<void>;
}) {
  /** A user who can play: account, seeds and lock row in one transaction. */
  const register = async (tx: Tx, user: NewUser): Promise<UserRow> => {
    const row = await createUser(tx, user);
    await createSeeds(tx, row.id);
    return row;
  };
  return {
    register,

    async signUp(input: z.output<typeof SignUp>, device: Device): Promise<SessionTokens> {
      const { password, ...user } = input;
      const passwordHash = await passwords.hash(password);
      return transaction(db, async (tx) => {
        const { id } = await register(tx, { ...user, passwordHash });
        return sessions.open(tx, id, device);
      });
    },

    async signIn({ email, password }: z.output<typeof SignIn>, device: Device): Promise<SessionTokens> {
      const user = await findUserByEmail(db, email);
      const matches = await passwords.verify(password, user?.password_hash);
      if (!user || !matches || user.banned_at) throw authErrors.AUTH_INVALID_CREDENTIALS();
      return transaction(db, (tx) => sessions.open(tx, user.id, device));
    },

    refresh: (token: string) => sessions.refresh(token),
    logOut: (sessionId: string) => sessions.end(sessionId),
  };
}

const REFRESH_PATH = '/auth/refresh';

/** The cookies of a session: the access token for every request, the refresh token for its one route. */
export function sessionCookies({ accessToken, refreshToken }: SessionTokens): Cookie[] {
  return [
    { name: 'access_token', value: accessToken.token, expiresAt: new Date(accessToken.expiresAt) },
    {
      name: 'refresh_token',
      value: refreshToken.token,
      expiresAt: new Date(refreshToken.expiresAt),
      path: REFRESH_PATH,
    },
  ];
}

const PAST = new Date(0);

export const clearedCookies: readonly Cookie[] = [
  { name: 'access_token', value: '', expiresAt: PAST },
  { name: 'jwt_access_token', value: '', expiresAt: PAST },
  { name: 'refresh_token', value: '', expiresAt: PAST, path: REFRESH_PATH },
];
