import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { startLeaderboards } from '../../../../test/kit/engagement/leaderboards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { correctBet, cursorPosition, placeBet, reverseBet } from '../../../../test/kit/games/bets.ts';
import { rebuild, replay } from '../../games/bets/consumers.ts';
import { purgeBets } from './service.ts';

// Reconciliation is off, because some of these bets move no money.
const world = fixture(() => startLeaderboards({ reconcileOnStop: false }));

const diceId = async () =>
  (await world.db.selectFrom('games').select('id').where('slug', '=', 'dice').executeTakeFirstOrThrow()).id;

describe('corrections', () => {
  test('replaces the previous amount of a bet with the corrected amount, in slices of any size', async () => {
    await world.cancelAll();
    const id = await world.special();
    const player = await world.player();
    const bet = { userId: player.id, gameId: await diceId() };
    const first = await placeBet(world.app, { ...bet, amount: 1_000_000_000n, usd: 1n });
    const second = await placeBet(world.app, { ...bet, amount: 500_000_000n, usd: 1n });
    await world.count();
    expect(await world.standings(id)).toEqual([[1, player.id, '15']]);
    await correctBet(world.app, { id: first, userId: player.id }, { amount: 200_000_000n });
    await correctBet(world.app, { id: second, userId: player.id }, null);
    for (let i = 0; i < 5; i++) await world.services.leaderboards.consumer.consume(1);
    await world.count();
    expect(await world.standings(id)).toEqual([[1, player.id, '2']]);
    await correctBet(world.app, { id: second, userId: player.id }, { amount: 300_000_000n, at: new Date() });
    await world.count();
    expect(await world.standings(id)).toEqual([[1, player.id, '5']]);
    expect(await world.broken()).toEqual([]);
  });
});

test('removes all effects of bets that were rolled back before they were consumed', async () => {
  const id = await world.special();
  const player = await world.player();
  const bet = { userId: player.id, gameId: await diceId() };
  const made = await placeBet(world.app, { ...bet, amount: 700_000_000n, usd: 1n });
  await reverseBet(world.app, { id: made, userId: player.id });
  await world.count();
  expect(await world.standings(id)).toEqual([]);
});

test('restores the same scores by rebuild and replay, without changing frozen standings and paid prizes', async () => {
  await world.cancelAll();
  const frozen = await world.special();
  const [a, b] = [await world.player(), await world.player()];
  await world.bet(a, '10');
  const back = await world.bet(b, '20');
  await world.bet(b, '4');
  await world.end(frozen);
  await world.give(world.boss, frozen, b);
  const open = await world.special();
  await world.bet(a, '1');
  const further = await world.bet(b, '3');
  await world.bet(b, '2');
  await world.count();
  await world.rollBack(back);
  await world.rollBack(further);
  await world.count();
  expect(await world.standings(open)).toEqual([
    [1, b.id, '2'],
    [2, a.id, '1'],
  ]);
  const all = async () => [await world.standings(frozen), await world.standings(open)];
  const before = await all();
  const position = await cursorPosition(world.app, 'leaderboards');
  await replay(world.db, 'leaderboards', position - 3000n > 0n ? position - 3000n : 0n);
  await vi.waitUntil(
    async () => {
      await world.services.leaderboards.consumer.consume(2);
      const { rows } = await sql<{ done: boolean }>`
      select replay_from is null as done from cursors where name = 'leaderboards'`.execute(world.db);
      return rows[0]!.done;
    },
    { timeout: 20_000, interval: 5 },
  );
  await world.count();
  expect(await all()).toEqual(before);
  await rebuild(world.db, 'leaderboards');
  await world.count();
  expect(await all()).toEqual(before);
  expect(await world.broken()).toEqual([]);
});

test('deletes the counted bets of runs that ended 90 days ago, and keeps scores and prizes', async () => {
  await world.cancelAll();
  const id = await world.special();
  const player = await world.player();
  await world.bet(player, '7');
  await world.end(id);
  await world.give(world.boss, id, player);
  const counted = async () =>
    (
      await world.db
        .selectFrom('leaderboard_bets')
        .select('bet_id')
        .where('leaderboard_id', '=', Number(id))
        .execute()
    ).length;
  await purgeBets(world.db);
  expect(await counted()).toBe(1);
  await sql`
    update leaderboards set start_date = start_date - interval '90 days', end_date = end_date - interval '90 days' where id = ${Number(id)}`.execute(
    world.db,
  );
  await purgeBets(world.db);
  expect(await counted()).toBe(0);
  expect(await world.standings(id)).toEqual([[1, player.id, '7']]);
  expect((await player.call('GET', '/leaderboards/my?sortBy=place')).body.data[0]).toMatchObject({
    prizeUsdAmount: '100',
  });
});

test('keeps frozen standings in a rebuild, and updates them when bets change later', async () => {
  await world.cancelAll();
  const id = await world.special();
  const [a, b] = [await world.player(), await world.player()];
  const bets = [await world.bet(a, '10'), await world.bet(a, '3')];
  await world.bet(b, '8');
  await world.end(id);
  await world.rollBack(bets[1]!);
  await world.count();
  await rebuild(world.db, 'leaderboards');
  await world.count();
  expect(await world.standings(id)).toEqual([
    [1, a.id, '10'],
    [2, b.id, '8'],
  ]);
  await world.rollBack(bets[0]!);
  await world.count();
  expect(await world.standings(id)).toEqual([[1, b.id, '8']]);
  expect((await world.give(world.boss, id, b)).body).toMatchObject({ place: 1, usdAmount: '100' });
  expect(await world.broken()).toEqual([]);
});
