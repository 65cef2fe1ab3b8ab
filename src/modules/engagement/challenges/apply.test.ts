/** Tests that the consumer stores each player's best bet and the bets that can win. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Player } from '../../../../test/kit/app.ts';
import { startChallenges } from '../../../../test/kit/engagement/challenges.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  correctBet,
  placeBet,
  reverseBet,
  settleBet,
  type TestBet,
} from '../../../../test/kit/games/bets.ts';
import { rebuild, replay } from '../../games/bets/consumers.ts';

// Reconciliation is off, because these bets move no money.
const world = fixture(() => startChallenges({ reconcileOnStop: false }));

const gameOf = async (slug: string) => {
  const { rows } = await sql<{ id: number }>`select id from games where slug = ${slug}`.execute(world.app.db);
  return rows[0]!.id;
};
/** Places a bet. By default the stake is 100 dollars and the payout 200. */
const bet = async (by: Player, fields: Partial<TestBet> = {}) =>
  placeBet(world.app, {
    userId: by.id,
    gameId: await gameOf('dice'),
    amount: 100_00000000n,
    payout: 200_00000000n,
    usd: 1n,
    ...fields,
  });
const TERMS = { minBetAmountUsd: '100', minBetMultiplier: 2 };
const idsOf = async (challengeId: string) => (await world.bets(challengeId)).map(({ betId }) => betId);
const bestsOf = async (challengeId: string) => {
  const { rows } = await sql<{ userId: number; betId: bigint; e4: bigint }>`
    select user_id as "userId", bet_id as "betId", multiplier_e4 as e4 from challenge_bests
    where challenge_id = ${challengeId} order by user_id`.execute(world.app.db);
  return rows.map(({ userId, betId, e4 }) => [userId, betId, Number(e4)]);
};

