import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { cashOf, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { betOn, nextWords, setGame } from '../../../../../test/kit/games/house.ts';
import { ROULETTE_POSITIONS } from './layout/rules.ts';

const app = fixture(startApp);
const player = fixture(() => app.newPlayer({ usdt: 1000 }));

/** Returns the winning number of the player's next bet. */
async function nextHit(): Promise<number> {
  const [u] = await nextWords(app, player);
  return Number((BigInt(u!) * 37n) >> 32n);
}
type Entry = { type?: unknown; numbers?: unknown; amount?: unknown };
const bet = (bets: Entry[], betAmount: string, more: object = {}) =>
  betOn(player, 'roulette', { betAmount, params: { bets }, ...more });

test('shows the limits in the config', async () => {
  const { body } = await player.call('GET', '/casino/games/house/roulette/config');
  expect(body).toEqual({ minBet: 0.01, maxBet: 1000, maxProfit: 100_000 });
});

describe('accepted bets', () => {
  test('accepts all 157 positions in one bet, with their numbers in any order, and pays the winning positions', async () => {
    const bets = ROULETTE_POSITIONS.map(({ type, numbers }) => ({
      type,
      numbers: numbers.toReversed(),
      amount: '0.01',
    }));
    const hit = await nextHit();
    const due = ROULETTE_POSITIONS.reduce(
      (sum, { wins, pays }) => sum + (wins.has(hit) ? Number(pays) : 0),
      0,
    );
    const { status, body } = await bet(bets, '1.57');
    expect([status, body]).toMatchObject([
      201,
      {
        randomPosition: hit,
        payout: String(due / 100),
        multiplier: Math.floor((due * 10_000) / 157) / 10_000,
      },
    ]);
  });

  test('pays 36 times the stake when the number is drawn, and nothing otherwise', async () => {
    for (const offset of [0, 1]) {
      const hit = await nextHit();
      const cash = Number(await cashOf(player));
      const { body } = await bet(
        [{ type: 'STRAIGHT', numbers: [(hit + offset) % 37], amount: '0.25' }],
        '0.25',
      );
      const [payout, multiplier] = offset ? ['0', 0] : ['9', 36];
      expect(body).toMatchObject({ randomPosition: hit, payout, multiplier, betAmount: '0.25' });
      expect(Number(await cashOf(player))).toBeCloseTo(cash - 0.25 + Number(payout), 6);
    }
  });

  test('accepts a repeated position, and pays each entry separately', async () => {
    const hit = await nextHit();
    const one = { type: 'STRAIGHT', numbers: [hit], amount: '0.1' };
    const { body } = await bet([one, { ...one, amount: '0.2' }, one], '0.4');
    expect(body).toMatchObject({ payout: '14.4', multiplier: 36 });
    const info = await player.call('GET', `/bets/house-games/info/${body.betId}`);
    expect(info.body.game.inputs).toEqual({ bets: [one, { ...one, amount: '0.2' }, one] });
  });

  test('accepts at most 200 entries', async () => {
    const bets = Array.from({ length: 200 }, () => ({
      type: 'LINE',
      numbers: [31, 32, 33, 34, 35, 36],
      amount: '0.01',
    }));
    expect((await bet(bets, '2')).status).toBe(201);
    expect(codeOf(await bet([...bets, bets[0]!], '2.01'))).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await bet([], '1'))).toBe('400 VALIDATION_FAILED');
  });

  test('accepts amounts with as many decimals as the currency has, or with two if the currency has fewer', async () => {
    const halves = (amount: string) => [
      { type: 'RED', amount },
      { type: 'BLACK', numbers: [], amount },
    ];
    expect((await bet(halves('0.500001'), '1.000002')).status).toBe(201);
    expect((await bet(halves('0.50'), '1.0')).status).toBe(201);
    const rich = await app.newPlayer();
    const funds = { userId: rich.id, action: 'SET_BALANCE', params: { currencyId: 'EUR', amount: '5' } };
    await app.call('POST', '/debug/user/action', { body: funds });
    const inEuros = (amount: string) =>
      betOn(rich, 'roulette', { currencyId: 'EUR', betAmount: '1.01', params: { bets: halves(amount) } });
    const refused = await inEuros('0.505');
    expect([codeOf(refused), refused.body.details.fields[0].path]).toEqual([
      '400 VALIDATION_FAILED',
      'params.bets.0.amount',
    ]);
    expect(await cashOf(rich, 'EUR')).toBe('5');
  });
});

