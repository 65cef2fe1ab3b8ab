import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { fixture } from '../../../../test/kit/fixture.ts';
import { startLeaderboards } from '../../../../test/kit/leaderboards.ts';

const world = fixture(() => startLeaderboards());

test('a leaderboard is announced when its first ten change, at most every five seconds', async () => {
  const id = await world.special();
  await world.holdNews(id);
  const player = await world.player();
  for (let i = 0; i < 3; i++) {
    await world.bet(player, '2');
    await world.count();
  }
  // It was announced as it was made: the next time is later, by a job.
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

test('so it is when its state changes: states that follow one another at once are announced as one', async () => {
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

test('who hides is announced without a name; a job for nothing is given up', async () => {
  const id = await world.special();
  const player = await world.player();
  await sql`update users set is_private = true where id = ${player.id}`.execute(world.db);
  await world.bet(player, '2');
  await world.count();
  await world.passNews(id);
  expect((await world.announced(id)).at(-1).leaders).toEqual([{ place: 1, username: null, score: '2' }]);
  const news = world.services.leaderboards.tasks['leaderboard-news'];
  await expect(news({ leaderboardId: 9999 })).rejects.toThrow('there is no such leaderboard');
  await expect(news({})).rejects.toThrow('names no leaderboard');
});
