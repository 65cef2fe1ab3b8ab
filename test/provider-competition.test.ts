/** Tests how provider reports change leaderboards and challenges, immediately or long after settlement. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { cashOf, type Player } from './kit/app.ts';
import { startChallenges } from './kit/engagement/challenges.ts';
import { leaderboardsOf } from './kit/engagement/leaderboards.ts';
import { fixture } from './kit/fixture.ts';
import { back, bet, openLab, SOFTSWISS, win } from './kit/games/provider-wallet.ts';

const world = fixture(async () => {
  const challenges = await startChallenges();
  const { app, boss } = challenges;
  return {
    ...challenges,
    boards: leaderboardsOf(app, boss),
    lab: await openLab(app, SOFTSWISS),
  };
});

/** Creates a player who is not a test user. */
async function seat() {
  const seated = await world.lab.seat(100);
  await sql`update users set is_test = false where id = ${seated.player.id}`.execute(world.app.db);
  return seated;
}
const slot = async () => {
  const { rows } = await sql<{ slug: string }>`
    select slug from games where provider_id = ${world.lab.providerId}`.execute(world.app.db);
  return rows[0]!.slug;
};
const scoresOf = async (leaderboardId: string) =>
  (await world.boards.standings(leaderboardId)).map(([, userId, score]: any) => [userId, score]);
const awarded = async (id: string) => {
  const { winner, winnerConfirmedBy } = await world.read(id);
  return [winner?.id ?? null, winnerConfirmedBy?.id ?? null];
};
const count = async () => {
  await world.boards.count();
  await world.consume();
};

test('counts stakes of ended rounds but not of free rounds, and applies corrections to scores and challenge winners', async () => {
  const board = await world.boards.special({ eligible: { providerIds: [world.lab.providerId] } });
  const { id } = await world.create({ gameSlug: await slot(), minBetAmountUsd: '10', minBetMultiplier: 3 });
  const [first, second, free] = [await seat(), await seat(), await seat()];
  const round = { round: 'r1' };

  await first.call([bet('a1', 6)], round);
  await count();
  expect(await scoresOf(board)).toEqual([]);
  // The two stakes in this round count as one bet, which wins five times its amount.
  await first.call([bet('a2', 4), win('a3', 50)], { ...round, closes: true });
  await second.call([bet('b1', 12), win('b2', 40)], { round: 'r2', closes: true });
  await free.call(
    [
      { ...bet('c1', 15), isFree: true },
      { ...win('c2', 90), isFree: true },
    ],
    {
      round: 'r3',
      closes: true,
    },
  );
  await free.call([{ type: 'FREE_SPIN_WIN', id: 'c3', amount: 9_000_000_000n }]);
  expect(await cashOf(free.player)).toBe('280');
  await count();
  expect(await scoresOf(board)).toEqual([
    [second.player.id, '12'],
    [first.player.id, '10'],
  ]);
  expect(
    (await world.bets(id)).map(({ userId, amount, multiplier }) => [userId, amount, multiplier]),
  ).toEqual([
    [first.player.id, '10', 5],
    [second.player.id, '12', 3.3333],
  ]);
  expect((await free.player.call('GET', '/challenge/my')).body.total).toBe(0);

  await world.choose(id);
  const { betId } = await world.read(id);
  expect((await world.award(id, betId)).status).toBe(201);
  expect(await awarded(id)).toEqual([first.player.id, world.boss.id]);
  expect(await cashOf(first.player)).toBe('190');

  // The win is rolled back long afterwards. The bet no longer qualifies for the challenge, so the next bet wins the challenge. The stake of
  // the bet still counts towards the leaderboard.
  await first.call([back('a4', 'a3')], round);
  await count();
  await world.runQueue();
  expect(await cashOf(first.player)).toBe('90');
  expect(await awarded(id)).toEqual([second.player.id, null]);
  expect(await scoresOf(board)).toEqual([
    [second.player.id, '12'],
    [first.player.id, '10'],
  ]);

  await second.call([back('b3', 'b1')], { round: 'r2' });
  await first.call([back('a5', 'a1')], round);
  await count();
  await world.runQueue();
  expect(await awarded(id)).toEqual([null, null]);
  expect(await scoresOf(board)).toEqual([[first.player.id, '4']]);
  expect([await world.boards.broken(), await world.findings()]).toEqual([[], []]);
});

test('changes ranks in a frozen run for a corrected bet until a prize is paid, and alerts staff afterwards', async () => {
  const [a, b] = [await seat(), await seat()];
  const board = await world.boards.special();
  await a.call([bet('d1', 30)], { round: 'r4', closes: true });
  await b.call([bet('e1', 20)], { round: 'r5', closes: true });
  expect(await world.boards.end(board)).toBe('AWAITING_PAYOUT');
  const give = (player: Player) => world.boards.give(world.boss, board, player);
  await a.call([back('d2', 'd1')], { round: 'r4' });
  await count();
  expect(await scoresOf(board)).toEqual([[b.player.id, '20']]);
  expect((await give(b.player)).body).toMatchObject({ place: 1, usdAmount: '100' });
  await b.call([back('e2', 'e1')], { round: 'r5' });
  await count();
  expect(await scoresOf(board)).toEqual([[b.player.id, '20']]);
  expect(await world.boards.alerts(board)).toBe(1);
  expect(await world.boards.statusOf(board)).toBe('FINISHED');
});
