/** Tests the end of a leaderboard: bets that are committed late, ranks, and later changes. */
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { startLeaderboards } from '../../../../test/kit/engagement/leaderboards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  type Corrected,
  correctBet,
  lock,
  placeBet,
  reserve,
  settleBet,
  write,
} from '../../../../test/kit/games/bets.ts';
import { transaction } from '../../../platform/database/db.ts';

// Reconciliation is off, because some of these bets move no money.
const world = fixture(() => startLeaderboards({ reconcileOnStop: false }));
const two = fixture(() => startApp({ database: world.database, reconcileOnStop: false }));

const statusOf = async (id: string): Promise<string> =>
  (await world.boss.call('GET', `/admin/leaderboards/${id}`)).body.status;
const exclude = async (player: Player) => {
  const excludeUntil = new Date(Date.now() + 400 * 86_400_000).toISOString();
  const { status } = await player.call('POST', '/user-limits/self-exclusion', { body: { excludeUntil } });
  expect(status).toBeLessThan(300);
};
const block = async (country: string, isBlocked: boolean) =>
  expect((await world.boss.call('PATCH', `/admin/country/${country}`, { body: { isBlocked } })).status).toBe(
    200,
  );
const movePrizesUp = async (movesPrizesUp: boolean) =>
  expect(
    (await world.boss.call('PATCH', '/admin/config/COMMON', { body: { leaderboards: { movesPrizesUp } } }))
      .status,
  ).toBe(200);

test('ends a run only after all earlier bets are counted, and ends it only once when two processes try concurrently', async () => {
  const id = await world.special();
  const player = await world.player();
  const bets = Array.from({ length: 20 }, () => betOnDice(player, { betAmount: '1' }));
  await Promise.all(bets);
  // No bet has been counted yet, so the leaderboard cannot end until the cursor has moved.
  await sql`update leaderboards set start_date = start_date - interval '2 days', end_date = now() - interval '61 seconds' where id = ${Number(id)}`.execute(
    world.db,
  );
  await sql`update bets set created_at = now() - interval '1 hour', settled_at = settled_at - interval '1 hour' where user_id = ${player.id}`.execute(
    world.db,
  );
  await world.advance(id);
  expect((await world.boss.call('GET', `/admin/leaderboards/${id}`)).body.status).toBe('FINALIZING');
  const consuming = world.count();
  await vi.waitUntil(
    async () => {
      await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? two : world).services.leaderboards.tasks.leaderboard!({ leaderboardId: Number(id) }),
        ),
      );
      return (await world.boss.call('GET', `/admin/leaderboards/${id}`)).body.status === 'AWAITING_PAYOUT';
    },
    { timeout: 20_000, interval: 50 },
  );
  await consuming;
  expect(await world.standings(id)).toEqual([[1, player.id, '20']]);
  await world.passNews(id);
  const states = (await world.announced(id)).map(({ status }) => status);
  expect([states.filter((status) => status === 'AWAITING_PAYOUT').length, states.at(-1)]).toEqual([
    1,
    'AWAITING_PAYOUT',
  ]);
});

test('counts a bet that is in progress when the run ends, regardless of how late it commits', async () => {
  const id = await world.special();
  const player = await world.player();
  let commit = () => {};
  const held = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let isWritten = false;
  const settledAt = new Date(Date.now() - 120_000);
  const writing = transaction(world.db, async (tx) => {
    await lock(tx, player.id);
    await reserve(tx);
    await write(tx, { userId: player.id, gameId: 1, amount: 300_000_000n, usd: 1n, settledAt });
    isWritten = true;
    await held;
  });
  await vi.waitUntil(() => isWritten);
  await world.letEnd(id);
  for (let i = 0; i < 3; i++) {
    await world.count();
    await world.advance(id);
    expect(await statusOf(id)).toBe('FINALIZING');
  }
  commit();
  await writing;
  await world.advance(id);
  // The bet has been committed but not counted yet.
  expect(await statusOf(id)).toBe('FINALIZING');
  await world.count();
  await vi.waitUntil(async () => {
    await world.advance(id);
    return (await statusOf(id)) === 'AWAITING_PAYOUT';
  });
  expect(await world.standings(id)).toEqual([[1, player.id, '3']]);
});

test('counts bets that settle from the start until just before the end, regardless of when they were placed', async () => {
  const id = await world.special();
  const shown = (await world.app.call('GET', `/leaderboards/${id}`)).body;
  expect(shown.countsBetsBy).toBe('SETTLED_AT');
  const [start, end] = [Date.now() - 3 * 3_600_000, Date.now() - 120_000];
  await sql`update leaderboards set start_date = ${new Date(start)}, end_date = ${new Date(end)} where id = ${Number(id)}`.execute(
    world.db,
  );
  const [before, atStart, last, atEnd, late] = (await world.players(5)) as [
    Player,
    Player,
    Player,
    Player,
    Player,
  ];
  const stake = { gameId: 1, amount: 300_000_000n, usd: 1n };
  for (const [player, at] of [
    [before, start - 1],
    [atStart, start],
    [last, end - 1],
    [atEnd, end],
  ] as const)
    await placeBet(world.app, { ...stake, userId: player.id, settledAt: new Date(at) });
  const open = await placeBet(world.app, { ...stake, userId: late.id, status: 'CREATED' });
  await sql`update bets set created_at = ${new Date(end - 60_000)}, settled_at = null where id = ${open}`.execute(
    world.db,
  );
  await settleBet(world.app, { id: open, userId: late.id });
  await world.count();
  await vi.waitUntil(async () => {
    await world.advance(id);
    return (await statusOf(id)) === 'AWAITING_PAYOUT';
  });
  expect(await world.standings(id)).toEqual([
    [1, atStart.id, '3'],
    [2, last.id, '3'],
  ]);
});

