import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startLeaderboards } from '../../../../test/kit/engagement/leaderboards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const world = fixture(() => startLeaderboards());

test('announces a leaderboard when its top ten players change, at most every five seconds', async () => {
  const id = await world.special();
  await world.holdNews(id);
  const player = await world.player();
  for (let i = 0; i < 3; i++) {
    await world.bet(player, '2');
    await world.count();
  }
  // The leaderboard was announced when it was created, so a task makes the next announcement later.
  expect(await world.announced(id)).toEqual([{ leaderboardId: id, status: 'ACTIVE', leaders: [] }]);
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from j.run_at - r.announced_at)::float8 * 1000 as ms from leaderboards r
    join graphile_worker.jobs j on j.key = 'leaderboard-news:' || r.id where r.id = ${Number(id)}`.execute(
    world.db,
  );
  expect(rows.map(({ ms }) => Math.round(ms / 10) * 10)).toEqual([5000]);
  await world.passNews(id);
  await world.passNews(id);
  const leaders = [{ place: 1, username: player.username, score: '6' }];
  expect((await world.announced(id)).slice(1)).toEqual([{ leaderboardId: id, status: 'ACTIVE', leaders }]);
});

test('announces status changes, and merges several changes in quick succession', async () => {
  const id = await world.special();
  await world.holdNews(id);
  const [first, second] = await world.players(2);
  await world.bet(first!, '9');
  await world.bet(second!, '8');
  await world.end(id);
  expect(await world.announced(id)).toHaveLength(1);
  await world.passNews(id);
  expect((await world.announced(id)).slice(1)).toMatchObject([
    { status: 'AWAITING_PAYOUT', leaders: [{ score: '9' }, { score: '8' }] },
  ]);
  await world.give(world.boss, id, first!);
  await world.give(world.boss, id, second!);
  await world.passNews(id);
  await world.passNews(id);
  expect((await world.announced(id)).slice(2)).toMatchObject([{ status: 'FINISHED' }]);
});

test('announces hidden players without their names, and fails permanently for unknown leaderboards', async () => {
  const id = await world.special();
  const player = await world.player();
  await sql`update users set is_private = true where id = ${player.id}`.execute(world.db);
  await world.bet(player, '2');
  await world.count();
  await world.passNews(id);
  expect((await world.announced(id)).at(-1).leaders).toEqual([{ place: 1, username: null, score: '2' }]);
  const news = world.services.leaderboards.tasks['leaderboard-news'];
  await expect(news({ leaderboardId: 9999 })).rejects.toThrow('the leaderboard does not exist');
  await expect(news({})).rejects.toThrow('no leaderboard id');
});
