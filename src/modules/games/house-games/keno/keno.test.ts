import { expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { cashOf, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { betOn, nextWords } from '../../../../../test/kit/games/house.ts';
import { KENO_RISKS } from './rules.ts';

const app = fixture(startApp);
const player = fixture(() => app.newPlayer({ usdt: 1000 }));

/** Returns the numbers that the player's next bet will draw. */
async function nextDraw(): Promise<number[]> {
  const left = Array.from({ length: 40 }, (_, i) => i + 1);
  const words = (await nextWords(app, player)).slice(0, 10);
  return words.map((u) => left.splice(Number((BigInt(u) * BigInt(left.length)) >> 32n), 1)[0]!);
}

test('shows the limits, and the multipliers by risk, selection size and hits, in the config', async () => {
  const { body } = await player.call('GET', '/casino/games/house/keno/config');
  const { multipliers, ...limits } = body;
  expect(limits).toEqual({ minBet: 0.01, maxBet: 1000, maxProfit: 100_000 });
  expect(Object.keys(multipliers)).toEqual(['CLASSIC', 'LOW', 'MEDIUM', 'HIGH']);
  for (const risk of KENO_RISKS)
    for (let count = 1; count <= 10; count++) expect(multipliers[risk][count]).toHaveLength(count + 1);
  expect(Object.keys(multipliers.CLASSIC)).toHaveLength(10);
  expect(multipliers.CLASSIC['1']).toEqual([0, 3.96]);
  expect(multipliers.MEDIUM['7']).toEqual([0, 0, 0, 2, 7, 30, 400, 800]);
});

test('pays out for ten hits and pays nothing for zero hits at every risk level', async () => {
  const most = { CLASSIC: 100, LOW: 1000, MEDIUM: 1000, HIGH: 1000 };
  for (const risk of KENO_RISKS) {
    const drawn = await nextDraw();
    const cash = Number(await cashOf(player));
    const { status, body } = await betOn(player, 'keno', {
      risk,
      selected: drawn.toReversed(),
      betAmount: '0.05',
    });
    const payout = String(most[risk] / 20);
    expect([status, body]).toMatchObject([201, { results: drawn, multiplier: most[risk], payout }]);
    expect(Number(await cashOf(player))).toBeCloseTo(cash + Number(payout) - 0.05, 6);
    const next = await nextDraw();
    const none = Array.from({ length: 40 }, (_, i) => i + 1).filter((n) => !next.includes(n));
    const lost = await betOn(player, 'keno', { risk, selected: none.slice(0, 10) });
    expect(lost.body).toMatchObject({ results: next, multiplier: 0, payout: '0' });
  }
});

test('stores the selected numbers in the order of the request', async () => {
  const { body } = await betOn(player, 'keno', { risk: 'HIGH', selected: [40, 1, 17] });
  const info = await player.call('GET', `/bets/house-games/info/${body.betId}`);
  expect(info.body.game.inputs).toEqual({ risk: 'HIGH', selected: [40, 1, 17] });
});

test.each([
  [{ selected: [] }, 'selected'],
  [{ selected: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }, 'selected'],
  [{ selected: [5, 6, 5] }, 'selected'],
  [{ selected: [0] }, 'selected.0'],
  [{ selected: [1, 41] }, 'selected.1'],
  [{ selected: [1.5] }, 'selected.0'],
  [{ selected: ['1'] }, 'selected.0'],
  [{ selected: [null] }, 'selected.0'],
  [{ selected: 7 }, 'selected'],
  [{ risk: 'low' }, 'risk'],
  [{ risk: 'EXPERT' }, 'risk'],
  [{ risk: ' LOW' }, 'risk'],
  [{ risk: 0 }, 'risk'],
])('rejects %j and reports the field %s', async (fields, path) => {
  const cash = await cashOf(player);
  const answer = await betOn(player, 'keno', fields);
  expect([codeOf(answer), answer.body.details.fields[0].path]).toEqual(['400 VALIDATION_FAILED', path]);
  expect(await cashOf(player)).toBe(cash);
});
