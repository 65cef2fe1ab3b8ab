import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { startLeaderboards } from '../../../../test/kit/engagement/leaderboards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const world = fixture(() => startLeaderboards());

describe('for players', () => {
  test("returns the player's rank and the distance to the next prize, and shows hidden players as Incognito", async () => {
    await world.cancelAll();
    const id = await world.special();
    const [a, b, c] = [await world.player(), await world.player(), await world.player()];
    for (const [player, amount] of [
      [a, '30'],
      [b, '20'],
      [c, '5'],
    ] as const)
      await world.bet(player, amount);
    await world.count();
    await sql`update users set is_private = true where id = ${b.id}`.execute(world.db);
    const outside = (await world.call('GET', `/leaderboards/${id}?take=2`)).body;
    expect(outside.users.map((row: any) => [row.place, row.user.id, row.user.username])).toEqual([
      [1, a.id, a.username],
      [2, null, 'Incognito'],
    ]);
    expect(outside.me).toBeNull();
    const own = (await b.call('GET', `/leaderboards/${id}`)).body;
    expect(own.users[1].user.id).toBe(b.id);
    expect(own.me).toEqual({ place: 2, score: '20', usdToNextPrize: '10' });
    expect((await a.call('GET', `/leaderboards/${id}`)).body.me).toEqual({
      place: 1,
      score: '30',
      usdToNextPrize: null,
    });
    const signedOut = await world.call('GET', `/leaderboards/${id}`, { token: `${a.token}x` });
    expect([signedOut.status, signedOut.body.me]).toEqual([200, null]);
    const stranger = await world.player();
    expect((await stranger.call('GET', `/leaderboards/${id}`)).body.me).toEqual({
      place: null,
      score: '0',
      usdToNextPrize: '5',
    });
    expect((await world.call('GET', '/leaderboards/0')).body.code).toBe('LEADERBOARD_NOT_FOUND');
    const list = (await world.call('GET', '/leaderboards?type=SPECIAL&status=ACTIVE&take=20')).body;
    expect(list.data.map((row: any) => row.id)).toContain(id);
    expect((await c.call('GET', '/leaderboards/my')).body.data).toMatchObject([
      { leaderboardId: id, place: 3, score: '5' },
    ]);
    const found = (await world.boss.call('GET', `/admin/leaderboards/${id}/users?search=${c.username}`)).body;
    expect(found.data.map((row: any) => [row.place, row.userId])).toEqual([[3, c.id]]);
    const listed = (await world.boss.call('GET', '/admin/leaderboards?withUsers=true&withSchedule=true')).body
      .data;
    expect(listed.find((row: any) => row.id === id)).toMatchObject({
      schedule: null,
      leaderboardUsers: [{ place: 1 }, {}, {}],
    });
  });
});

test('computes the same rank from either end of the standings, even among equal scores', async () => {
  await world.cancelAll();
  const id = await world.special();
  const players = [];
  for (const amount of ['50', '40', '30', '20', '10', '10', '10']) {
    const player = await world.player();
    await world.bet(player, amount);
    players.push(player);
  }
  await world.count();
  const places = [];
  for (const player of players) places.push((await player.call('GET', `/leaderboards/${id}`)).body.me.place);
  expect(places).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('lets staff filter participants by prize, and leaderboards by status and type', async () => {
  await world.cancelAll();
  const id = await world.special();
  const [a, b] = [await world.player(), await world.player()];
  await world.bet(a, '9');
  await world.bet(b, '8');
  await world.end(id);
  await world.give(world.boss, id, a);
  const found = async (query: string) =>
    (await world.boss.call('GET', `/admin/leaderboards/${id}/users?${query}`)).body.data.map(
      (row: any) => row.userId,
    );
  expect(await found('isWaitingForPrice=true')).toEqual([b.id]);
  expect(await found('isWaitingForPrice=false')).toEqual([a.id]);
  expect(await found('isWinner=true&take=1&page=2')).toEqual([b.id]);
  expect(await found(`search=${a.id}`)).toContain(a.id);
  const list = async (query: string) =>
    (await world.boss.call('GET', `/admin/leaderboards?${query}`)).body.data;
  expect((await list('status=AWAITING_PAYOUT&type=SPECIAL')).map((row: any) => row.id)).toContain(id);
  expect(await list('status=SCHEDULED&type=DAILY')).toEqual([]);
  const ids = (await list('sortBy=createdAt&sortOrder=asc')).map((row: any) => Number(row.id));
  expect(ids).toEqual(ids.toSorted((x: number, y: number) => x - y));
  for (const path of [
    `/admin/leaderboards/9999`,
    `/admin/leaderboards/9999/users`,
    `/admin/leaderboards/x/users/1`,
  ])
    expect((await world.boss.call('GET', path)).body.code).toBe('LEADERBOARD_NOT_FOUND');
  expect((await world.boss.call('GET', `/admin/leaderboards/${id}/users/2000000000`)).body.code).toBe(
    'LEADERBOARD_USER_NOT_FOUND',
  );
});
