import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { cashOf, PATIENCE, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { startLeaderboards } from '../../../../test/kit/leaderboards.ts';

const world = fixture(() =>
  startLeaderboards({ env: { ...PATIENCE, DATABASE_CONNECT_TIMEOUT_MS: '60000' } }),
);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: world.database, env: PATIENCE }));

const codeOf = ({ status, body }: { status: number; body: any }) => `${status} ${body?.code}`;

/** A leaderboard that has ended, with so many players in the order of their places. */
async function ended(players = 4, fields: object = {}) {
  const id = await world.special(fields);
  const all: Player[] = [];
  for (let i = 0; i < players; i++) {
    all.push(await world.player());
    await world.bet(all[i]!, String(100 - i));
  }
  await world.end(id);
  return { id, players: all };
}
const setConfig = async (leaderboards: object) =>
  expect((await world.boss.call('PATCH', '/admin/config/COMMON', { body: { leaderboards } })).status).toBe(
    200,
  );
const payAll = async (id: string, players: readonly Player[]) => {
  const pay = world.services.leaderboards.tasks['leaderboard-prize']!;
  for (const { id: userId } of players) await pay({ leaderboardId: Number(id), userId });
};

describe('giving a prize', () => {
  test('tells the winner, is in the statement and the audit, and counts in the hour', async () => {
    const { id, players } = await ended(1);
    const [winner] = players as [Player];
    const { status, body } = await world.give(world.boss, id, winner);
    expect(status).toBe(201);
    const { body: notes } = await winner.call('GET', '/notifications');
    expect(notes[0]).toMatchObject({
      type: 'LEADERBOARD',
      payload: { leaderboardId: id, place: 1, amount: '100', currencyId: 'USDT' },
    });
    const { rows: audits } = await sql<any>`
      select before, after from admin_audit where path like '%give-prize' and status_code = 201 and user_id = ${world.boss.id}
      order by id desc limit 1`.execute(world.db);
    expect(audits[0]).toMatchObject({
      before: { leaderboardId: id, userId: winner.id, place: 1, paidAt: null },
      after: { usdAmount: '100', transactionId: body.transactionId },
    });
    const mine = await winner.call('GET', '/leaderboards/my');
    expect(mine.body).toMatchObject({
      total: 1,
      data: [{ leaderboardId: id, place: 1, prizeUsdAmount: '100', currencyId: 'USDT', status: 'FINISHED' }],
    });
    const { body: user } = await world.boss.call('GET', `/admin/leaderboards/${id}/users/${winner.id}`);
    expect(user).toMatchObject({
      isWinner: true,
      isWaitingForPrice: false,
      paidAmount: '100',
      paidAt: body.paidAt,
    });
  });

  test('is refused with its code', async () => {
    const { id, players } = await ended();
    const [first, second, , fourth] = players as [Player, Player, Player, Player];
    const running = await world.special();
    await world.bet(first, '1');
    await world.count();
    const stranger = await world.player();
    const give = async (board: string, to: { id: number }, fields: object = {}) =>
      codeOf(await world.give(world.boss, board, to, fields));
    for (const missing of ['999999', 'x', '0', '-1', '99999999999'])
      expect(await give(missing, first)).toBe('404 LEADERBOARD_NOT_FOUND');
    expect(await give(id, stranger)).toBe('404 LEADERBOARD_USER_NOT_FOUND');
    expect(await give(id, { id: 2_000_000_000 })).toBe('404 LEADERBOARD_USER_NOT_FOUND');
    expect(await give(running, first)).toBe('409 LEADERBOARD_NOT_FINISHED');
    expect(await give(id, fourth)).toBe('409 LEADERBOARD_NO_PRIZE');
    expect(await give(id, first, { currency: 'NONE' })).toBe('404 CURRENCY_NOT_FOUND');
    for (const amounts of [
      { usdAmount: '0' },
      { usdAmount: '100.00000001' },
      { usdAmount: '50', fullUsdAmount: '49' },
      { usdAmount: '50', fullUsdAmount: '101' },
      { fullUsdAmount: '50' },
      { usdAmount: '0.000000001' },
      { usdAmount: '0.00000001', currency: 'BTC' },
    ])
      expect(await give(id, first, amounts)).toBe('400 AMOUNT_OUT_OF_RANGE');
    await sql`update players set is_banned = true where user_id = ${second.id}`.execute(world.db);
    expect(await give(id, second)).toBe('403 USER_BANNED');
    await sql`update players set is_banned = false where user_id = ${second.id}`.execute(world.db);
    expect(await give(id, first)).toBe('201 undefined');
    expect(await give(id, first)).toBe('409 LEADERBOARD_PRIZE_PAID');
    await world.boss.call('POST', `/admin/leaderboards/${running}/cancel`, { body: { reason: 'a test' } });
    expect(await give(running, first)).toBe('409 LEADERBOARD_NOT_FINISHED');
  });

  test('needs the right to pay, and is nothing for oneself', async () => {
    const { id, players } = await ended(1);
    const [winner] = players as [Player];
    const reader = await world.as({ permissions: ['leaderboard.read', 'leaderboard.write'] });
    expect(codeOf(await world.give(reader, id, winner))).toBe('403 FORBIDDEN');
    expect(codeOf(await world.give(winner, id, winner))).toBe('403 FORBIDDEN');
    const body = { leaderboardId: id, userId: winner.id, currency: 'USDT' };
    expect(codeOf(await world.call('POST', '/admin/leaderboards/give-prize', { body }))).toBe(
      '401 UNAUTHORIZED',
    );
    await sql`
      update users set is_staff = true, permissions = '{leaderboard.pay}', email = 'winner@staff.example', email_verified = true
      where id = ${winner.id}`.execute(world.db);
    const again = await world.newPlayer({ username: winner.username });
    expect(codeOf(await world.give(again, id, winner))).toBe('403 OWN_ACCOUNT');
    await sql`update users set is_staff = false, permissions = '{}' where id = ${winner.id}`.execute(
      world.db,
    );
  });

  test('two members of staff give the same prize 200 times, from both services: it is paid once', async () => {
    const { id, players } = await ended(2);
    const [winner] = players as [Player];
    const staff = [
      await world.as({ permissions: ['leaderboard.pay'] }),
      await world.as({ permissions: ['leaderboard.pay'] }),
    ];
    const before = Number(await cashOf(winner));
    const body = { leaderboardId: id, userId: winner.id, currency: 'USDT' };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const { token } = staff[i % 2]!;
        return i % 4 < 2
          ? world.call('POST', '/admin/leaderboards/give-prize', { body, token })
          : backoffice.call('POST', '/leaderboards/give-prize', { body, token });
      }),
    );
    const codes = answers.map(codeOf).sort();
    expect([...new Set(codes)]).toEqual(['201 undefined', '409 LEADERBOARD_PRIZE_PAID']);
    expect(codes.filter((code) => code.startsWith('201'))).toHaveLength(1);
    expect(Number(await cashOf(winner)) - before).toBe(100);
  });

  test('with an idempotency key answers the same again', async () => {
    const { id, players } = await ended(1);
    const body = { leaderboardId: id, userId: players[0]!.id, currency: 'USDT' };
    const send = () =>
      world.boss.call('POST', '/admin/leaderboards/give-prize', {
        body,
        headers: { 'idempotency-key': `prize-${id}-0` },
      });
    const [one, two] = [await send(), await send()];
    expect([one.status, two.body]).toEqual([201, one.body]);
  });
});

