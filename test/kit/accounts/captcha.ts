import { startSandbox } from '../../../sandbox/server.ts';
import { assertNothingLeaked, seeMail } from '../http/canaries.ts';
import { everyMail } from '../http/outside.ts';

export type Captcha = Awaited<ReturnType<typeof startCaptcha>>;

/** The sandbox's captcha verifier, and the settings of a service that uses it. */
export async function startCaptcha() {
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${sandbox.port}/captcha/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { token: string };
  };
  const solve = async () => (await post('token', {})).token;
  return {
    /** The environment also contains the settings of the other external services, so that routes that use them work. */
    env: sandbox.env,
    /** Returns a single-use token. */
    solve,
    /** Returns the request header for a solved captcha. */
    solved: async () => ({ 'x-captcha-token': await solve() }),
    behave: (mode: 'ok' | 'down' | 'slow' | 'garbage') => post('behaviour', { mode }),
    async close() {
      for (const mail of await everyMail(sandbox.url)) seeMail(mail);
      await sandbox.close();
      assertNothingLeaked();
    },
  };
}
