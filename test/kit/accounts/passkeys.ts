import { expect } from 'vitest';
import type { Answer, Player, TestApp } from '../app.ts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';

type Caller = Pick<Player, 'call'>;
type Device = Parameters<typeof createAuthenticator>[0];

/** Creates an authenticator that is used on a page of the site. */
export const authenticatorFor = (
  { config }: Pick<TestApp, 'config'>,
  more: Omit<Device, 'origin'> = {},
): Authenticator => createAuthenticator({ origin: config.passkeyOrigins[0]!, ...more });

/** Returns the body of a response, which must be successful. */
export function done<T = any>(answer: Answer<T>): T {
  expect([200, 201], answer.text).toContain(answer.status);
  return answer.body;
}

const P = '/user/passkeys';
export const registrationOptions = ({ call }: Caller) => call('POST', `${P}/registration/options`);
export const register = ({ call }: Caller, response: object, name = 'Laptop') =>
  call('POST', P, { body: { name, response } });
export const listed = async ({ call }: Caller) => done(await call('GET', P));
export const remove = ({ call }: Caller, id: string, body?: object) => call('DELETE', `${P}/${id}`, { body });

/** Adds this authenticator's passkey to an account. The session must be allowed to do so. */
export async function addPasskey(player: Caller, authenticator: Authenticator, name?: string) {
  const options = done(await registrationOptions(player));
  const answer = await register(player, authenticator.create(options), name);
  return done(answer) as { passkey: { id: string; name: string }; recoveryCodes?: string[] };
}

export const proofOptions = ({ call }: Caller) => call('POST', `${P}/proof/options`);
export const proof = ({ call }: Caller, response: object) =>
  call('POST', `${P}/proof`, { body: { response } });

/** Verifies a session's second factor. Returns the single-use code. */
export async function provenBy(player: Caller, authenticator: Authenticator): Promise<string> {
  const options = done(await proofOptions(player));
  return done(await proof(player, authenticator.get(options))).mfaCode;
}

/** Returns helpers that sign in with a passkey, without a session. `solve` returns captcha tokens. */
export function passkeyDoor({ call }: Pick<TestApp, 'call'>, solve: () => Promise<string>) {
  const post = async (path: string, body: object | undefined, headers: Record<string, string> = {}) =>
    call('POST', `${P}${path}`, {
      ...(body ? { body } : {}),
      headers: { 'x-captcha-token': await solve(), ...headers },
    });
  const signInOptions = async () =>
    done(await post('/sign-in/options', undefined)) as { attempt: string; options: any };
  return {
    signInOptions,
    finish: (body: object, headers?: Record<string, string>) => post('/sign-in', body, headers),
    /** Completes a sign-in with an authenticator that has a passkey for the site. */
    async signIn(authenticator: Authenticator, headers?: Record<string, string>) {
      const { attempt, options } = await signInOptions();
      return post('/sign-in', { attempt, response: authenticator.get(options) }, headers);
    },
    secondFactorOptions: (body: object) => post('/second-factor/options', body),
    secondFactor: (body: object, headers?: Record<string, string>) => post('/second-factor', body, headers),
  };
}
