import { beforeAll, describe, expect, test } from 'vitest';
import { backofficeRoutes, mainRoutes } from '../src/app/apps.ts';
import { staffRight } from '../src/http/access.ts';
import type { Route } from '../src/http/route.ts';
import { codeOf } from './kit/accounts/accounts.ts';
import { type Answer, type Player, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { sampleRequest } from './kit/http/samples.ts';

let boss: Player;
/**
 * A process caches permissions until a notification reports a change. A call that is admitted before the notification arrives uses outdated
 * permissions. This test revokes permissions without a notification.
 */
const api = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: api.database }));
beforeAll(async () => {
  // Sample requests refer to user 1.
  await api.newPlayer();
  boss = await api.as('superadmin');
});

const doors = () => [
  { name: 'api', app: api, routes: mainRoutes(api.services) },
  { name: 'backoffice', app: backoffice, routes: backofficeRoutes(backoffice.services) },
];

/** Operations that only read although they are not GET. */
const READS = new Set<string>([
  ...(['/user/all', '/bets', '/accounting/transactions', '/rakeback/find-many'] as const),
  ...(['/affiliate', '/affiliate/users', '/affiliate/streamer', '/affiliate/streamer/referrals'] as const),
]);
const changes = (route: Route) =>
  route.method !== 'GET' &&
  // These operations need no permission, so they remain allowed.
  route.access !== 'staff' &&
  staffRight(route.access) !== undefined &&
  !READS.has(route.path.replace('/admin', ''));

/** Creates a former superadmin whom both processes still cache as a superadmin. */
async function demoted(): Promise<Player> {
  const loser = await api.as('superadmin');
  for (const { app } of doors()) {
    const path = app === api ? '/admin/user/all-permissions' : '/user/all-permissions';
    expect((await app.call('GET', path, { token: loser.token })).status).toBe(200);
  }
  await api.db.updateTable('users').set({ roles: [], permissions: [] }).where('id', '=', loser.id).execute();
  return loser;
}

describe('revoked permissions during a call', () => {
  test('changes nothing on any staff route after permissions are revoked during the request, whatever is cached', async () => {
    const loser = await demoted();
    const done: string[] = [];
    let refused = 0;
    for (const { name, app, routes } of doors())
      for (const route of routes.filter(changes)) {
        const { path, body } = sampleRequest(route);
        const answer = await app.call(route.method, path, { token: loser.token, body });
        if (answer.status < 400 || answer.status >= 500)
          done.push(`${name} ${route.method} ${path}: ${answer.status}`);
        if (answer.status === 403) refused++;
      }
    expect(done).toEqual([]);
    expect(refused).toBeGreaterThan(15);
    const audits = await api.db.selectFrom('admin_audit').select('path').where('user_id', '=', loser.id);
    const changed = await audits.where('status_code', '<', 400).where('method', '<>', 'GET').execute();
    expect(changed).toEqual([]);
  });

  type Act = (by: Player, player: Player, noteId: number) => Promise<Answer>;
  test.each<[string, Act]>([
    ['an API key', (by, { id }) => by.call('POST', '/admin/api-keys', { body: { userId: id } })],
    ['the end of an API key', (by, { id }) => by.call('DELETE', `/admin/api-keys/${id}`)],
    [
      'a note',
      (by, { id }) =>
        by.call('POST', '/admin/user-notes', { body: { userId: id, note: 'x', riskLevel: 'LOW' } }),
    ],
    ['the end of a note', (by, _, noteId) => by.call('DELETE', `/admin/user-notes/${noteId}`)],
    [
      'a setting of the site',
      (by) => by.call('PATCH', '/admin/config/COMMON', { body: { isPlayOpen: true } }),
    ],
    ['a log level', (by) => by.call('PUT', '/admin/logger', { body: { level: {}, ttlSeconds: 60 } })],
    [
      'a kill switch',
      (by) =>
        by.call('POST', '/admin/casino/games/house/dice/kill-switch', {
          body: { enabled: false, reason: 'x' },
        }),
    ],
  ])('rejects %s, which a colleague with the permission can do', async (_, act) => {
    const player = await api.newPlayer();
    const note = { userId: player.id, note: 'first', riskLevel: 'LOW' };
    const noteId = (await boss.call('POST', '/admin/user-notes', { body: note })).body.id;
    expect((await boss.call('POST', '/admin/api-keys', { body: { userId: player.id } })).status).toBeLessThan(
      300,
    );
    expect(codeOf(await act(await demoted(), player, noteId))).toBe('403 FORBIDDEN');
    expect((await act(boss, player, noteId)).status).toBeLessThan(300);
  });
});
