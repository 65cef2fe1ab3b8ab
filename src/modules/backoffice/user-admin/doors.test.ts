import { describe, expect, test } from 'vitest';
import { type Answer, cashOf, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const main = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: main.database }));
const boss = fixture(() => main.as('superadmin'));
const clerk = fixture(() => main.as({ permissions: ['user.read', 'user.write', 'user.ban'] }));

type Door = { name: string; app: TestApp; prefix: string };
const doors = (): [Door, Door] => [
  { name: 'api', app: main, prefix: '/admin' },
  { name: 'backoffice', app: backoffice, prefix: '' },
];
const through = ({ app, prefix }: Door, who: Player, method: string, path: string, body?: object) =>
  app.call(method, `${prefix}${path}`, { token: who.token, ...(body ? { body } : {}) });

/** Returns the effects of a call, without the fields that always differ between two users. */
async function effectOf(target: Player, { status, text, body }: Answer) {
  const user = await main.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', target.id)
    .executeTakeFirstOrThrow();
  const {
    id: _,
    username,
    email,
    username_skeleton,
    created_at,
    updated_at,
    last_login_at,
    banned_at,
    ...rest
  } = user;
  const alive = await main.db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', target.id)
    .where('revoked_at', 'is', null)
    .execute();
  const wallets = await main.db
    .selectFrom('wallets')
    .select(['cash'])
    .where('user_id', '=', target.id)
    .execute();
  const audit = await main.db
    .selectFrom('admin_audit')
    .selectAll()
    .where('path', 'like', `%/user/${target.id}%`)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return {
    status,
    code: body?.code,
    fields: body && typeof body === 'object' ? Object.keys(body) : text,
    user: rest,
    isBanned: banned_at !== null,
    sessions: alive.length,
    wallets,
    audit: audit && {
      by: audit.user_id,
      method: audit.method,
      permission: audit.permission,
      status: audit.status_code,
      reason: audit.reason,
      before: audit.before,
      after: audit.after,
    },
  };
}

type Step = { who: () => Player; method: string; path: string; body?: object; due: string };
const STEPS: Step[] = [
  { who: () => clerk, method: 'GET', path: '', due: '200' },
  { who: () => clerk, method: 'PATCH', path: '', body: { isPrivate: true }, due: '200' },
  { who: () => clerk, method: 'PATCH', path: '', body: { isStaff: true }, due: '403 FORBIDDEN' },
  { who: () => clerk, method: 'PATCH', path: '', body: {}, due: '400 NOTHING_TO_CHANGE' },
  { who: () => clerk, method: 'PATCH', path: '', body: { isPrivate: 1 }, due: '400 VALIDATION_FAILED' },
  { who: () => clerk, method: 'PATCH', path: '/avatar/reset', due: '200' },
  {
    who: () => clerk,
    method: 'PUT',
    path: '/balance',
    body: { balance: '7', currencyId: 'USDT' },
    due: '403 FORBIDDEN',
  },
  {
    who: () => boss,
    method: 'PUT',
    path: '/balance',
    body: { balance: '7', currencyId: 'USDT' },
    due: '200',
  },
  {
    who: () => boss,
    method: 'PUT',
    path: '/balance',
    body: { balance: '7', currencyId: 'NONE' },
    due: '404 CURRENCY_NOT_FOUND',
  },
  { who: () => clerk, method: 'PATCH', path: '/ban', body: { banReason: 'why' }, due: '200' },
  {
    who: () => clerk,
    method: 'PATCH',
    path: '/ban',
    body: { banReason: 'why' },
    due: '409 USER_ALREADY_BANNED',
  },
  { who: () => clerk, method: 'PATCH', path: '/unban', due: '403 FORBIDDEN' },
  { who: () => boss, method: 'PATCH', path: '/unban', due: '200' },
  { who: () => boss, method: 'PATCH', path: '/unban', due: '409 USER_NOT_BANNED' },
];