describe('a bet can win', () => {
  test('lets a bet win with exactly the minimum stake and multiplier, but not with one unit less of either', async () => {
    const { id } = await world.create(TERMS);
    const by = await world.player();
    const wins = await bet(by);
    await bet(by, { payout: 199_99999999n });
    await bet(by, { amount: 99_99999999n });
    // A multiplier of 4/3, which has no exact decimal form.
    const third = await world.create({ ...TERMS, minBetMultiplier: 1.3333 });
    const more = await world.create({ ...TERMS, minBetMultiplier: 1.3334 });
    const thirds = await bet(by, { amount: 300_00000000n, payout: 400_00000000n });
    await world.consume();
    expect(await idsOf(id)).toEqual([String(wins)]);
    expect([await idsOf(third.id), await idsOf(more.id)]).toEqual([[String(thirds)], []]);
    const [row] = await world.bets(third.id);
    expect(row).toMatchObject({
      betId: String(thirds),
      userId: by.id,
      user: { username: by.username },
      currencyId: 'USDT',
      amount: '300',
      payout: '400',
      usdAmount: '300',
      usdPayout: '400',
      multiplier: 1.3333,
    });
    expect(await world.findings()).toEqual([]);
  });

  test('lets a bet win only on the game of the challenge, without bonus money, and while the challenge is published', async () => {
    const by = await world.player();
    const early = await bet(by);
    const { id } = await world.create(TERMS);
    const hidden = await world.create({ ...TERMS, isHidden: true });
    const other = await bet(by, { gameId: await gameOf('plinko') });
    const bonus = await bet(by);
    await sql`insert into bonus_bets (bet_id, user_id, grant_id, currency_id, bonus_staked, contribution_bp)
      values (${bonus}, ${by.id}, 1, 'USDT', 1, 10000)`.execute(world.app.db);
    const ownMoney = await bet(by);
    await sql`insert into bonus_bets (bet_id, user_id, grant_id, currency_id, contribution_bp)
      values (${ownMoney}, ${by.id}, 1, 'USDT', 10000)`.execute(world.app.db);
    expect((await world.change(id, { isHidden: true })).status).toBe(200);
    const late = await bet(by);
    await world.consume();
    expect(await idsOf(id)).toEqual([String(ownMoney)]);
    expect(await idsOf(hidden.id)).toEqual([]);
    const rules = [];
    for (const betId of [early, other, bonus, late]) {
      const { status, body } = await world.award(id, String(betId));
      rules.push([status, body.code, body.details?.rule]);
    }
    expect(rules).toEqual(
      ['TIME', 'GAME', 'BONUS_MONEY', 'TIME'].map((rule) => [409, 'CHALLENGE_BET_NOT_ELIGIBLE', rule]),
    );
  });

  test('lets a bet win only if it was placed after the challenge was last republished or its terms were last changed', async () => {
    const by = await world.player();
    const { id } = await world.create(TERMS);
    const first = await bet(by);
    await world.consume();
    expect((await world.change(id, { rewardAmount: '60' })).status).toBe(200);
    expect(await idsOf(id)).toEqual([String(first)]);
    expect((await world.change(id, { minBetMultiplier: 1.5 })).status).toBe(200);
    expect([await idsOf(id), await bestsOf(id)]).toEqual([[], []]);
    const second = await bet(by);
    await world.change(id, { isHidden: true });
    await world.consume();
    expect(await idsOf(id)).toEqual([String(second)]);
    await world.change(id, { isHidden: false });
    const third = await bet(by);
    await world.consume();
    expect(await idsOf(id)).toEqual([String(third)]);
    await world.change(id, { isHidden: true, minBetMultiplier: 2 });
    await bet(by);
    await world.consume();
    expect(await idsOf(id)).toEqual([]);
  });

  test('lets a bet win once it is settled, unless it was rolled back before that', async () => {
    const by = await world.player();
    const { id } = await world.create(TERMS);
    const [open, gone] = [await bet(by, { status: 'CREATED' }), await bet(by, { status: 'CREATED' })];
    const second = await bet(by, { settledAt: new Date(Date.now() - 60_000) });
    await world.consume();
    expect(await idsOf(id)).toEqual([String(second)]);
    await settleBet(world.app, { id: gone, userId: by.id }, 'ROLLBACK');
    await settleBet(world.app, { id: open, userId: by.id });
    await world.consume();
    expect(await idsOf(id)).toEqual([String(second), String(open)]);
    expect((await world.award(id, String(gone))).body.details).toEqual({ rule: 'SETTLED' });
  });

  describe('when there are more than about 1,000 candidates', () => {
    /** Inserts candidates for a challenge: this number of bets by one player, all settled now. */
    const fill = (challengeId: string, { id }: Player, most: number) =>
      sql`
        insert into challenge_candidates (challenge_id, bet_id, user_id, currency_id, amount, payout, usd_amount, usd_payout,
          multiplier_e4, settled_at)
        select ${challengeId}::uuid, -n, ${id}, 'USDT', 1, 2, 1, 2, 20000, now() from generate_series(1, ${most}::int) n`.execute(
        world.app.db,
      );
    const remove = (id: string) => world.boss.call('DELETE', `/admin/challenge/${id}`);

    test("stores a later bet only if it is its player's best bet", async () => {
      const [by, other] = [await world.player(), await world.player()];
      const { id } = await world.create(TERMS);
      await fill(id, by, 999);
      const last = await bet(by);
      await world.consume();
      expect(await idsOf(id)).toHaveLength(20);
      const further = await bet(other);
      await world.consume();
      expect((await world.read(id)).validBetsCount).toBe(1000);
      expect(await bestsOf(id)).toEqual([
        [by.id, last, 20_000],
        [other.id, further, 20_000],
      ]);
      await remove(id);
    });

    test('ranks the earliest settled bet first, even if it arrives late', async () => {
      const [by, other] = [await world.player(), await world.player()];
      const { id } = await world.create(TERMS);
      await fill(id, by, 1000);
      const late = await bet(other, { settledAt: new Date(Date.now() - 60_000) });
      await world.consume();
      expect((await idsOf(id))[0]).toBe(String(late));
      await remove(id);
    });

    test('does not count bets of banned players and test users towards the candidate limit', async () => {
      const [banned, by, tester] = [await world.player(), await world.player(), await world.app.newPlayer()];
      const { id } = await world.create(TERMS);
      await fill(id, banned, 1000);
      await sql`update players set is_banned = true where user_id = ${banned.id}`.execute(world.app.db);
      await bet(tester);
      const wins = await bet(by);
      await world.consume();
      expect(await idsOf(id)).toEqual([String(wins)]);
      const { rows } = await sql`
        select 1 from challenge_candidates where challenge_id = ${id} and user_id = ${tester.id}`.execute(
        world.app.db,
      );
      expect(rows).toEqual([]);
      await remove(id);
    });
  });
});

