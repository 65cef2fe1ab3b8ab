import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type Answer, cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { inTurn } from '../../../../test/kit/games/turns.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { lockPlayers } from '../players/service.ts';
import { lockSuperAdmins } from './service.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
const ban = (who: Player, { id }: { id: number }) => who.call('PATCH', `/admin/user/${id}/ban`, { body: {} });
const put = (who: Player, path: string, body: object) => who.call('PUT', `/admin/user/${path}`, { body });
const usersBut = async (...ids: number[]) => {
  const rows = await app.db.selectFrom('users').selectAll().orderBy('id').execute();
  return rows.filter(({ id }) => !ids.includes(id));
};

type Act = (who: Player, puppet: Player) => Promise<Answer>;
const newStaff: Act = (who) => {
  const body = { username: `st_${randomBytes(6).toString('hex')}`, password: 'corridor battery 9' };
  return who.call('POST', '/admin/user/admin-user', { body: { ...body, permissions: ['user.ban'] } });
};
/** Calls that wait for the lock taken by bans and permission changes. */
const TURNS: [string, Act][] = [
  ['setting roles', (who, { id }) => put(who, `${id}/roles`, { roles: ['SUPERADMIN'] })],
  ['adding a role', (who, { username }) => put(who, 'add-single-role', { username, role: 'SUPERADMIN' })],
  ['setting permissions', (who, { id }) => put(who, `${id}/permissions`, { permissions: ['user.ban'] })],
  ['creating staff', newStaff],
  ['a ban', ban],
  ['an unban', (who, { id }) => who.call('PATCH', `/admin/user/${id}/unban`, { body: {} })],
];

describe('a caller who loses permissions while the call waits', () => {
  test.each(TURNS)(
    'rejects %s with 401 for a superadmin who has just been banned, and changes nothing',
    async (_, act) => {
      const [loser, puppet] = [await app.as('superadmin'), await app.newPlayer()];
      const before = await usersBut(loser.id);
      const answers = await inTurn(
        app,
        lockSuperAdmins,
        () => ban(boss, loser),
        () => act(loser, puppet),
      );
      expect(answers.map(codeOf)).toEqual(['200', '401 UNAUTHORIZED']);
      expect(await usersBut(loser.id)).toEqual(before);
    },
  );

  test.each(TURNS)('rejects %s with 403 for a former superadmin', async (_, act) => {
    const [loser, puppet] = [await app.as('superadmin'), await app.newPlayer()];
    const before = await usersBut(loser.id);
    const answers = await inTurn(
      app,
      lockSuperAdmins,
      () => put(boss, `${loser.id}/roles`, { roles: ['MARKETING'] }),
      () => act(loser, puppet),
    );
    expect(answers.map(codeOf)).toEqual(['200', '403 FORBIDDEN']);
    expect(await usersBut(loser.id)).toEqual(before);
  });

  test('rejects granting a permission that the caller has just lost, and calls from an ended session', async () => {
    const clerk = await app.as({ permissions: ['staff.write', 'user.read', 'note.read'] });
    const puppet = await app.newPlayer();
    const grant = () => put(clerk, `${puppet.id}/permissions`, { permissions: ['note.read'] });
    const taken = await inTurn(
      app,
      lockSuperAdmins,
      () => put(boss, `${clerk.id}/permissions`, { permissions: ['staff.write', 'user.read'] }),
      grant,
    );
    expect(taken.map(codeOf)).toEqual(['200', '403 PERMISSION_NOT_HELD']);
    const body = { userId: clerk.id, action: 'CLOSE_SESSIONS' };
    const ended = await inTurn(
      app,
      lockSuperAdmins,
      () => put(clerk, `${puppet.id}/permissions`, { permissions: ['user.read'] }),
      () => app.call('POST', '/debug/user/action', { body }),
    );
    expect(ended.map(codeOf)).toEqual(['401 UNAUTHORIZED', '201']);
    const rows = await app.db.selectFrom('users').select('permissions').where('id', '=', puppet.id).execute();
    expect(rows).toEqual([{ permissions: [] }]);
  });

  test.each<[string, Act]>([
    [
      'an edit of a user',
      (who, { id }) => who.call('PATCH', `/admin/user/${id}`, { body: { isStaff: true } }),
    ],
    ['an avatar reset', (who, { id }) => who.call('PATCH', `/admin/user/${id}/avatar/reset`)],
  ])('rejects %s with 401 for a user who is banned while the call waits for a row lock', async (_, act) => {
    const [loser, puppet] = [await app.as('superadmin'), await app.newPlayer()];
    const before = await usersBut(loser.id);
    const hold = (tx: Tx) => sql`select 1 from users where id = ${puppet.id} for update`.execute(tx);
    const answers = await inTurn(
      app,
      hold,
      () => act(loser, puppet),
      () => ban(boss, loser),
    );
    expect(answers.map(codeOf)).toEqual(['401 UNAUTHORIZED', '200']);
    expect(await usersBut(loser.id)).toEqual(before);
  });

  test('rejects a balance change with 401 when the caller has just been banned, and does not store the response under the idempotency key', async () => {
    const [loser, puppet] = [await app.as('superadmin'), await app.newPlayer({ usdt: 1 })];
    const headers = { 'idempotency-key': randomUUID() };
    const set = (who: Player, withKey: boolean) =>
      who.call('PUT', `/admin/user/${puppet.id}/balance`, {
        body: { balance: '7', currencyId: 'USDT' },
        headers: withKey ? headers : {},
      });
    const hold = (tx: Tx) => lockPlayers(tx, [loser.id]);
    const answers = await inTurn(
      app,
      hold,
      () => ban(boss, loser),
      () => set(loser, true),
      () => set(loser, false),
    );
    expect(answers.map(codeOf)).toEqual(['200', '401 UNAUTHORIZED', '401 UNAUTHORIZED']);
    expect(await cashOf(puppet)).toBe('1');
    expect((await boss.call('PATCH', `/admin/user/${loser.id}/unban`, { body: {} })).status).toBe(200);
    const again = await app.newPlayer({ username: loser.username });
    expect(codeOf(await set(again, true))).toBe('200');
    expect(await cashOf(puppet)).toBe('7');
  });
});
