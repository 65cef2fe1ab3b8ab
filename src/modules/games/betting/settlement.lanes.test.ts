import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cashOf, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { diceIdOf, diceRequest, startSettlement } from '../../../../test/kit/games/settlement.ts';
import { formatUnits, ONE, units } from '../../../platform/money.ts';

const app = fixture(startApp);

/** The player of the next bet, its stake, and whether to pause before it. */
const step = fc.record({
  player: fc.nat({ max: 4 }),
  stake: fc.integer({ min: 1, max: 30 }),
  pauseMs: fc.constantFrom(0, 0, 0, 1, 5),
});

test.each([1, 2, 4])(
  "settles each player's bets in order and with exact amounts when there are %i lanes",
  async (lanes) => {
    const diceId = await diceIdOf(app);
    const settlement = startSettlement(app, `lanes ${lanes}`, { lanes, batch: 7, deadlineMs: 20_000 });
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
          const players = await Promise.all(Array.from({ length: 5 }, () => app.newPlayer({ usdt: 100 })));
          const asked: { userId: number; answer: Promise<{ betId?: string }> }[] = [];
          for (const { player, stake, pauseMs } of steps) {
            const userId = players[player]!.id;
            const request = diceRequest(userId, diceId, {
              stake: BigInt(stake) * ONE,
              betUsd: BigInt(stake) * ONE,
            });
            // Some players cannot pay for all their bets, and only the rejected bets are missing.
            const answer = settlement.settle(request).catch(() => ({})) as Promise<{ betId?: string }>;
            asked.push({ userId, answer });
            if (pauseMs > 0) await sleep(pauseMs);
          }
          const answered = await Promise.all(
            asked.map(async ({ userId, answer }) => ({ userId, betId: (await answer).betId })),
          );
          for (const player of players) {
            const { id } = player;
            const told = answered.flatMap(({ userId, betId }) =>
              userId === id && betId ? [BigInt(betId)] : [],
            );
            const bets = await app.db
              .selectFrom('bets')
              .select(['id', 'nonce', 'amount', 'payout'])
              .where('user_id', '=', id)
              .orderBy('nonce')
              .execute();
            expect(bets.map((bet) => bet.id)).toEqual(told);
            expect(bets.map(({ nonce }) => Number(nonce))).toEqual(bets.map((_, i) => i));
            const left = bets.reduce((sum, { amount, payout }) => sum - amount + payout, units('100'));
            expect(left >= 0n).toBe(true);
            expect(await cashOf(player)).toBe(formatUnits(left));
          }
        }),
        { numRuns: 4 },
      );
    } finally {
      await settlement.close();
    }
  },
);
