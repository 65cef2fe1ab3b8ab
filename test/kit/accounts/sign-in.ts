import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import type { Answer, Player, TestApp } from '../app.ts';
import type { Captcha } from './captcha.ts';
import { turnOnMfa } from './totp.ts';

export type Signed = { access: string; refresh: string; userId: number; answer: Answer };
type Way = (headers?: Record<string, string>) => Promise<Signed>;

/** Returns the registration data of a user with unused names. */
export const newcomer = () => {
  const username = `n_${randomBytes(7).toString('hex')}`;
  return { username, email: `${username}@mail.example`, password: `pw ${randomBytes(9).toString('hex')}` };
};

/** Returns the tokens of a successful response. */
export function signed(answer: Answer): Signed {
  expect([200, 201]).toContain(answer.status);
  const { accessToken, refreshToken } = answer.body;
  const userId = Number(decodeJwt(accessToken.token).sub);
  return { access: accessToken.token, refresh: refreshToken.token, userId, answer };
}

/** Every way of opening a session, each for a new user. `headers` are sent with the request that opens it. */
export function waysToSignIn(app: TestApp, captcha: Captcha): Record<string, Way> {
  const post = async (path: string, body: object, headers = {}) =>
    app.call('POST', path, { body, headers: { ...(await captcha.solved()), ...headers } });
  return {
    'sign-up': async (headers) => signed(await post('/auth/sign-up', newcomer(), headers)),
    password: async (headers) => {
      const user = newcomer();
      expect((await post('/auth/sign-up', user)).status).toBe(200);
      return signed(await post('/auth/sign-in', { email: user.email, password: user.password }, headers));
    },
    'second factor': async (headers) => {
      const user = newcomer();
      const { access: token, userId: id } = signed(await post('/auth/sign-up', user));
      const call: Player['call'] = (method, path, o = {}) => app.call(method, path, { token, ...o });
      const factor = await turnOnMfa(app, { id, call });
      const half = await post('/auth/sign-in', { email: user.email, password: user.password });
      const proof = { token: half.body.token, mfaCode: await factor.code() };
      return signed(await post('/auth/verify-2fa', proof, headers));
    },
    'debug login': async (headers = {}) =>
      signed(await app.call('POST', `/debug/auth/login/${newcomer().username}`, { headers })),
  };
}
