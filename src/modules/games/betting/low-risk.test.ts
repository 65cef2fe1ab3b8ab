/** Bets with almost no risk, and pushes, over HTTP: they do not count towards wagering, and their rows contain the reason. */
import { expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { playLaid } from '../../../../test/kit/games/blackjack.ts';
import { grantBonus, moneyOf } from '../../../../test/kit/money/bonus.ts';
import { units } from '../../../platform/money.ts';

const app = fixture(startApp);
const HOUSE = '/casino/games/house';

/** Creates a player with a bonus of 50 dollars and no other money. */
async function bonusPlayer() {
  const player = await app.newPlayer();
  const grant = await grantBonus(app, player, { amount: '50', required: '500' });
  const done = async () => (await moneyOf(app, player, grant)).done;
  return { player, done };
}

const place = async (player: Player, path: string, body: object) => {
  const answer = await player.call('POST', `${HOUSE}${path}`, { body: { currencyId: 'USDT', ...body } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const bonusOfLast = async (player: Player) => (await player.call('GET', '/bets')).body.data[0].bonus;

const roulette = (...types: string[]) => ({
  betAmount: String(types.length),
  params: { bets: types.map((type) => ({ type, amount: '1' })) },
});
const straights = (count: number) => ({
  betAmount: String(count / 10),
  params: {
    bets: Array.from({ length: count }, (_, n) => ({ type: 'STRAIGHT', numbers: [n], amount: '0.1' })),
  },
});

test.each([
  ['roulette on both colours', '/roulette/bet', roulette('RED', 'BLACK')],
  ['roulette on all numbers', '/roulette/bet', straights(37)],
  ['dice with a chance of 98 %', '/dice/bet', { betAmount: '4', threshold: 2, above: true }],
  ['limbo for 1.01 times', '/limbo/bet', { betAmount: '4', multiplier: 1.01 }],
  [
    'mines for one of 24 gems',
    '/mines/auto-spin',
    { betAmount: '4', gridCellsCount: 25, bombsCount: 1, cellIndices: [3] },
  ],
])('does not count %s towards wagering', async (_name, path, body) => {
  const { player, done } = await bonusPlayer();
  await place(player, path, body);
  expect(await done()).toBe(0n);
  expect(await bonusOfLast(player)).toMatchObject({ counted: '0', notCounted: 'LOW_RISK' });
});

test.each([
  ['roulette on one colour', '/roulette/bet', roulette('RED'), '1'],
  ['dice with a chance of 50 %', '/dice/bet', { betAmount: '4', threshold: 50, above: true }, '4'],
  ['limbo for 2 times', '/limbo/bet', { betAmount: '4', multiplier: 2 }, '4'],
  ['plinko with a low risk', '/plinko/bet', { betAmount: '4', risk: 'LOW', rowsCount: 8 }, '4'],
  ['keno with a low risk', '/keno/bet', { betAmount: '4', risk: 'LOW', selected: [1] }, '4'],
])('counts the stake of %s towards wagering', async (_name, path, body, counted) => {
  const { player, done } = await bonusPlayer();
  await place(player, path, body);
  expect(await done()).toBe(units(counted));
  expect(await bonusOfLast(player)).toMatchObject({ counted, notCounted: null });
});

test('does not count a mines round towards wagering when it is cashed out after one of 63 gems', async () => {
  for (;;) {
    const { player, done } = await bonusPlayer();
    await place(player, '/mines/play', { betAmount: '4', gridCellsCount: 64, bombsCount: 1 });
    const opened = await player.call('POST', `${HOUSE}/mines/open`, { body: { cellIndex: 7 } });
    if (opened.body.proceed) await player.call('POST', `${HOUSE}/mines/cash-out`, { body: {} });
    expect(await done()).toBe(0n);
    expect(await bonusOfLast(player)).toMatchObject({ notCounted: 'LOW_RISK' });
    if (opened.body.proceed) return;
  }
});

test('does not count a monkey-run of one tile on a board with one trap towards wagering, won or lost', async () => {
  const { player, done } = await bonusPlayer();
  await place(player, '/monkey-run/bet', { betAmount: '4', difficulty: 'EASY' });
  const act = async (method: string, action: string, body: object) => {
    const answer = await player.call(method, `${HOUSE}/monkey-run/${action}`, { body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const step = await act('POST', 'play', { makeStep: 1 });
  if (!step.isFinished) await act('PUT', 'cash-out', {});
  expect(await done()).toBe(0n);
  expect(await bonusOfLast(player)).toMatchObject({ notCounted: 'LOW_RISK' });
});

test('does not count a pushed blackjack hand towards wagering, but counts the settled hand of a split', async () => {
  const pushed = await bonusPlayer();
  await playLaid(pushed.player, 'Th Td Kc Ks', {}, ['STAND']);
  expect(await pushed.done()).toBe(0n);
  expect(await bonusOfLast(pushed.player)).toMatchObject({ counted: '0', notCounted: 'PUSH' });

  const naturals = await bonusPlayer();
  await playLaid(naturals.player, 'Ah Td Kc As', {}, []);
  expect(await naturals.done()).toBe(0n);

  // A pair of eights is split: 18 pushes against the dealer's 18, 16 loses.
  const split = await bonusPlayer();
  await playLaid(split.player, '8h 8d Tc 8s Th 8c', {}, ['SPLIT', 'STAND', 'STAND']);
  expect(await split.done()).toBe(units('10'));
  expect(await bonusOfLast(split.player)).toMatchObject({ counted: '10', notCounted: null });
});

test('counts low-risk bets towards wagering once staff lower the limits, and shows the limits in the terms', async () => {
  const boss = await app.as('superadmin');
  const limits = {
    maxWinChancePercent: 99,
    minMultiplier: 1,
    maxCoveragePercent: 101,
    countsOpposites: true,
  };
  const changed = await boss.call('PATCH', '/admin/config/COMMON', { body: { promo: { lowRisk: limits } } });
  expect([changed.status, changed.body.promo.lowRisk]).toEqual([200, limits]);
  const { player, done } = await bonusPlayer();
  await place(player, '/roulette/bet', roulette('RED', 'BLACK'));
  await place(player, '/limbo/bet', { betAmount: '4', multiplier: 1.01 });
  expect(await done()).toBe(units('6'));
});
