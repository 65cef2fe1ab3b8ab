import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { cashOf } from '../../../../test/kit/app.ts';
import { startLeaderboards } from '../../../../test/kit/engagement/leaderboards.ts';
import { setRate } from '../../../../test/kit/engagement/tips.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const world = fixture(() => startLeaderboards());

/** Lets three players wager 40 dollars each: the first with one bet, the second with two, the third with one. */
async function race() {
  const id = await world.special();
  const [a, b, c] = [await world.player(), await world.player(), await world.player()];
  await world.bet(a, '40');
  await world.bet(b, '25');
  await world.bet(b, '15');
  await world.bet(c, '40');
  await world.count();
  return { id, a, b, c };
}

test('ranks equal scores in the order in which they were reached, even after another bet is rolled back', async () => {
  const { id, a, b, c } = await race();
  const expected = [
    [1, a.id, '40'],
    [2, b.id, '40'],
    [3, c.id, '40'],
  ];
  expect(await world.standings(id)).toEqual(expected);
  const further = await world.bet(a, '5');
  await world.count();
  expect((await world.standings(id))[0]).toEqual([1, a.id, '45']);
  await world.rollBack(further);
  await world.count();
  expect(await world.standings(id)).toEqual(expected);
  expect(await world.end(id)).toBe('AWAITING_PAYOUT');
  expect(await world.standings(id)).toEqual(expected);
  const { body } = await world.call('GET', `/leaderboards/${id}`);
  expect(body).toMatchObject({ participants: 3, prizePoolUsd: '175', me: null });
  expect(body.users.map((row: any) => [row.place, row.user.id, row.score, row.prizeUsd])).toEqual([
    [1, a.id, '40', '100'],
    [2, b.id, '40', '50'],
    [3, c.id, '40', '25'],
  ]);
});

describe('scores', () => {
  test('creates no scores for bets that were rolled back before they were counted', async () => {
    const id = await world.special();
    const [a, b] = [await world.player(), await world.player()];
    const bets = [await world.bet(a, '10'), await world.bet(a, '20')];
    await world.bet(b, '1');
    await world.rollBack(bets[0]!);
    await world.count();
    expect(await world.standings(id)).toEqual([
      [1, a.id, '20'],
      [2, b.id, '1'],
    ]);
    await world.rollBack(bets[1]!);
    await world.count();
    expect(await world.standings(id)).toEqual([[1, b.id, '1']]);
  });
});

describe('prizes', () => {
  test('pays prizes once in the selected currency, and finishes the leaderboard with the last payment', async () => {
    const { id, a, b, c } = await race();
    await world.end(id);
    const payer = await world.as({ permissions: ['leaderboard.pay'] });
    const before = Number(await cashOf(a));
    const first = await world.give(payer, id, a);
    expect([first.status, first.body]).toEqual([
      201,
      {
        leaderboardId: id,
        userId: a.id,
        place: 1,
        usdAmount: '100',
        fullUsdAmount: '100',
        currencyId: 'USDT',
        amount: '100',
        transactionId: expect.stringMatching(/^\d+$/),
        paidAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect(Number(await cashOf(a)) - before).toBe(100);
    expect((await world.give(payer, id, a)).body.code).toBe('LEADERBOARD_PRIZE_PAID');
    expect((await world.give(payer, id, b, { usdAmount: '20', fullUsdAmount: '40' })).body).toMatchObject({
      usdAmount: '20',
      fullUsdAmount: '40',
    });
    expect(await world.statusOf(id)).toBe('AWAITING_PAYOUT');
    await setRate(world.app, 'BTC', '65000');
    const last = await world.give(payer, id, c, { currency: 'BTC' });
    expect(last.body).toMatchObject({ place: 3, usdAmount: '25', currencyId: 'BTC', amount: '0.00038461' });
    expect(await cashOf(c, 'BTC')).toBe('0.00038461');
    expect((await world.boss.call('GET', `/admin/leaderboards/${id}`)).body.status).toBe('FINISHED');
    const { rows } =
      await sql`select count(*)::int as n from money_hours where kind = 'leaderboard.prize'`.execute(
        world.db,
      );
    expect(rows).toEqual([{ n: 3 }]);
  });
});