describe('user administration in both services', () => {
  test('returns the same responses, effects, errors and audit rows from both services for the same calls', async () => {
    const targets = [await main.newPlayer({ usdt: 5 }), await main.newPlayer({ usdt: 5 })];
    for (const { who, method, path, body, due } of STEPS) {
      const seen = [];
      for (const [i, door] of doors().entries()) {
        const target = targets[i]!;
        const answer = await through(door, who(), method, `/user/${target.id}${path}`, body);
        expect(`${answer.status} ${answer.body?.code ?? ''}`.trim(), `${door.name} ${method} ${path}`).toBe(
          due,
        );
        seen.push(await effectOf(target, answer));
      }
      expect(seen[1], `${method} ${path}`).toEqual(seen[0]);
    }
    const services = await main.db
      .selectFrom('admin_audit')
      .select(['service'])
      .where('path', 'like', `%/user/${targets[1]!.id}%`)
      .distinct()
      .execute();
    expect(services).toEqual([{ service: 'backoffice' }]);
    expect(await cashOf(await main.newPlayer({ username: targets[1]!.username }))).toBe('7');
  });

  test("rejects changes to the caller's own account", async () => {
    for (const door of doors())
      for (const [path, body] of [
        ['', { isPrivate: true }],
        ['/ban', {}],
        ['/avatar/reset', undefined],
      ] as const) {
        const answer = await through(door, clerk, 'PATCH', `/user/${clerk.id}${path}`, body);
        expect([answer.status, answer.body.code], `${door.name} ${path}`).toEqual([403, 'OWN_ACCOUNT']);
      }
  });

  const LIST = {
    sortBy: 'id',
    sortOrder: 'desc',
    withPermissions: true,
    withRoles: true,
    withNotes: true,
    withBalance: true,
    withStatsUsd: true,
    search: 's_',
    where: { isStaff: true },
    take: 5,
  };

  test('returns the same user list for filters in the body and in the query, and in the backoffice only to superadmins', async () => {
    const [api, back] = doors();
    const first = await through(api, boss, 'POST', '/user/all', LIST);
    const posted = await through(back, boss, 'POST', '/user/all', LIST);
    const query = new URLSearchParams(
      Object.entries({ ...LIST, where: JSON.stringify(LIST.where) }).map(
        ([k, v]) => [k, String(v)] as [string, string],
      ),
    );
    const asked = await through(back, boss, 'GET', `/user/all?${query}`);
    expect([first.status, posted.status, asked.status]).toEqual([200, 201, 200]);
    expect(first.body.data.length).toBeGreaterThan(1);
    expect(posted.body).toEqual(first.body);
    expect(asked.body).toEqual(first.body);
    for (const answer of [
      await through(back, clerk, 'POST', '/user/all', LIST),
      await through(back, clerk, 'GET', `/user/all?${query}`),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
  });

  test.each([
    'x',
    '[]',
    '{"nope":1}',
    '{"id":"1"}',
    '{"username":"\\u0000"}',
    '{"username":"\\ud800"}',
    '{"__proto__":{}}',
    'null',
  ])('rejects a filter of %s in the query with 400', async (where) => {
    const [, back] = doors();
    const flags = 'withPermissions=true&withRoles=true&withNotes=true&withBalance=true&withStatsUsd=true';
    const path = `/user/all?sortBy=id&sortOrder=asc&${flags}&where=${encodeURIComponent(where)}`;
    const { status, body } = await through(back, boss, 'GET', path);
    expect([status, body.code, body.details.fields[0].path.split('.')[0]]).toEqual([
      400,
      'VALIDATION_FAILED',
      'where',
    ]);
  });

  test('lifts a ban without a body in the backoffice', async () => {
    const player = await main.newPlayer();
    const [, back] = doors();
    const answer = await through(back, boss, 'PATCH', `/user/${player.id}/unban`, { banReason: 'x' });
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    const document = (await backoffice.call('GET', '/openapi.json')).body;
    expect(JSON.stringify(document.paths['/user/{id}/unban'])).not.toContain('banReason');
  });
});