describe('frozen standings', () => {
  test('skips ineligible players when it freezes the standings, and does not award their prizes', async () => {
    const prizes = [1, 2, 3, 4, 5].map((place) => ({ place, usdAmount: '10' }));
    const id = await world.special({ prizes });
    const players = await world.players(6);
    const [banned, excluded, tester, clerk, abroad, last] = players as [
      Player,
      Player,
      Player,
      Player,
      Player,
      Player,
    ];
    for (const [i, player] of players.entries()) await world.bet(player, String(50 - i));
    await world.count();
    await sql`update players set is_banned = true where user_id = ${banned.id}`.execute(world.db);
    await exclude(excluded);
    await sql`update users set is_test = true where id = ${tester.id}`.execute(world.db);
    await sql`update users set is_staff = true where id = ${clerk.id}`.execute(world.db);
    await sql`update users set country_code = 'JP' where id = ${abroad.id}`.execute(world.db);
    await block('JP', true);
    // The players on all five ranks with prizes are skipped.
    expect(await world.end(id)).toBe('FINISHED');
    await block('JP', false);
    expect((await world.standings(id)).map(([place, userId]: any) => [place, userId])).toEqual(
      players.map((player, i) => [i + 1, player.id]),
    );
    const { body } = await world.boss.call('GET', `/admin/leaderboards/${id}/users?isWinner=true`);
    expect(body.total).toBe(0);
    for (const skipped of [banned, abroad, last])
      expect((await world.give(world.boss, id, skipped)).body.code).toBe('LEADERBOARD_NO_PRIZE');
  });

  test('skips the same players when the standings are frozen again, even if only a later freeze produces a winner', async () => {
    const id = await world.special({ prizes: [{ place: 1, usdAmount: '10' }] });
    const [first, second] = (await world.players(2)) as [Player, Player];
    const bets = [await world.bet(first, '30'), await world.bet(first, '5')];
    await world.bet(second, '20');
    await world.count();
    await sql`update players set is_banned = true where user_id = ${first.id}`.execute(world.db);
    expect(await world.end(id)).toBe('FINISHED');
    await sql`update players set is_banned = false where user_id = ${first.id}`.execute(world.db);
    const back = async (betId: string) => {
      await world.rollBack(betId);
      await world.count();
      return statusOf(id);
    };
    // The player who was skipped keeps the first rank.
    expect(await back(bets[1]!)).toBe('FINISHED');
    expect((await world.give(world.boss, id, first)).body.code).toBe('LEADERBOARD_NO_PRIZE');
    expect(await back(bets[0]!)).toBe('AWAITING_PAYOUT');
    expect(await world.standings(id)).toEqual([[1, second.id, '20']]);
    expect((await world.give(world.boss, id, second)).body).toMatchObject({ place: 1, usdAmount: '10' });
    expect(await statusOf(id)).toBe('FINISHED');
    expect(await world.broken()).toEqual([]);
  });

  test('moves prizes up to the next players if the leaderboard was created with the move-up setting', async () => {
    await movePrizesUp(true);
    const id = await world.special();
    await movePrizesUp(false);
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

  test('updates the standings after a rollback until the first prize is paid, and only alerts staff after that', async () => {
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
    expect(await world.alerts(id)).toBe(0);
    await world.rollBack(bets[2]!);
    await world.count();
    expect(await world.standings(id)).toEqual(moved);
    expect(await world.alerts(id)).toBe(1);
  });

  test('does not alert staff when a correction leaves the stake unchanged', async () => {
    const id = await world.special();
    const player = await world.player();
    const gameId = 1;
    const betId = await placeBet(world.app, { userId: player.id, gameId, amount: 1_000_000_000n, usd: 1n });
    await world.end(id);
    expect((await world.give(world.boss, id, player)).status).toBe(201);
    const correct = async (after: Corrected | null) => {
      await correctBet(world.app, { id: betId, userId: player.id }, after);
      await world.count();
      return world.alerts(id);
    };
    expect(await correct({ payout: 5_000_000_000n })).toBe(0);
    expect(await correct({ amount: 400_000_000n })).toBe(1);
    expect(await correct(null)).toBe(2);
    expect(await world.standings(id)).toEqual([[1, player.id, '10']]);
  });

  test('freezes no standings and finishes the leaderboard when there are no participants', async () => {
    const id = await world.special();
    expect(await world.end(id)).toBe('FINISHED');
  });
});
