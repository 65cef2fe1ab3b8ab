import { z } from 'zod';
import { type Operation, operation } from '../../../../http/operation.ts';
import { strictObject } from '../../../../http/schemas.ts';
import type { Config } from '../../../../platform/config/config.ts';
import type { Db } from '../../../../platform/database/db.ts';
import { networkOf } from '../../../../platform/net/address.ts';
import { isSameSecret } from '../../../../platform/secrets/encryption.ts';
import { assertTry, giveBack } from '../../../accounts/auth/attempts.ts';
import { authErrors } from '../../../accounts/auth/schemas.ts';
import { issueToken, type Sportsbook, TOKEN_SECONDS } from './service.ts';

export type AuthDeps = { db: Db; config: Config; sportsbook: Sportsbook };

const Credentials = strictObject('SportsbookLoginRequest', {
  login: z.string().min(1).max(200),
  password: z.string().min(1).max(200),
});

const TAG = 'Sportsbook external (auth)';
export const logIn = logInOperation({ tag: TAG, path: '/sportsbook/external/auth/login' });
export const getPublicKey = publicKeyOperation({ tag: TAG, path: '/sportsbook/external/auth/public-key' });

/** Returns the same operations under the paths of the local and test environments. */
export const debugAuth = (segment: string): Operation<AuthDeps>[] => {
  const place = { tag: 'Debug', path: `/debug/${segment}/auth` };
  return [logInOperation(place), publicKeyOperation(place)];
};

type Place = { tag: string; path: string };

function logInOperation(place: Place): Operation<AuthDeps> {
  return operation({
    ...place,
    method: 'POST',
    access: 'anonymous',
    gate: 'none',
    limit: 'auth',
    summary: 'Sign in as the sportsbook',
    description:
      'For server-to-server calls. Send the returned token as `x-api-key`. Two tokens can be valid at the same time; issuing a ' +
      'third one invalidates the oldest.',
    body: Credentials,
    response: z.object({
      token: z.string(),
      expiresIn: z.number().int().meta({ description: 'The lifetime of the token in seconds.' }),
    }),
    errors: [authErrors.AUTH_INVALID_CREDENTIALS],
    async handler({ db, config, sportsbook }: AuthDeps, { body, ip }) {
      const key = `sportsbook-login:${networkOf(ip)}`;
      const windowSeconds = config.SIGN_IN_WINDOW_MINUTES * 60;
      await assertTry(db, { key, tries: config.SIGN_IN_TRIES, windowSeconds });
      if (!isRight(body, config)) throw authErrors.AUTH_INVALID_CREDENTIALS();
      await giveBack(db, [key], 'all');
      return { token: await issueToken(db, sportsbook.game.get().providerId), expiresIn: TOKEN_SECONDS };
    },
  });
}

function publicKeyOperation(place: Place): Operation<AuthDeps> {
  return operation({
    ...place,
    method: 'GET',
    access: 'anonymous',
    summary: "Get the key that verifies players' tokens",
    response: z.object({
      kid: z.string(),
      alg: z.string().meta({ example: 'RS256' }),
      publicKey: z.string().meta({ description: 'The public key in PEM format.' }),
    }),
    handler: ({ sportsbook }: AuthDeps) => sportsbook.keys.publicKey(),
  });
}

/** Compares both values even if the first one differs, so that the response time does not show which value is wrong. */
function isRight({ login, password }: z.output<typeof Credentials>, config: Config): boolean {
  const isLogin = isSameSecret(login, config.SPORTSBOOK_LOGIN ?? '');
  const isPassword = isSameSecret(password, config.SPORTSBOOK_PASSWORD);
  return config.SPORTSBOOK_LOGIN !== undefined && isLogin && isPassword;
}
