import { expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { cashOf, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { betOn, nextWords, setGame } from '../../../../../test/kit/games/house.ts';
import { PLINKO_RISKS, PLINKO_TABLE } from './rules.ts';

const app = fixture(startApp);
const player = fixture(() => app.newPlayer({ usdt: 1000 }));

const config = async () => (await player.call('GET', '/casino/games/house/plinko/config')).body;

test('shows the limits and the delays between balls in the config', async () => {
  const limits = { minBet: 0.01, maxBet: 1000, maxProfit: 100_000 };
  expect(await config()).toEqual({ ...limits, manualMs: 300, autoMs: 600 });
  await setGame(app, 'plinko', { settings: { manualMs: 0, autoMs: 60_000 } });
  expect(await config()).toEqual({ ...limits, manualMs: 0, autoMs: 60_000 });
});

test('computes the path of the ball from its seeds on every board', async () => {
  for (const risk of PLINKO_RISKS)
    for (let rowsCount = 8; rowsCount <= 16; rowsCount++) {
      const words = await nextWords(app, player);
      const results = words.slice(0, rowsCount).map((u) => (u < 2 ** 31 ? 0 : 1));
      const due = PLINKO_TABLE[risk][rowsCount]![results.reduce<number>((a, b) => a + b, 0)]!;
      const cash = Number(await cashOf(player));
      const { status, body } = await betOn(player, 'plinko', { risk, rowsCount, betAmount: '0.5' });
      const payout = String(Number(due) / 200);
      expect([status, body]).toMatchObject([201, { results, multiplier: Number(due) / 100, payout }]);
      expect(Number(await cashOf(player))).toBeCloseTo(cash - 0.5 + Number(payout), 6);
    }
});

test.each([
  [{ rowsCount: 7 }, 'rowsCount'],
  [{ rowsCount: 17 }, 'rowsCount'],
  [{ rowsCount: 8.5 }, 'rowsCount'],
  [{ rowsCount: '8' }, 'rowsCount'],
  [{ rowsCount: [8] }, 'rowsCount'],
  [{ risk: 'CLASSIC' }, 'risk'],
  [{ risk: 'high' }, 'risk'],
  [{ risk: '' }, 'risk'],
  [{ risk: 2 }, 'risk'],
])('rejects %j and reports the field %s', async (fields, path) => {
  const cash = await cashOf(player);
  const answer = await betOn(player, 'plinko', fields);
  expect([codeOf(answer), answer.body.details.fields[0].path]).toEqual(['400 VALIDATION_FAILED', path]);
  expect(await cashOf(player)).toBe(cash);
});