const RED = { type: 'RED', amount: '1' };
describe('rejected bets', () => {
  test.each([
    [[{ type: 'STRAIGHT', numbers: [37], amount: '1' }], 'params.bets.0.numbers.0'],
    [[{ type: 'STRAIGHT', numbers: [-1], amount: '1' }], 'params.bets.0.numbers.0'],
    [[{ type: 'STRAIGHT', numbers: [1.5], amount: '1' }], 'params.bets.0.numbers.0'],
    [[{ type: 'STRAIGHT', numbers: ['1'], amount: '1' }], 'params.bets.0.numbers.0'],
    [[{ type: 'STRAIGHT', numbers: 1, amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'STRAIGHT', amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'STRAIGHT', numbers: [], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'STRAIGHT', numbers: [1, 2], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'SPLIT', numbers: [3, 4], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'SPLIT', numbers: [1, 1], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'SPLIT', numbers: [0, 4], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'STREET', numbers: [2, 3, 4], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'STREET', numbers: [0, 1, 3], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'CORNER', numbers: [3, 4, 6, 7], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'LINE', numbers: [2, 3, 4, 5, 6, 7], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'LINE', numbers: [1, 2, 3, 4, 5, 6, 7], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'DOZEN', numbers: [4], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'COLUMN', numbers: [0], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'COLUMN', amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'EVEN', numbers: [2], amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'RED', numbers: null, amount: '1' }], 'params.bets.0.numbers'],
    [[{ type: 'red', amount: '1' }], 'params.bets.0.type'],
    [[{ type: 'BASKET', numbers: [0, 1, 2, 3], amount: '1' }], 'params.bets.0.type'],
    [[{ amount: '1' }], 'params.bets.0.type'],
    [[{ type: 'RED' }], 'params.bets.0.amount'],
    [[{ type: 'RED', amount: 1 }], 'params.bets.0.amount'],
    [[{ type: 'RED', amount: '-1' }], 'params.bets.0.amount'],
    [[RED, { type: 'RED', amount: '0' }], 'params.bets.1.amount'],
    [[{ type: 'RED', amount: '0.9999999' }], 'params.bets.0.amount'],
    [[{ ...RED, odds: 36 }], 'params.bets.0.odds'],
    [[RED, RED], 'betAmount'],
    [[{ type: 'RED', amount: '0.999999' }], 'betAmount'],
    [[{ type: 'RED', amount: '1.000001' }], 'betAmount'],
  ] as [Entry[], string][])('rejects %j and reports the field %s', async (bets, path) => {
    const cash = await cashOf(player);
    const answer = await bet(bets, '1');
    expect([codeOf(answer), answer.body.details.fields[0].path]).toEqual(['400 VALIDATION_FAILED', path]);
    expect(await cashOf(player)).toBe(cash);
  });

  test.each([
    [{ params: {} }, 'params.bets'],
    [{ params: { bets: [RED], odds: 2 } }, 'params.odds'],
    [{ params: [RED] }, 'params'],
    [{ params: { bets: RED } }, 'params.bets'],
    [{ params: { bets: { 0: RED } } }, 'params.bets'],
  ])('rejects %j and reports the field %s', async (fields, path) => {
    const answer = await betOn(player, 'roulette', fields);
    expect([codeOf(answer), answer.body.details.fields[0].path]).toEqual(['400 VALIDATION_FAILED', path]);
  });

  test('reports an unknown currency before invalid amounts', async () => {
    expect(codeOf(await bet([RED, RED], '1', { currencyId: 'NONE' }))).toBe('404 CURRENCY_NOT_FOUND');
  });

  test('reports a malformed bet before it reports that the game is disabled', async () => {
    await setGame(app, 'roulette', { enabled: false });
    expect(codeOf(await bet([{ ...RED, numbers: [1] }], '1'))).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await bet([RED, RED], '1'))).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await bet([RED], '1'))).toBe('409 GAME_DISABLED');
    await setGame(app, 'roulette', { enabled: true });
    expect((await bet([RED], '1')).status).toBe(201);
  });
});

test('caps the payout at maxProfit, but not the multiplier', async () => {
  await setGame(app, 'roulette', { settings: { maxProfit: '10' } });
  const hit = await nextHit();
  const { body } = await bet([{ type: 'STRAIGHT', numbers: [hit], amount: '1' }], '1');
  expect(body).toMatchObject({ payout: '11', multiplier: 36 });
});
