import { randomUUID } from 'node:crypto';
import { type Answer, createCaller, type Input, type Op, Refused } from '../client/call.ts';

export type Visitor = ReturnType<ReturnType<typeof createVisitors>>;
export type Tokens = { accessToken?: { token: string } };

type Where = { api: string; debugToken: string };

/**
 * Creates users who call API operations, each from a different IP address and with an idempotency key for every call. If a session has
 * expired, the user signs in again by username, which works only in development.
 */
export function createVisitors({ api, debugToken }: Where) {
  return ({ username, ip }: { username: string; ip: string }) => {
    let token = '';
    const open = async (): Promise<void> => {
      const headers = {
        'x-debug-token': debugToken,
        'x-forwarded-for': ip,
        'user-agent': browserOf(username),
      };
      const answer = await fetch(`${api}/debug/auth/login/${username}`, { method: 'POST', headers });
      if (!answer.ok)
        throw new Error(`${username} could not sign in: ${answer.status} ${await answer.text()}`);
      token = ((await answer.json()) as Tokens).accessToken!.token;
    };
    const send = async (input: string, init: RequestInit = {}): Promise<Response> => {
      const once = () => {
        const headers = new Headers(init.headers);
        headers.set('x-forwarded-for', ip);
        headers.set('user-agent', browserOf(username));
        if (token !== '') headers.set('authorization', `Bearer ${token}`);
        return fetch(input, { ...init, headers });
      };
      const answer = await once();
      if (answer.status !== 401 || token === '') return answer;
      // A banned user cannot sign in again.
      const isOpen = await open().then(
        () => true,
        () => false,
      );
      return isOpen ? once() : answer;
    };
    const caller = createCaller({ url: api, send: send as typeof fetch });
    const call = <O extends Op>(op: O, input: Input<O>, captcha?: string): Promise<Answer<O>> =>
      caller(op, input, { key: randomUUID(), ...(captcha === undefined ? {} : { captcha }) });
    return {
      username,
      ip,
      open,
      call,
      use: (given: string) => {
        token = given;
      },
      /** Like `call`, but returns undefined if the request is rejected. Rejections are part of normal use. */
      try: <O extends Op>(op: O, input: Input<O>): Promise<Answer<O> | undefined> =>
        call(op, input).catch((error: unknown) => {
          if (error instanceof Refused && error.status !== 500) {
            refusals.set(`${op} ${error.code}`, (refusals.get(`${op} ${error.code}`) ?? 0) + 1);
            return undefined;
          }
          throw error;
        }),
    };
  };
}

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
] as const;

/** Returns the user agent of a player. Each player has one device, derived from their name. */
const browserOf = (username: string): string =>
  BROWSERS[[...username].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % BROWSERS.length]!;

/** Counts rejections by operation and code, so that unexpected ones can be found. */
export const refusals = new Map<string, number>();
