import { expect } from 'vitest';
import { type Answer, type CallOptions, startApp } from '../app.ts';
import { lettersLeft, startMailWorker } from '../backoffice/mail.ts';
import { type Mail, startOutside } from '../http/outside.ts';
import { newcomer } from './sign-in.ts';

export type Account = ReturnType<typeof newcomer> & { id: number; token: string; device: string };

/** Starts a service with its email worker and external services. Returns helpers that create accounts. */
export async function startAccounts(env: Record<string, string> = {}) {
  const outside = await startOutside();
  const app = await startApp({ env: { ...outside.env, ...env } });
  const worker = startMailWorker(app);
  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    app.call('POST', path, { body, headers: { 'x-captcha-token': await outside.solve(), ...headers } });
  const signUp = (body: object, headers?: Record<string, string>) => post('/auth/sign-up', body, headers);

  /** Waits until all queued emails are sent. Returns the emails to an address, newest first. */
  const mailsTo = async (email: string): Promise<Mail[]> => {
    await expect.poll(() => lettersLeft(app), { interval: 20 }).toBe(0);
    return outside.inbox(email);
  };

  return {
    app,
    outside,
    signUp,
    signIn: ({ email, password }: { email: string; password: string }, headers?: Record<string, string>) =>
      post('/auth/sign-in', { email, password }, headers),
    /** Signs up a new user. */
    async registered(headers?: Record<string, string>): Promise<Account> {
      const user = newcomer();
      const answer = await signUp(user, headers);
      expect(answer.status).toBe(200);
      const token = answer.body.accessToken.token as string;
      const me = await app.call('GET', '/user/me', { token });
      return { ...user, id: me.body.id, token, device: deviceOf(answer) };
    },
    mailsTo,
    /** Returns the token in the newest email whose subject matches. */
    async tokenIn(email: string, subject: RegExp): Promise<string> {
      const mail = (await mailsTo(email)).find((one) => subject.test(one.subject));
      const token = /#token=([\w-]+)/.exec(mail?.text ?? '')?.[1];
      if (!token) throw new Error(`no mail to ${email} like ${subject} with a link`);
      return token;
    },
    as: (token: string, method: string, path: string, options: CallOptions = {}) =>
      app.call(method, path, { token, ...options }),
    async stop() {
      await worker.close();
      await app.stop();
      await outside.close();
    },
  };
}

/** Returns the device cookie in the form in which a client sends it. */
export const deviceOf = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('__Host-device='))!
    .split(';')[0]!;

/** Returns the status of a response, followed by the error code if the call failed. */
export const codeOf = ({ status, body }: Pick<Answer, 'status' | 'body'>): string =>
  status < 400 ? String(status) : `${status} ${body?.code}`;
