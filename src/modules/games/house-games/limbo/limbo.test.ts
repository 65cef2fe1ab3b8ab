import { expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { cashOf, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { betOn, nextWords, setGame } from '../../../../../test/kit/games/house.ts';

const app = fixture(startApp);
const player = fixture(() => app.newPlayer({ usdt: 1000 }));

/** Returns the point (the drawn result) of the player's next bet, in hundredths. */
async function nextPoint(rtpBp = 9900n): Promise<number> {
  const [u] = await nextWords(app, player);
  return Math.max(Number((rtpBp * 2n ** 32n) / (100n * BigInt(u!))), 100);
}
const config = async () => (await player.call('GET', '/casino/games/house/limbo/config')).body;

test('shows the limits, targets and RTP in the config', async () => {
  expect(await config()).toEqual({
    minBet: 0.01,
    maxBet: 1000,
    maxProfit: 100_000,
    minMultiplier: 1.01,
    maxMultiplier: 1_000_000,
    rtp: 99,
  });
});

test('wins when the target equals the drawn point, and loses when it is one hundredth higher', async () => {
  for (const more of [0, 1]) {
    let point = await nextPoint();
    // A point of 1.00 is below every target.
    for (; point === 100; point = await nextPoint()) await betOn(player, 'limbo');
    const cash = Number(await cashOf(player));
    const multiplier = (point + more) / 100;
    const { status, body } = await betOn(player, 'limbo', { multiplier, betAmount: '0.1' });
    const payout = more ? '0' : String((point * 100) / 100_000);
    expect([status, body]).toMatchObject([
      201,
      {
        multiplier: more ? 0 : multiplier,
        offeredMultiplier: multiplier,
        randomMultiplier: point / 100,
        payout,
      },
    ]);
    expect(Number(await cashOf(player))).toBeCloseTo(cash - 0.1 + Number(payout), 6);
  }
});

test('accepts the lowest and highest multipliers', async () => {
  for (const multiplier of [1.01, 1_000_000, 1e6, 1000.0])
    expect((await betOn(player, 'limbo', { multiplier })).body).toMatchObject({
      offeredMultiplier: multiplier,
    });
});

test.each([1, 1.009, 1.011, 2.005, 0, -2, 1_000_000.01, 1e21, '2', '1.50', null, true, [2], {}])(
  'rejects a multiplier of %j',
  async (multiplier) => {
    const cash = await cashOf(player);
    const answer = await betOn(player, 'limbo', { multiplier });
    expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
    expect(answer.body.details.fields[0].path).toBe('multiplier');
    expect(await cashOf(player)).toBe(cash);
  },
);

test('applies changed targets and a changed RTP from the next bet on, and stores them with the bet', async () => {
  const before = await betOn(player, 'limbo', { multiplier: 1.01 });
  expect(before.status).toBe(201);
  await setGame(app, 'limbo', { settings: { rtp: 90.5, minMultiplier: 2, maxMultiplier: 50.5 } });
  expect(await config()).toMatchObject({ rtp: 90.5, minMultiplier: 2, maxMultiplier: 50.5 });
  for (const multiplier of [1.99, 50.51]) {
    const refused = await betOn(player, 'limbo', { multiplier });
    expect([codeOf(refused), refused.body.details.fields]).toEqual([
      '400 VALIDATION_FAILED',
      [
        {
          path: 'multiplier',
          message: 'needs to lie between 2 and 50.5 with at most two decimals',
        },
      ],
    ]);
  }
  const point = await nextPoint(9050n);
  const after = await betOn(player, 'limbo', { multiplier: 50.5 });
  expect(after.body.randomMultiplier).toBe(point / 100);
  const rows = await app.db
    .selectFrom('bets')
    .select('rtp_bp')
    .where(
      'id',
      'in',
      [before, after].map(({ body }) => BigInt(body.betId)),
    )
    .orderBy('id')
    .execute();
  expect(rows.map((row) => row.rtp_bp)).toEqual([9900, 9050]);
  // Bets that were placed with other targets and another RTP can still be verified with their seeds.
  await player.call('POST', '/fairness/seeds/rotate', { body: {} });
  for (const { body } of [before, after])
    expect((await app.call('GET', `/fairness/bets/${body.betId}`)).body.verified).toBe(true);
});
