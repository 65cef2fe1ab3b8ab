import { beforeAll, describe, expect, test } from 'vitest';
import { backofficeRoutes, mainRoutes } from '../src/app/apps.ts';
import { staffRight } from '../src/http/access.ts';
import type { Route } from '../src/http/route.ts';
import { verifyAudit } from '../src/modules/base/audit/verify.ts';
import { type CallOptions, type Player, startApp, type TestApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { sampleRequest } from './kit/http/samples.ts';
import { until } from './kit/until.ts';

let boss: Player;
let stranger: Player;
const api = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: api.database }));
beforeAll(async () => {
  // Sample requests refer to user 1, who must not be one of the callers.
  await api.newPlayer();
  boss = await api.as('superadmin');
  stranger = await api.as({ permissions: ['test.other'] });
});

const rowsAfter = (id: bigint) =>
  api.db.selectFrom('admin_audit').selectAll().where('id', '>', id).orderBy('id').execute();
const head = async () =>
  (await api.db.selectFrom('admin_audit_head').select('id').executeTakeFirstOrThrow()).id;

const isForStaff = ({ access }: Route) => staffRight(access) !== undefined;
const doors = () => [
  { name: 'api', app: api, routes: mainRoutes(api.services).filter(isForStaff) },
  { name: 'backoffice', app: backoffice, routes: backofficeRoutes(backoffice.services).filter(isForStaff) },
];

type Attempt = { what: string; by: Player; path: string; options: CallOptions; due?: number };

/** Requests that produce every outcome of a call: performed, rejected by the service, forbidden, malformed at each stage, and not found. */
function attemptsAt(r: Route): Attempt[] {
  const { path, body } = sampleRequest(r);
  const bare = path.split('?')[0]!;
  const json = { 'content-type': 'application/json' };
  const attempts: Attempt[] = [
    { what: 'a good request', by: boss, path, options: { body } },
    { what: 'no right', by: stranger, path, options: { body }, due: 403 },
    {
      what: 'a query that is none of its own',
      by: boss,
      path: `${bare}?__other=1`,
      options: { body },
      due: 400,
    },
  ];
  if (r.method !== 'GET') {
    attempts.push({
      what: 'no JSON',
      by: boss,
      path: bare,
      options: { raw: '{"x":', headers: json },
      due: 400,
    });
    attempts.push({
      what: 'a field too many',
      by: boss,
      path: bare,
      options: { body: { __other: 1 } },
      due: 400,
    });
    const headers = { 'content-type': 'text/xml' };
    attempts.push({
      what: 'no right, no JSON',
      by: stranger,
      path: bare,
      options: { raw: '<x/>', headers },
      due: 403,
    });
  }
  if (r.path.includes('{'))
    attempts.push({
      what: 'nothing there',
      by: boss,
      path: r.path.replace(/\{\w+\}/g, '%20'),
      options: { body },
      due: 404,
    });
  // Some routes are open to all staff.
  return attempts.filter(({ due }) => due !== 403 || r.access !== 'staff');
}

describe('the audit log', () => {
  test('contains one row for each request to a staff route, whatever its outcome', async () => {
    const wrong: string[] = [];
    let tried = 0;
    const attempt = async (
      name: string,
      app: TestApp,
      r: Route,
      { what, by, path, options, due }: Attempt,
    ) => {
      const from = await head();
      const answer = await app.call(r.method, path, { token: by.token, ...options });
      const rows = await rowsAfter(from);
      const about = `${name} ${r.method} ${path}, ${what}: ${answer.status}`;
      tried++;
      if (answer.status >= 500 || (due !== undefined && answer.status !== due))
        wrong.push(`${about}, due ${due}`);
      const seen = rows.map((row) => ({
        ...row,
        id: 0n,
        hash: 0,
        created_at: 0,
        request_body: 0,
        before: 0,
        after: 0,
      }));
      const one = {
        id: 0n,
        hash: 0,
        created_at: 0,
        request_body: 0,
        before: 0,
        after: 0,
        user_id: by.id,
        method: r.method,
        path: path.split('?')[0],
        service: name,
        permission: staffRight(r.access),
        status_code: answer.status,
        reason: rows[0]?.reason,
        ip: '127.0.0.1',
        request_id: answer.headers.get('x-request-id'),
      };
      if (JSON.stringify(sorted(seen)) !== JSON.stringify(sorted([one])))
        wrong.push(`${about}: ${JSON.stringify(seen, (_, v) => (typeof v === 'bigint' ? String(v) : v))}`);
    };
    for (const { name, app, routes } of doors()) {
      expect(routes.length).toBeGreaterThan(3);
      for (const r of routes) for (const one of attemptsAt(r)) await attempt(name, app, r, one);
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(60);
    expect((await verifyAudit(api.db)).breaks).toEqual([]);
  }, 240_000);

  test('contains no row for callers without a valid session', async () => {
    const gone = await api.as('superadmin');
    await gone.call('DELETE', '/session/log-out/current');
    // Each service learns of the end from a notification, shortly after the response.
    for (const { app, routes } of doors()) {
      const { method, path } = routes[0]!;
      await until(async () => (await app.call(method, path, { token: gone.token })).status === 401);
    }
    const from = await head();
    for (const { app, routes } of doors())
      for (const r of routes)
        for (const token of [undefined, gone.token, `${boss.token}x`]) {
          const { path, body } = sampleRequest(r);
          expect((await app.call(r.method, path, { token, body })).status).toBe(401);
        }
    await api.call('GET', '/user/me', { token: stranger.token });
    expect(await head()).toBe(from);
  });
});

const sorted = (rows: readonly object[]) =>
  rows.map((row) =>
    Object.entries(row)
      .map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
