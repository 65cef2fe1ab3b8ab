import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Route } from '../../../src/http/route.ts';
import type { Answer, CallOptions, Player, TestApp } from '../app.ts';
import { sampleRequest } from '../http/samples.ts';

/** `cookies`: the Set-Cookie headers. `text`: everything else, headers and body. */
export type Seen = { request: string; status: number; cookies: string; text: string };

/** Returns a unique secret that cannot appear in other text by chance. */
export const canary = (name: string) => `canary_${name}_${randomBytes(16).toString('hex')}`;

/** Returns a secret in every encoding in which it could appear. */
export const guises = (secret: string | Buffer) =>
  (['utf8', 'hex', 'base64', 'base64url'] as const).map((form) => Buffer.from(secret).toString(form));

/** Returns the secrets that occur in one of the strings. */
export const hits = (texts: readonly string[], secrets: readonly string[]) =>
  secrets.filter((secret) => texts.some((text) => text.includes(secret)));

/** Makes requests and records every response, in order. */
export function createWitness() {
  const answers: Seen[] = [];
  const call = async (
    app: Pick<TestApp, 'call'>,
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Answer> => {
    const answer = await app.call(method, path, options);
    const { status, headers, text } = answer;
    const heads = [...headers].filter(([name]) => name !== 'set-cookie').flat();
    const cookies = headers.getSetCookie().join('\n');
    answers.push({ request: `${method} ${path}`, status, cookies, text: `${heads} ${text}` });
    return answer;
  };
  return {
    answers,
    call,
    /** Returns the requests whose responses contained the secret, in cookies or elsewhere. */
    whoSaid: (secret: string): string[] =>
      answers
        .filter(({ text, cookies }) => text.includes(secret) || cookies.includes(secret))
        .map(({ request }) => request),
    /** Returns the body of a response, which must have this status. */
    async due(status: number, ...[app, method, path, options]: Parameters<typeof call>): Promise<any> {
      const { status: seen, body, text } = await call(app, method, path, options);
      expect(seen, text).toBe(status);
      return body;
    },
    /** Calls every route as every player, with valid and malformed requests. No session is signed out. */
    async visitEverything(
      doors: readonly (readonly [TestApp, readonly Route[]])[],
      players: readonly (Pick<Player, 'token'> | undefined)[],
      solved: () => Promise<Record<string, string>>,
    ): Promise<void> {
      const stays = ({ path }: Route) => path !== '/session/log-out/current';
      for (const [app, routes] of doors)
        for (const r of routes.filter(stays))
          for (const player of players) {
            const { path, body } = sampleRequest(r);
            const session = player ? { token: player.token } : {};
            const headers: Record<string, string> = r.captcha ? await solved() : {};
            await call(app, r.method, path, { ...session, body, headers });
            const broken = { raw: '{"x":', headers: { 'content-type': 'application/json' } };
            if (r.method === 'GET')
              await call(app, 'GET', `${path}${path.includes('?') ? '&' : '?'}x[=1`, session);
            else await call(app, r.method, path, { ...session, ...broken });
            await call(app, r.method, path, { token: `${player?.token}x` });
          }
    },
  };
}