describe('places', () => {
  test('who may not win is skipped: their prize is nobody’s', async () => {
    const id = await world.special();
    const [banned, excluded, tester, last] = [
      await world.player(),
      await world.player(),
      await world.player(),
      await world.player(),
    ];
    for (const [i, player] of [banned, excluded, tester, last].entries())
      await world.bet(player, String(50 - i));
    await world.count();
    await sql`update players set is_banned = true where user_id = ${banned.id}`.execute(world.db);
    const excludeUntil = new Date(Date.now() + 400 * 86_400_000).toISOString();
    await excluded.call('POST', '/user-limits/self-exclusion', { body: { excludeUntil } });
    await sql`update users set is_test = true where id = ${tester.id}`.execute(world.db);
    // All three prize places are skipped.
    expect(await world.end(id)).toBe('FINISHED');
    expect((await world.standings(id)).map(([place, userId]: any) => [place, userId])).toEqual([
      [1, banned.id],
      [2, excluded.id],
      [3, tester.id],
      [4, last.id],
    ]);
    const { body } = await world.boss.call('GET', `/admin/leaderboards/${id}/users?isWinner=true`);
    expect(body.total).toBe(0);
    expect(codeOf(await world.give(world.boss, id, banned))).toBe('409 LEADERBOARD_NO_PRIZE');
  });

  test('prizes move up where the leaderboard was made so', async () => {
    await setConfig({ movesPrizesUp: true });
    const id = await world.special();
    await setConfig({ movesPrizesUp: false });
    const [tester, second, third] = [await world.player(), await world.player(), await world.player()];
    for (const [i, player] of [tester, second, third].entries()) await world.bet(player, String(50 - i));
    await world.count();
    await sql`update users set is_test = true where id = ${tester.id}`.execute(world.db);
    expect(await world.end(id)).toBe('AWAITING_PAYOUT');
    const { body } = await world.boss.call('GET', `/admin/leaderboards/${id}/users`);
    expect(
      body.data.map((row: any) => [row.userId, row.place, row.prizeUsdAmount, row.isWaitingForPrice]),
    ).toEqual([
      [tester.id, 1, null, false],
      [second.id, 2, '100', true],
      [third.id, 3, '50', true],
    ]);
  });

  test('a bet that is rolled back after the end moves them as long as no prize was paid; then they stand, and staff is told', async () => {
    const id = await world.special();
    const [a, b] = [await world.player(), await world.player()];
    const bets = [await world.bet(a, '30'), await world.bet(a, '20'), await world.bet(b, '40')];
    await world.end(id);
    expect(await world.standings(id)).toEqual([
      [1, a.id, '50'],
      [2, b.id, '40'],
    ]);
    await world.rollBack(bets[1]!);
    await world.count();
    const moved = [
      [1, b.id, '40'],
      [2, a.id, '30'],
    ];
    expect(await world.standings(id)).toEqual(moved);
    expect((await world.give(world.boss, id, b)).body).toMatchObject({ place: 1, usdAmount: '100' });
    const alerts = async () => {
      const { rows } = await sql<any>`
        select data from events where name = 'admin.alert' and data ->> 'kind' = 'LEADERBOARD_CHANGED'`.execute(
        world.db,
      );
      return rows.map(({ data }) => data.id);
    };
    expect(await alerts()).not.toContain(id);
    await world.rollBack(bets[2]!);
    await world.count();
    expect(await world.standings(id)).toEqual(moved);
    expect(await alerts()).toContain(id);
  });

  test('nobody has played: finished', async () => {
    const id = await world.special();
    expect(await world.end(id)).toBe('FINISHED');
  });
});

describe('automatic payment', () => {
  test('pays every winner once, however often it is tried; who is refused then loses it', async () => {
    await setConfig({ paysAutomatically: true });
    const { id, players } = await ended(3);
    await setConfig({ paysAutomatically: false });
    const [first, second, third] = players as [Player, Player, Player];
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from graphile_worker.jobs where task_identifier = 'leaderboard-prize' and key like ${`leaderboard-prize:${id}:%`}`.execute(
      world.db,
    );
    expect(rows).toEqual([{ n: 3 }]);
    await sql`update players set is_banned = true where user_id = ${second.id}`.execute(world.db);
    const before = Number(await cashOf(first));
    await Promise.all(Array.from({ length: 10 }, () => payAll(id, [first])));
    expect(Number(await cashOf(first)) - before).toBe(100);
    await payAll(id, [second, third]);
    expect((await world.boss.call('GET', `/admin/leaderboards/${id}`)).body.status).toBe('FINISHED');
    const { body } = await world.boss.call('GET', `/admin/leaderboards/${id}/users`);
    expect(body.data.map((row: any) => [row.isWinner, row.paidAmount])).toEqual([
      [true, '100'],
      [false, null],
      [true, '25'],
    ]);
  });
});
