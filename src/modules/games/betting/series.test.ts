/** Many bets in one request. Each must have the same result as if it had been sent alone. */
import { describe, expect, test } from 'vitest';
import { cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { HOUSE_BETS, type SingleStep, setGame } from '../../../../test/kit/games/house.ts';

const app = fixture(startApp);

const series = (player: Player, game: SingleStep, fields: object, headers = {}) =>
  player.call('POST', `/casino/games/house/${game}/series`, {
    body: { ...HOUSE_BETS[game], ...fields },
    headers,
  });
const sum = (amounts: string[]) => amounts.reduce((total, amount) => total + Number(amount), 0);

test.each(Object.keys(HOUSE_BETS) as SingleStep[])(
  'uses 100 nonces in order for 100 bets on %s, and pays each bet separately',
  async (game) => {
    const player = await app.newPlayer({ usdt: 1000 });
    const { status, body } = await series(player, game, { count: 100 });
    expect(status).toBe(201);
    expect(body.refused).toBeNull();
    expect(new Set(body.bets.map((bet: any) => bet.betId)).size).toBe(100);
    expect(Number(await cashOf(player))).toBeCloseTo(900 + sum(body.bets.map((bet: any) => bet.payout)), 6);
    expect((await player.call('GET', '/fairness/seeds')).body.nonce).toBe(100);
    const { body: history } = await player.call('GET', '/bets?take=20&sortOrder=asc');
    expect(history.total).toBe(100);
    expect(history.data.map((row: any) => row.id)).toEqual(
      body.bets.slice(0, 20).map((bet: any) => bet.betId),
    );
    const proof = (await player.call('GET', `/fairness/bets/${body.bets[99].betId}`)).body;
    expect(proof.nonce).toBe(99);
  },
);

describe('rejections', () => {
  test('stops a series when the balance is used up, and returns the reason', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    // The win probability is 0.01 %, so ten losses almost always use up the balance.
    const { status, body } = await series(player, 'dice', { count: 30, threshold: 99.99 });
    expect(status).toBe(201);
    const won = sum(body.bets.map((bet: any) => bet.payout));
    if (won === 0) {
      expect(body.bets).toHaveLength(10);
      expect(body.refused).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    }
    expect(Number(await cashOf(player))).toBeCloseTo(10 - body.bets.length + won, 6);
  });

  test.each<[string, object, number, string]>([
    ['no bet can be paid', { betAmount: '500' }, 400, 'INSUFFICIENT_BALANCE'],
    ['the amount is too large', { betAmount: '5000' }, 400, 'AMOUNT_OUT_OF_RANGE'],
    ['the count is zero', { count: 0 }, 400, 'VALIDATION_FAILED'],
    ['too many are asked for', { count: 101 }, 400, 'VALIDATION_FAILED'],
    ['the count is not a whole number', { count: 1.5 }, 400, 'VALIDATION_FAILED'],
    ['the count is missing', { count: undefined }, 400, 'VALIDATION_FAILED'],
    ['the bet is invalid', { threshold: 'x' }, 400, 'VALIDATION_FAILED'],
    ['the currency is unknown', { currencyId: 'NOPE' }, 404, 'CURRENCY_NOT_FOUND'],
    ['a field is unknown', { more: 1 }, 400, 'VALIDATION_FAILED'],
  ])('places no bet when %s', async (_, fields, status, code) => {
    const player = await app.newPlayer({ usdt: 10 });
    const answer = await series(player, 'dice', { count: 5, ...fields });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(await cashOf(player)).toBe('10');
    expect((await player.call('GET', '/fairness/seeds')).body.nonce).toBe(0);
  });

  test('places no bet for a disabled game', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    await setGame(app, 'keno', { enabled: false });
    expect((await series(player, 'keno', { count: 2 })).body.code).toBe('GAME_DISABLED');
    await setGame(app, 'keno', { enabled: true });
  });
});

test('returns the same bets for a repeated Idempotency-Key, and rejects the key with another body', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const headers = { 'idempotency-key': 'series-of-twenty' };
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => series(player, 'dice', { count: 20 }, headers)),
  );
  expect(new Set(answers.map((a) => a.text)).size).toBe(1);
  expect((await player.call('GET', '/fairness/seeds')).body.nonce).toBe(20);
  for (const fields of [{ count: 21 }, { count: 20, betAmount: '2' }])
    expect((await series(player, 'dice', fields, headers)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect((await player.call('GET', '/bets')).body.total).toBe(20);
});
