import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newId } from '../../../platform/ids.ts';

const app = fixture(() => startApp({ reconcileOnStop: false }));
const clerk = fixture(() => app.as({ permissions: ['user.read'] }));
const analyst = fixture(() =>
  app.as({ permissions: ['user.read', 'user.pii', 'withdraw.read', 'kyc.read'] }),
);

const connectionsOf = (by: Player, { id }: { id: number }) =>
  by.call('GET', `/admin/users/${id}/connections`);

/** Moves all sessions and the sign-up of a player to an address and a browser. */
async function moveTo({ id }: Player, ip: string, agent: string): Promise<void> {
  const place = { ip_address: ip, user_agent: agent };
  await app.db.updateTable('sessions').set(place).where('user_id', '=', id).execute();
  await app.db.updateTable('registration_info').set(place).where('user_id', '=', id).execute();
}

const paidTo = ({ id }: Player, address: string) =>
  sql`insert into withdrawals (id, user_id, currency_id, network_id, amount, fee, usd_amount, is_priced, recipient_address, status,
      status_history, risk_score, risk_reasons)
    values (${newId()}, ${id}, 'USDT', 'tron', 1, 0, 1, true, ${address}, 'CANCELLED', '[]', 0, '{}')`.execute(
    app.db,
  );

test('lists connected accounts with their signals, the strongest first', async () => {
  const [player, twin, neighbour, stranger] = await Promise.all([1, 2, 3, 4].map(() => app.newPlayer()));
  await moveTo(player!, '10.9.8.7', 'browser a');
  await moveTo(twin!, '10.9.8.6', 'browser a');
  await moveTo(neighbour!, '10.9.8.7', 'browser b');
  await moveTo(stranger!, '10.9.8.5', 'browser a');
  for (const who of [player!, twin!]) await paidTo(who, 'TSharedAddress1');
  await app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', twin!.id).execute();
  const { status, body } = await connectionsOf(analyst, player!);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    total: 2,
    connections: [
      {
        user: { id: twin!.id, email: `${twin!.username}@test.example` },
        signals: ['DEVICE', 'PAYOUT_ADDRESS'],
        isSamePerson: true,
        isBanned: true,
      },
      { user: { id: neighbour!.id }, signals: ['NETWORK'], isSamePerson: false, isBanned: false },
    ],
  });
  await moveTo(stranger!, '10.9.8.4', 'browser c');
  expect((await connectionsOf(analyst, stranger!)).body).toEqual({
    connections: [],
    total: 0,
    totalIsExact: true,
    hidden: [],
  });
});

test('lists at most 50 of the accounts that share a network', async () => {
  const player = await app.newPlayer();
  await moveTo(player, '10.8.8.8', 'browser');
  const crowd = await sql<{ id: number }>`
    insert into users (username, username_skeleton) select 'nat_' || n, 'nat ' || n from generate_series(1, 60) n returning id`.execute(
    app.db,
  );
  await sql`insert into registration_info (user_id, type, ip_address)
    select id, 'EMAIL', '10.8.8.8' from unnest(${crowd.rows.map(({ id }) => id)}::int4[]) id`.execute(app.db);
  const { body } = await connectionsOf(analyst, player);
  expect([body.connections.length, body.total, body.totalIsExact]).toEqual([50, 60, true]);
});

test('shows each signal only with its permission, and no account that shares only hidden signals', async () => {
  const [player, twin, neighbour] = await Promise.all([1, 2, 3].map(() => app.newPlayer()));
  await moveTo(player!, '10.7.8.7', 'browser a');
  await moveTo(twin!, '10.7.8.6', 'browser a');
  await moveTo(neighbour!, '10.7.8.7', 'browser b');
  for (const who of [player!, twin!]) await paidTo(who, 'TSharedAddress2');
  for (const who of [player!, twin!])
    await sql`insert into kyc_persons (user_id, sealed, person_key, stated_at) values (${who.id}, '1', 'the twins', now())`.execute(
      app.db,
    );
  const near = { user: { id: neighbour!.id }, signals: ['NETWORK'], isSamePerson: false };
  const same = (...signals: string[]) => ({ user: { id: twin!.id }, signals, isSamePerson: true });
  for (const [permissions, hidden, connections] of [
    [[], ['NETWORK', 'DEVICE', 'PAYOUT_ADDRESS', 'MAILBOX', 'IDENTITY'], []],
    [['user.pii'], ['PAYOUT_ADDRESS', 'IDENTITY'], [near]],
    [['withdraw.read'], ['NETWORK', 'DEVICE', 'MAILBOX', 'IDENTITY'], [same('PAYOUT_ADDRESS')]],
    [['kyc.read'], ['NETWORK', 'DEVICE', 'PAYOUT_ADDRESS', 'MAILBOX'], [same('IDENTITY')]],
    [['user.pii', 'kyc.read'], ['PAYOUT_ADDRESS'], [same('DEVICE', 'IDENTITY'), near]],
  ] as const) {
    const by = await app.as({ permissions: ['user.read', ...permissions] });
    const { body } = await connectionsOf(by, player!);
    expect(body, permissions.join()).toMatchObject({ hidden, connections, total: connections.length });
  }
});

test('rejects unknown users, and callers without user.read', async () => {
  const player = await app.newPlayer();
  expect((await connectionsOf(clerk, { id: 2_000_000_000 })).body.code).toBe('USER_NOT_FOUND');
  expect((await connectionsOf(player, player)).status).toBe(403);
  expect((await connectionsOf(await app.as({ permissions: ['user.pii'] }), player)).status).toBe(403);
  expect((await app.call('GET', `/admin/users/${player.id}/connections`)).status).toBe(401);
});
