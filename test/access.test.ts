import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { backofficeRoutes, mainRoutes } from '../src/apps.ts';
import { type Access, type Route, route } from '../src/http/route.ts';
import { announceUserChange } from '../src/modules/users/service.ts';
import { transaction } from '../src/platform/db.ts';
import { type Answer, type Player, startApp, type TestApp } from './kit/app.ts';
import { rawRequest } from './kit/raw-http.ts';
import { sampleRequest } from './kit/samples.ts';

const RIGHT = 'test.right';
let handled = 0;
const labelled = (access: Access, method: Route['method'], path: string) =>
  route({
    method,
    path,
    tag: 'Test',
    access: access as 'auth',
    gate: 'none',
    summary: 'For the test',
    params: z.object({ id: z.number().int() }),
    ...(method === 'GET' ? {} : { body: z.strictObject({ text: z.string() }) }),
    status: 200,
    response: z.object({ done: z.boolean() }),
    handler: () => ({ done: handled++ >= 0 }),
  });
/** Labels that may have no route yet. */
const PERMITTED = labelled({ permission: RIGHT }, 'POST', '/test/permitted/{id}');
const SUPERVISED = labelled('superadmin', 'PATCH', '/test/supervised/{id}');
const extraRoutes = [
  PERMITTED,
  SUPERVISED,
  labelled({ permission: RIGHT }, 'GET', '/test/permitted/{id}'),
  labelled('superadmin', 'GET', '/test/supervised/{id}'),
];

type Expected = 'passes' | '401' | '403';
/** `signIn` opens another session: some requests that pass end the one they came with. */
type Persona = {
  name: string;
  token: string | undefined;
  signIn?: () => Promise<string>;
  expected: (access: Access) => Expected;
};

let api: TestApp;
let backoffice: TestApp;
beforeAll(async () => {
  api = await startApp({ extraRoutes });
  backoffice = await startApp({ part: 'backoffice', database: api.database, extraRoutes });
});
afterAll(async () => {
  await backoffice.stop();
  await api.stop();
});

const isOpen = (access: Access) => ['anonymous', 'apikey', 'signature'].includes(access as string);
const nobody = (access: Access): Expected => (isOpen(access) ? 'passes' : '401');
const holder =
  (rights: readonly string[] | 'all', isSuperAdmin = false) =>
  (access: Access): Expected => {
    if (isOpen(access) || access === 'auth' || isSuperAdmin) return 'passes';
    if (access === 'superadmin') return '403';
    const { permission } = access as { permission: string };
    return rights === 'all' || rights.includes(permission) ? 'passes' : '403';
  };

async function personas(routes: readonly Route[]): Promise<Persona[]> {
  const named = routes.flatMap(({ access }) => (typeof access === 'object' ? [access.permission] : []));
  const all = [...new Set(named)];
  const session = async (username: string) => (await api.call('POST', `/debug/auth/login/${username}`)).body;
  const user = (name: string, { username, token }: Player, expected: Persona['expected']): Persona => {
    const signIn = async () => (await session(username)).accessToken.token as string;
    return { name, token, signIn, expected };
  };
  const former = await api.as({ permissions: all });
  const banned = await api.newPlayer();
  const revoked = await api.newPlayer();
  await transaction(api.db, async (tx) => {
    await tx.updateTable('users').set({ is_staff: false }).where('id', '=', former.id).execute();
    await tx.updateTable('users').set({ banned_at: new Date() }).where('id', '=', banned.id).execute();
    for (const { id } of [former, banned]) await announceUserChange(tx, id);
  });
  expect((await revoked.call('DELETE', '/session/log-out/current')).status).toBe(200);
  const boss = await api.as('superadmin');
  const { socketToken, refreshToken } = await session(boss.username);
  return [
    { name: 'anonymous', token: undefined, expected: nobody },
    { name: 'banned', token: banned.token, expected: nobody },
    { name: 'signed out', token: revoked.token, expected: nobody },
    { name: 'with a socket token', token: socketToken.token, expected: nobody },
    { name: 'with a refresh token', token: refreshToken.token, expected: nobody },
    user('player', await api.newPlayer({ usdt: 1000 }), holder([])),
    user('other player', await api.newPlayer(), holder([])),
    user('staff without the right', await api.as({ permissions: ['test.other'] }), holder(['test.other'])),
    user('staff with every right', await api.as({ permissions: all }), holder('all')),
    user('no longer staff', former, holder([])),
    user('superadmin', boss, holder('all', true)),
  ];
}

