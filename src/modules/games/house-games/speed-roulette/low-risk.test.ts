/** A player's bets on both colours of a round hedge each other, so they do not count towards bonus wagering. */
import { expect, test } from 'vitest';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { betOn, startLongRounds, turnUntil } from '../../../../../test/kit/games/speed-roulette.ts';
import { grantBonus, moneyOf } from '../../../../../test/kit/money/bonus.ts';
import { units } from '../../../../platform/money.ts';

const app = fixture(startLongRounds);

test('excludes bets on both colours of a round from wagering, but counts bets on one colour', async () => {
  const [hedged, plain] = [await app.newPlayer(), await app.newPlayer()];
  const terms = { amount: '50', required: '500' };
  const [one, other] = [await grantBonus(app, hedged, terms), await grantBonus(app, plain, terms)];
  await turnUntil(app, 'BETTING');
  for (const color of ['RED', 'BLACK']) expect((await betOn(hedged, color)).status).toBe(201);
  for (const color of ['RED', 'RED']) expect((await betOn(plain, color)).status).toBe(201);
  await turnUntil(app, 'RESULT');
  expect([(await moneyOf(app, hedged, one)).done, (await moneyOf(app, plain, other)).done]).toEqual([
    0n,
    units('2'),
  ]);
  const { data } = (await hedged.call('GET', '/bets')).body;
  expect(data.map(({ bonus }: any) => [bonus.counted, bonus.notCounted])).toEqual([
    ['0', 'LOW_RISK'],
    ['0', 'LOW_RISK'],
  ]);
});
