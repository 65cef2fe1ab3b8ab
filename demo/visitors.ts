import { randomUUID } from 'node:crypto';
import { type Answer, createCaller, type Input, type Op, Refused } from '../client/call.ts';

export type Visitor = ReturnType<ReturnType<typeof createVisitors>>;
export type Tokens = { accessToken?: { token: string } };

type Where = { api: string; debugToken: string };

/**
 * People who call operations of the API: each from an address of their own, with an idempotency key for every call. A session that has ended
 * is opened again by name, which is possible in development alone.
 */
export function createVisitors({ api, debugToken }: Where) {
  return ({ username, ip }: { username: string; ip: string }) => {
    let token = '';
    const open = async (): Promise<void> => {
      const headers = { 'x-debug-token': debugToken, 'x-forwarded-for': ip };
      const answer = await fetch(`${api}/debug/auth/login/${username}`, { method: 'POST', headers });
      if (!answer.ok)
        throw new Error(`${username} could not sign in: ${answer.status} ${await answer.text()}`);
      token = ((await answer.json()) as Tokens).accessToken!.token;
    };
    const send = async (input: string, init: RequestInit = {}): Promise<Response> => {
      const once = () => {
        const headers = new Headers(init.headers);
        headers.set('x-forwarded-for', ip);
        if (token !== '') headers.set('authorization', `Bearer ${token}`);
        return fetch(input, { ...init, headers });
      };
      const answer = await once();
      if (answer.status !== 401 || token === '') return answer;
      // Whoever was banned does not come back.
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
      /** The same, where a refusal is part of life: undefined then. */
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

/** What was refused, and how often: for whoever looks for what does not fit. */
export const refusals = new Map<string, number>();