/** A refusal by the access label: other 401 and 403 (a wrong password, a wrong debug token) are declared by the route. */
function outcomeOf(answer: Pick<Answer, 'status' | 'body'>, { errors = [] }: Route): Expected {
  const { status, body } = answer;
  const isDeclared = errors.some((e) => e.status === status && e.code === body?.code);
  if ((status === 401 || status === 403) && !isDeclared) return `${status}`;
  return 'passes';
}

const REFUSALS = { '401': 'UNAUTHORIZED', '403': 'FORBIDDEN' } as const;
const JSON_TYPE = { 'content-type': 'application/json' };
type Attempt = { name: string; path: string; headers?: Record<string, string>; body?: string };

/** Requests as different as can be: who may not pass hears so, whatever he sends. */
function attempts(r: Route): Attempt[] {
  const { path, body } = sampleRequest(r);
  const bare = path.split('?')[0]!;
  const broken = { name: 'broken', path: `${bare}?%00=%ff&x=1&x=2` };
  if (r.method === 'GET') return [{ name: 'valid', path }, { name: 'empty', path: bare }, broken];
  const valid = body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) };
  return [
    { name: 'valid', path, ...valid },
    { name: 'empty', path: bare },
    { ...broken, headers: JSON_TYPE, body: '{"__proto__"' },
    { name: 'another type', path: bare, headers: { 'content-type': 'text/xml' }, body: '<x/>' },
  ];
}

async function matrix(
  { url }: TestApp,
  routes: readonly Route[],
  who: readonly Persona[],
): Promise<string[]> {
  const wrong: string[] = [];
  const check = async (r: Route, { name: persona, token, signIn, expected }: Persona) => {
    const due = expected(r.access);
    for (const { name, path, ...request } of attempts(r)) {
      const session = due === 'passes' && r.method !== 'GET' && signIn ? await signIn() : token;
      const headers = { ...request.headers, ...(session ? { authorization: `Bearer ${session}` } : {}) };
      const answer = await rawRequest(url, r.method, path, { ...request, headers });
      const hasReason = due === 'passes' || answer.body?.code === REFUSALS[due];
      if (outcomeOf(answer, r) !== due || !hasReason || answer.status >= 500)
        wrong.push(
          `${persona}, ${name}: ${r.method} ${path} answers ${answer.status} ${answer.body?.code}, due ${due}`,
        );
    }
  };
  for (const r of routes) await Promise.all(who.map((persona) => check(r, persona)));
  return wrong;
}

test.each(['api', 'backoffice'] as const)(
  'Z01 the matrix of %s: who may not pass hears so before anything else is looked at',
  async (part) => {
    const app = part === 'api' ? api : backoffice;
    const own = part === 'api' ? mainRoutes(app.services) : backofficeRoutes(app.services);
    const routes = [...own, ...extraRoutes];
    expect(routes.length).toBeGreaterThan(extraRoutes.length);
    expect(await matrix(app, routes, await personas(routes))).toEqual([]);
  },
);

test('Z01 a refused request never reaches a handler, and one that passes does', async () => {
  const count = async (r: Route, token?: string) => {
    const before = handled;
    const headers = { ...JSON_TYPE, ...(token ? { authorization: `Bearer ${token}` } : {}) };
    await rawRequest(api.url, r.method, sampleRequest(r).path, { headers, body: '{"text":"x"}' });
    return handled - before;
  };
  const clerk = await api.as({ permissions: [RIGHT] });
  const boss = await api.as('superadmin');
  expect(await count(PERMITTED)).toBe(0);
  expect(await count(PERMITTED, (await api.newPlayer()).token)).toBe(0);
  expect(await count(PERMITTED, clerk.token)).toBe(1);
  expect(await count(SUPERVISED, clerk.token)).toBe(0);
  expect(await count(SUPERVISED, boss.token)).toBe(1);
});
