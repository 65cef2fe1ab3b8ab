import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { verifyAudit } from './verify.ts';

const app = fixture(startApp);
/** Another process that uses the same database. */
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));

const counted = (...players: Player[]) =>
  app.db
    .selectFrom('refused_calls')
    .selectAll()
    .where(
      'user_id',
      'in',
      players.map(({ id }) => id),
    )
    .orderBy('hour')
    .execute();
const chained = ({ id }: Player) =>
  app.db.selectFrom('admin_audit').selectAll().where('user_id', '=', id).orderBy('id').execute();
const sum = (rows: readonly { calls: bigint }[]) => rows.reduce((all, { calls }) => all + calls, 0n);
/** Moves the calls of these players to an earlier hour. */
const age = (hours: number, ...players: Player[]) =>
  sql`update refused_calls set hour = hour - interval '1 hour' * ${hours}::int, first_at = first_at - interval '1 hour' * ${hours}::int,
    last_at = last_at - interval '1 hour' * ${hours}::int where user_id = any(${players.map(({ id }) => id)}::int4[])`.execute(
    app.db,
  );
const tries = async (player: Player, times: number) => {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, i) =>
      i % 2
        ? player.call('GET', '/admin/user-notes')
        : backoffice.call('GET', '/user/all', { token: player.token }),
    ),
  );
  expect(new Set(answers.map(codeOf))).toEqual(new Set(['403 FORBIDDEN']));
};

describe("players' rejected calls", () => {
  test('counts rejected calls in one row outside the chain when 40 calls run concurrently in two processes', async () => {
    const player = await app.newPlayer();
    await tries(player, 40);
    expect(codeOf(await player.call('DELETE', '/admin/user-notes/1'))).toBe('403 FORBIDDEN');
    const rows = await counted(player);
    // There are two rows if the hour ended while the test ran.
    expect(rows.length).toBeLessThanOrEqual(2);
    expect(sum(rows)).toBe(41n);
    const last = rows.at(-1)!;
    expect(last).toMatchObject({
      method: 'DELETE',
      path: '/admin/user-notes/1',
      service: 'api',
      permission: 'note.write',
      status_code: 403,
      ip: '127.0.0.1',
    });
    expect(Number(last.last_at)).toBeGreaterThanOrEqual(Number(last.first_at));
    expect(await chained(player)).toEqual([]);
  });

  test('adds the rejected calls of each elapsed hour to the chain once when several workers run', async () => {
    const [one, two] = [await app.newPlayer(), await app.newPlayer()];
    await tries(one, 12);
    await tries(two, 4);
    await age(2, one);
    const calls = sum(await counted(one));
    await Promise.all([app, backoffice, app].map(({ services }) => services.audit.enterRefusals()));
    const rows = await chained(one);
    expect(rows.reduce((all, { after }) => all + (after as { refusedCalls: number }).refusedCalls, 0)).toBe(
      Number(calls),
    );
    expect(rows.length).toBeLessThanOrEqual(2);
    expect(rows[0]).toMatchObject({
      method: 'GET',
      status_code: 403,
      reason: expect.stringContaining('not staff'),
      after: { firstAt: expect.stringMatching(/Z$/), lastAt: expect.stringMatching(/Z$/) },
    });
    expect(await counted(one)).toEqual([]);
    // The hour in which the other player's call was counted has not ended.
    expect(sum(await counted(two))).toBe(4n);
    expect(await chained(two)).toEqual([]);
    await app.services.audit.enterRefusals();
    expect(await chained(one)).toHaveLength(rows.length);
    expect((await verifyAudit(app.db)).breaks).toEqual([]);
  });

  test('lists rejected calls in the audit log like other entries', async () => {
    const player = await app.newPlayer();
    await tries(player, 2);
    await age(3, player);
    await app.services.audit.enterRefusals();
    const boss = await app.as('superadmin');
    const { body } = await boss.call(
      'GET',
      `/admin/user/admin-audit?userId=${player.id}&reqType=Client_Error`,
    );
    expect(body.data[0]).toMatchObject({
      userId: player.id,
      statusCode: 403,
      after: { refusedCalls: expect.any(Number) },
    });
  });

  test('records rejected calls without waiting for the lock on the chain', async () => {
    const player = await app.newPlayer();
    await app.services.db.transaction().execute(async (tx) => {
      await sql`select 1 from admin_audit_head for update`.execute(tx);
      await tries(player, 20);
    });
    expect(sum(await counted(player))).toBe(20n);
  });

  test('counts rejected calls separately for each of many concurrent players', async () => {
    const players = await Promise.all(Array.from({ length: 10 }, () => app.newPlayer()));
    await Promise.all(players.map((player) => tries(player, 20)));
    for (const player of players) expect(sum(await counted(player))).toBe(20n);
  });
});

test('adds every rejected call by staff to the chain, including staff whose accounts are not activated yet', async () => {
  const clerk = await app.as({ permissions: ['user.read'] });
  for (let i = 0; i < 3; i++)
    expect(codeOf(await clerk.call('GET', '/admin/user-notes'))).toBe('403 FORBIDDEN');
  expect(await chained(clerk)).toHaveLength(3);
  await app.db.updateTable('users').set({ email_verified: false }).where('id', '=', clerk.id).execute();
  const again = await app.newPlayer({ username: clerk.username });
  expect(codeOf(await again.call('GET', '/admin/user-notes'))).toBe('403 STAFF_NOT_ACTIVATED');
  expect(await chained(clerk)).toHaveLength(4);
  expect(await counted(clerk)).toEqual([]);
});
