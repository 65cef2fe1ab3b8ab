import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, call, keepAlive, type Reply } from '../../crash/client.ts';

export type Person = { id: number; token: string };

/** Settings that allow tests to sign in any user by name. */
export const DEBUG = { DEBUG_TOKEN: randomBytes(12).toString('hex') };

/** Returns an unused IP address that belongs to no country. */
export const anAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** Timeout of a request. It is long because a busy machine may stall for a minute. */
const PATIENCE_MS = 180_000;

/** Creates clients of processes that may be killed at any moment. `api` returns the URL for each request. */
export function createVisitors(api: () => string) {
  const agent = keepAlive();
  /** Requests with a 500 response. There must be none. */
  const failures: string[] = [];

  const ask = async (method: string, path: string, options: CallOptions = {}): Promise<Reply> => {
    const reply = await call(method, api() + path, { agent, timeoutMs: 8000, ...options });
    if (reply.status === 500) failures.push(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply;
  };

  /** Repeats a request with the same key until it gets a definite response. */
  const insist = async (method: string, path: string, options: CallOptions = {}): Promise<Reply> => {
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(100)) {
      const headers = { ...options.headers };
      const reply = await ask(method, path, { ...options, headers }).catch(() => undefined);
      if (reply && reply.status < 500 && reply.status !== 429) return reply;
      if (Date.now() > until) throw new Error(`${method} ${path} gets no answer`);
    }
  };

  /** Signs in a user. With `rights` the user becomes staff. */
  const signIn = async (username: string, rights: object = {}): Promise<Person> => {
    const headers = { 'x-debug-token': DEBUG.DEBUG_TOKEN };
    if (Object.keys(rights).length > 0)
      await insist('POST', '/debug/user/create', { headers, body: { username, ...rights } });
    const { body } = await insist('POST', `/debug/auth/login/${username}`, { headers });
    const { token } = body.accessToken;
    const me = await insist('GET', '/user/me', { token });
    return { id: me.body.id, token };
  };

  return { ask, insist, signIn, failures, close: () => agent.destroy() };
}
