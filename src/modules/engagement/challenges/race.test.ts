/** Tests that a reward is paid at most once when operations run concurrently. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Answer, cashOf, PATIENCE } from '../../../../test/kit/app.ts';
import { startChallenges } from '../../../../test/kit/engagement/challenges.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { waiters } from '../../../../test/kit/games/turns.ts';
import { deadlocksIn } from '../../../../test/kit/processes/deadlocks.ts';
import { lockCursor } from '../../games/bets/consume.ts';

// The books are reconciled when the app stops.
const world = fixture(() => startChallenges({ env: PATIENCE }));

const paidTo = async (userId: number) => {
  const { rows } = await sql<{ standing: number; all: number }>`
    select count(*) filter (where rolled_back_at is null)::int as standing, count(*)::int as all
    from challenge_awards where user_id = ${userId}`.execute(world.app.db);
  return rows[0]!;
};

const outcomeOf = (answer: Answer): string =>
  answer.status < 300 ? 'paid' : (answer.body.details?.rule ?? codeOf(answer));

const ROUNDS = 40;

test(`pays at most once, and reverses the reward when a bet is rolled back during its award (${ROUNDS} rounds)`, {
  timeout: 240_000,
}, async () => {
  const before = await deadlocksIn(world.app.db);
  const second = await world.app.as('superadmin');
  const outcomes = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await world.create();
    const player = await world.player(20);
    const betId = await world.win(player);
    if (round % 2) await world.choose(id);
    else await world.consume();
    const had = Number(await cashOf(player));
    const [one, two, back] = await Promise.all([
      world.award(id, betId),
      world.award(id, betId, { by: second }),
      world.rollBackBet(betId),
      world.app.services.challenges.catchUp(),
      world.decide(id),
    ]);
    const codes = [one, two].map(outcomeOf);
    outcomes.add(codes.toSorted((a, b) => (a < b ? -1 : 1)).join(', '));
    expect(codes.filter((code) => code === 'paid').length).toBeLessThanOrEqual(1);
    expect(back.status).toBe(201);
    const { standing, all } = await paidTo(player.id);
    expect(all).toBe(codes.filter((code) => code === 'paid').length);
    expect(standing).toBeLessThanOrEqual(all);
    await world.consume();
    await world.runQueue();
    await world.decide(id);
    // The stake is returned, and the payout and the reward are reversed.
    const left = Number(await cashOf(player));
    expect(left).toBeLessThanOrEqual(had);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(await paidTo(player.id)).toEqual({ standing: 0, all });
    expect(await world.read(id)).toMatchObject({ betId: null, winner: null });
    expect(await world.findings()).toEqual([]);
    await world.boss.call('DELETE', `/admin/challenge/${id}`);
  }
  for (const outcome of outcomes)
    expect(outcome).toMatch(/^(409 CHALLENGE_FINISHED|BARRED|SETTLED), (paid|SETTLED)$/);
  expect(await deadlocksIn(world.app.db)).toBe(before);
});

test('pays only one of twenty concurrent awards by two staff members', {
  timeout: 240_000,
}, async () => {
  const before = await deadlocksIn(world.app.db);
  const second = await world.app.as('superadmin');
  const { id } = await world.create();
  const players = [await world.player(), await world.player()];
  const bets = [await world.win(players[0]!), await world.win(players[1]!)];
  await world.consume();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      world.award(id, bets[i % 2]!, { by: i % 4 < 2 ? world.boss : second }),
    ),
  );
  const codes = answers.map(codeOf).toSorted();
  expect(codes).toEqual(['201', ...Array.from({ length: 19 }, () => '409 CHALLENGE_FINISHED')]);
  const backs = await Promise.all(
    Array.from({ length: 10 }, (_, i) => world.rollBack(id, { by: i % 2 ? world.boss : second })),
  );
  expect(backs.map(codeOf).toSorted()).toEqual([
    '201',
    ...Array.from({ length: 9 }, () => '409 CHALLENGE_NOT_AWARDED'),
  ]);
  expect(await deadlocksIn(world.app.db)).toBe(before);
  await world.boss.call('DELETE', `/admin/challenge/${id}`);
});

test('keeps the ledger balanced under concurrent bets, changes, awards and rollbacks', {
  timeout: 240_000,
}, async () => {
  const before = await deadlocksIn(world.app.db);
  const { id } = await world.create();
  const players = await Promise.all(Array.from({ length: 6 }, () => world.player(50)));
  const play = async (player: (typeof players)[number]) => {
    for (let i = 0; i < 5; i++) {
      const betId = await world.win(player);
      const awarded = await world.award(id, betId);
      if (awarded.status === 201) await world.rollBack(id, { withdrawLessIfNotEnoughBalance: true });
      else await world.rollBackBet(betId);
    }
  };
  let isOver = false;
  const follow = async () => {
    while (!isOver) {
      await world.app.services.challenges.catchUp();
      await world.decide(id);
    }
  };
  const following = follow();
  await Promise.all([
    ...players.map(play),
    (async () => {
      for (let i = 0; i < 10; i++) await world.change(id, { isHidden: i % 2 === 0 });
    })(),
  ]).finally(() => {
    isOver = true;
  });
  await following;
  await world.consume();
  await world.runQueue();
  expect(await world.findings()).toEqual([]);
  expect(await deadlocksIn(world.app.db)).toBe(before);
});

test('dates an award and its rollback after every bet that the consumer has processed', async () => {
  const { id } = await world.create();
  const player = await world.player();
  const betId = await world.win(player);
  await world.consume();
  /** Makes a request while the consumer holds its cursor. Returns the time at which it releases the cursor. */
  const whileConsuming = (request: () => Promise<Answer>) =>
    world.app.db.transaction().execute(async (tx) => {
      await lockCursor(tx, 'challenges');
      const waiting = request();
      await expect.poll(() => waiters(world.app)).toBe(1);
      const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(tx);
      return { waiting, at: rows[0]!.at.getTime() };
    });
  const award = await whileConsuming(() => world.award(id, betId));
  expect((await award.waiting).status).toBe(201);
  const rollback = await whileConsuming(() => world.rollBack(id));
  expect((await rollback.waiting).status).toBe(201);
  const row = await world.app.db
    .selectFrom('challenge_awards')
    .select(['created_at', 'rolled_back_at'])
    .where('challenge_id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row.created_at.getTime()).toBeGreaterThanOrEqual(award.at);
  expect(row.rolled_back_at!.getTime()).toBeGreaterThanOrEqual(rollback.at);
  await world.boss.call('DELETE', `/admin/challenge/${id}`);
});