describe('later changes to bets', () => {
  test('replaces a rolled-back best bet with the next best one', async () => {
    const by = await world.player();
    const { id } = await world.create(TERMS);
    const low = await bet(by, { payout: 250_00000000n });
    const same = await bet(by, { payout: 250_00000000n });
    const high = await bet(by, { payout: 300_00000000n });
    await world.consume();
    expect(await bestsOf(id)).toEqual([[by.id, high, 30_000]]);
    await reverseBet(world.app, { id: high, userId: by.id });
    await world.consume();
    expect([await idsOf(id), await bestsOf(id)]).toEqual([
      [String(low), String(same)],
      [[by.id, low, 25_000]],
    ]);
    for (const one of [low, same]) await reverseBet(world.app, { id: one, userId: by.id });
    await world.consume();
    expect([await idsOf(id), await bestsOf(id)]).toEqual([[], []]);
  });

  test('uses the corrected bet, regardless of whether the correction is in the same slice or a later one', async () => {
    const by = await world.player();
    const { id } = await world.create(TERMS);
    const [a, b] = [await bet(by), await bet(by, { payout: 100_00000000n })];
    await correctBet(world.app, { id: b, userId: by.id }, { payout: 500_00000000n });
    await world.consume();
    expect([await idsOf(id), await bestsOf(id)]).toEqual([[String(a), String(b)], [[by.id, b, 50_000]]]);
    await correctBet(world.app, { id: b, userId: by.id }, { payout: 150_00000000n });
    await world.consume();
    expect([await idsOf(id), await bestsOf(id)]).toEqual([[String(a)], [[by.id, a, 20_000]]]);
    await correctBet(world.app, { id: a, userId: by.id }, null);
    await world.consume();
    expect([await idsOf(id), await bestsOf(id)]).toEqual([[], [[by.id, b, 15_000]]]);
    await correctBet(world.app, { id: a, userId: by.id }, { payout: 900_00000000n });
    await world.consume();
    expect([await idsOf(id), await bestsOf(id)]).toEqual([[String(a)], [[by.id, a, 90_000]]]);
    expect(await world.findings()).toEqual([]);
  });

  test('stores the same bets for slices of any size, replays and rebuilds', async () => {
    const players = [await world.player(), await world.player()];
    const { id } = await world.create(TERMS);
    const provider = await world.create({ ...TERMS, gameSlug: 'plinko', minBetMultiplier: 1.5 });
    const games = [await gameOf('dice'), await gameOf('plinko')];
    const made: { id: bigint; userId: number; isGone: boolean; game: number }[] = [];
    const start = (
      await sql<{ p: bigint }>`select position as p from cursors where name = 'challenges'`.execute(
        world.app.db,
      )
    ).rows[0]!.p;
    const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)]!;
    const state = async () => [
      await idsOf(id),
      await bestsOf(id),
      await idsOf(provider.id),
      await bestsOf(provider.id),
    ];
    for (let step = 0; step < 120; step++) {
      const standing = made.filter(({ isGone }) => !isGone);
      const chance = Math.random();
      if (chance < 0.6 || standing.length === 0) {
        const [by, game] = [pick(players), pick([0, 1])];
        const payout = BigInt(Math.floor(Math.random() * 4)) * 100_00000000n;
        made.push({
          id: await bet(by, { gameId: games[game]!, payout }),
          userId: by.id,
          isGone: false,
          game,
        });
      } else if (chance < 0.75) {
        const one = pick(standing);
        one.isGone = true;
        await (one.game === 0 ? reverseBet(world.app, one) : correctBet(world.app, one, null));
      } else {
        const one = pick(standing.filter(({ game }) => game === 1));
        if (one)
          await correctBet(world.app, one, { payout: BigInt(Math.floor(Math.random() * 5)) * 100_00000000n });
      }
      if (step % 10 === 0) await world.app.services.challenges.consume(1 + (step % 7));
    }
    await world.consume();
    expect(await world.findings()).toEqual([]);
    const kept = await state();
    await replay(world.app.db, 'challenges', start);
    for (let i = 0; i < 40; i++) await world.app.services.challenges.consume(5);
    await world.consume();
    expect(await state()).toEqual(kept);
    await rebuild(world.app.db, 'challenges');
    for (let i = 0; i < 40; i++) await world.app.services.challenges.consume(3);
    await world.consume();
    expect(await state()).toEqual(kept);
    expect(await world.findings()).toEqual([]);
  });

  test('does not change the stored bets of a finished challenge', async () => {
    const by = await world.player();
    const { id } = await world.create(TERMS);
    const [wins, next] = [await bet(by), await bet(by)];
    await world.consume();
    expect((await world.award(id, String(wins))).status).toBe(201);
    await bet(by, { payout: 800_00000000n });
    await world.consume();
    await replay(world.app.db, 'challenges', wins - 1n);
    await world.consume();
    expect([await idsOf(id), await bestsOf(id)]).toEqual([
      [String(wins), String(next)],
      [[by.id, wins, 20_000]],
    ]);
    await reverseBet(world.app, { id: next, userId: by.id });
    await world.consume();
    expect(await idsOf(id)).toEqual([String(wins)]);
  });
});
