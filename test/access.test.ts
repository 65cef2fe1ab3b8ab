import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { backofficeRoutes, mainRoutes } from '../src/app/apps.ts';
import { type Access, type Permission, permissionsFor } from '../src/http/access.ts';
import { type Route, route } from '../src/http/route.ts';
import { announceUserChange } from '../src/modules/base/users/service.ts';
import { transaction } from '../src/platform/database/db.ts';
import { halfSignedIn, proved } from './kit/accounts/second-factor.ts';
import { type Answer, type Player, startApp, type TestApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { startOutside } from './kit/http/outside.ts';
import { rawRequest } from './kit/http/raw-http.ts';
import { sampleRequest } from './kit/http/samples.ts';
import { isFull } from './kit/length.ts';

const RIGHT = 'test.right' as Permission;
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
/** Routes for each access label, because the operations may not include one for every label. */
const PERMITTED = labelled({ permission: RIGHT }, 'POST', '/test/permitted/{id}');
const SUPERVISED = labelled('superadmin', 'PATCH', '/test/supervised/{id}');
const extraRoutes = [
  PERMITTED,
  SUPERVISED,
  labelled({ permission: RIGHT }, 'GET', '/test/permitted/{id}'),
  labelled('superadmin', 'GET', '/test/supervised/{id}'),
];

type Expected =
  | 'passes'
  | '401 UNAUTHORIZED'
  | '401 AUTH_MFA_REQUIRED'
  | '403 FORBIDDEN'
  | '403 MFA_REQUIRED';
type Part = 'api' | 'backoffice';
/**
 * `signIn` opens another session, because some requests end the session that sends them. `spare` is the last session that it opened. `at`
 * contains the services to call instead of the default ones.
 */
type Persona = {
  name: string;
  token: string | undefined;
  signIn?: () => Promise<string>;
  spare?: string;
  expected: (access: Access) => Expected;
  at?: Record<Part, TestApp>;
};

let api: TestApp;
let backoffice: TestApp;
/** Services on which staff must verify a second factor. */
let strict: Record<Part, TestApp>;
const outside = fixture(startOutside);
beforeAll(async () => {
  api = await startApp({ env: outside.env, extraRoutes });
  // Responds in place of a realtime process, which this test does not start.
  await api.services.broker.respond('gateway.send', async () => ({ delivered: 0, acknowledged: 0 }));
  // Sample paths contain the id of the first user, who must not be a caller, because staff operations change this user.
  await api.newPlayer();
  const { database } = api;
  backoffice = await startApp({ part: 'backoffice', database, extraRoutes });
  const env = { ...outside.env, STAFF_MFA_REQUIRED: 'true' };
  strict = {
    api: await startApp({ env, database, extraRoutes }),
    backoffice: await startApp({ part: 'backoffice', env, database, extraRoutes }),
  };
});
afterAll(async () => {
  await strict.backoffice.stop();
  await strict.api.stop();
  await backoffice.stop();
  await api.stop();
});

const isOpen = (access: Access) => ['anonymous', 'apikey', 'signature'].includes(access as string);
const nobody = (access: Access): Expected => (isOpen(access) ? 'passes' : '401 UNAUTHORIZED');
const halfway = (access: Access): Expected => (isOpen(access) ? 'passes' : '401 AUTH_MFA_REQUIRED');
const holder =
  (rights: readonly string[] | 'all', isSuperAdmin = false) =>
  (access: Access): Expected => {
    if (isOpen(access) || access === 'auth' || isSuperAdmin) return 'passes';
    if (access === 'superadmin') return '403 FORBIDDEN';
    if (access === 'staff') return rights.length > 0 ? 'passes' : '403 FORBIDDEN';
    const isHeld = permissionsFor(access).some((permission) => rights.includes(permission));
    return rights === 'all' || isHeld ? 'passes' : '403 FORBIDDEN';
  };
/**
 * Returns the expected results for staff without a second factor. If a staff member would otherwise pass the access check, the result is an
 * error about the missing factor.
 */
const unproved =
  (expected: Persona['expected']) =>
  (access: Access): Expected => {
    const isOfStaff = !isOpen(access) && access !== 'auth';
    const due = expected(access);
    return isOfStaff && due === 'passes' ? '403 MFA_REQUIRED' : due;
  };

async function personas(routes: readonly Route[]): Promise<Persona[]> {
  const all = [...new Set(routes.flatMap(({ access }) => permissionsFor(access)))];
  const headers = { 'x-debug-token': api.config.DEBUG_TOKEN ?? '' };
  const session = async (username: string) =>
    (await api.call('POST', `/debug/auth/login/${username}`, { headers })).body;
  const user = (name: string, { username, token }: Player, expected: Persona['expected']): Persona => {
    const signIn = async () => (await session(username)).accessToken.token as string;
    return { name, token, signIn, expected };
  };
  /**
   * Creates a user who has just verified a second factor in this session. Every further session of the user is also opened with a second
   * factor.
   */
  const proven = async (name: string, who: Player, expected: Persona['expected']): Promise<Persona> => {
    const signIn = async () => {
      const { accessToken } = await session(who.username);
      await proved(api, who, 0);
      return accessToken.token as string;
    };
    return { name, token: await signIn(), signIn, expected, at: strict };
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
  // Creates a new caller for each use, because some requests end the caller's other sessions.
  const clerk = () => api.as({ permissions: all });
  const everyRight = holder('all');
  const everything = holder('all', true);
  return [
    { name: 'anonymous', token: undefined, expected: nobody },
    { name: 'banned', token: banned.token, expected: nobody },
    { name: 'signed out', token: revoked.token, expected: nobody },
    { name: 'with a socket token', token: socketToken.token, expected: nobody },
    { name: 'with a refresh token', token: refreshToken.token, expected: nobody },
    user('player', await api.newPlayer({ usdt: 1000 }), holder([])),
    user('other player', await api.newPlayer(), holder([])),
    user('staff without the right', await api.as({ permissions: ['test.other'] }), holder(['test.other'])),
    user('staff with every right', await clerk(), everyRight),
    user('no longer staff', former, holder([])),
    user('superadmin', boss, everything),
    {
      name: 'between password and second factor',
      token: await halfSignedIn(api, boss.id, 3600),
      expected: halfway,
    },
    ...[
      user('staff without a second factor where one is forced', await clerk(), unproved(everyRight)),
      user('superadmin without one where it is forced', await api.as('superadmin'), unproved(everything)),
      user('player where staff needs a second factor', await api.newPlayer(), holder([])),
    ].map((persona) => ({ ...persona, at: strict })),
    await proven('superadmin with one where it is forced', await api.as('superadmin'), everything),
  ];
}

/**
 * Returns the status and code with which the access check rejected the request, or `passes`. Statuses 401 and 403 that the route itself
 * declares, such as the one for a wrong password, count as `passes`.
 */
function outcomeOf(answer: Pick<Answer, 'status' | 'body'>, { errors = [] }: Route): string {
  const { status, body } = answer;
  const isDeclared = errors.some((e) => e.status === status && e.code === body?.code);
  if ((status === 401 || status === 403) && !isDeclared) return `${status} ${body?.code}`;
  return 'passes';
}

const JSON_TYPE = { 'content-type': 'application/json' };
type Attempt = { name: string; path: string; headers?: Record<string, string>; body?: string };

/** Returns a variety of invalid requests. A caller without access must get the access error for each of them. */
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

let turn = 0;

async function matrix(part: Part, routes: readonly Route[], who: readonly Persona[]): Promise<string[]> {
  const wrong: string[] = [];
  const check = async (r: Route, who: Persona) => {
    const { name: persona, token, expected, at } = who;
    const { url } = (at ?? { api, backoffice })[part];
    const due = expected(r.access);
    const signIn = due === 'passes' && r.method !== 'GET' ? who.signIn : undefined;
    const [valid, ...others] = attempts(r) as [Attempt, ...Attempt[]];
    // Sends the valid request and one of the invalid requests. Each call uses the next invalid request. A full run sends all of
    // them.
    const sent = isFull ? others : [others[turn++ % others.length]!];
    for (const { name, path, ...request } of [valid, ...sent]) {
      const ask = (session?: string) => {
        const headers = { ...request.headers, ...(session ? { authorization: `Bearer ${session}` } : {}) };
        return rawRequest(url, r.method, path, { ...request, headers });
      };
      if (signIn && !who.spare) who.spare = await signIn();
      let answer = await ask(signIn ? who.spare : token);
      // An earlier request may have ended the session.
      if (signIn && outcomeOf(answer, r) !== due) {
        who.spare = await signIn();
        answer = await ask(who.spare);
      }
      if (outcomeOf(answer, r) !== due || answer.status >= 500)
        wrong.push(
          `${persona}, ${name}: ${r.method} ${path} answers ${answer.status} ${answer.body?.code}, due ${due}`,
        );
    }
  };
  for (const r of routes) await Promise.all(who.map((persona) => check(r, persona)));
  return wrong;
}

/** These operations end the sessions that other test requests use, so they are called last. */
const ENDS_OTHERS = new Set(['DELETE /session/log-out/others', 'PATCH /user/change-password']);

test.each(['api', 'backoffice'] as const)(
  'rejects callers without access to any operation of %s before any other check',
  async (part) => {
    const app = part === 'api' ? api : backoffice;
    const own = part === 'api' ? mainRoutes(app.services) : backofficeRoutes(app.services);
    const endsOthers = ({ method, path }: Route) => ENDS_OTHERS.has(`${method} ${path}`);
    const routes = [...own.filter((r) => !endsOthers(r)), ...extraRoutes, ...own.filter(endsOthers)];
    expect(routes.length).toBeGreaterThan(extraRoutes.length);
    expect(await matrix(part, routes, await personas(routes))).toEqual([]);
  },
);

test('runs the handler only for requests that pass the access check', async () => {
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
