/**
 * Tests the worked example over HTTP: a deposit bonus is wagered, and one bet is rolled back. The books are reconciled when the app stops.
 */
import { expect, test } from 'vitest';
import { cashOf } from '../../../../test/kit/app.ts';
import { deposit, HALF, newPromo, promoFixture, redeem } from '../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { lose, win } from '../../../../test/kit/money/bonus.ts';

const { app, staff } = promoFixture();
const clerk = fixture(() => app.as({ permissions: ['bet.rollback'] }));

test('counts the wagering of a 50 % bonus on 100 USDT, and subtracts it when a bet is rolled back', async () => {
  const player = await app.newPlayer();
  const promoId = await newPromo(staff, HALF);
  const redeemed = await redeem(player, { promoId });
  expect(redeemed).toMatchObject({ status: 201, body: { status: 'PENDING', grantedAmount: '0' } });
  await deposit(app, player, '100');

  const state = async () => {
    const [grant] = (await player.call('GET', '/promo/my')).body.data;
    const { status, bonusBalance, wagerDone, wagerRequired } = grant;
    return `${status}: ${await cashOf(player)} + ${bonusBalance}, ${wagerDone} of ${wagerRequired}`;
  };
  expect(await state()).toBe('ACTIVE: 100 + 50, 0 of 500');
  for (let i = 0; i < 9; i++) await lose(app, player, '10');
  await lose(app, player, '7');
  expect(await state()).toBe('ACTIVE: 3 + 50, 97 of 500');
  const { betId } = await win(app, player, '10');
  expect(await state()).toBe('ACTIVE: 7.5 + 60.5, 107 of 500');
  const body = { reason: 'The round was void.' };
  expect((await clerk.call('POST', `/admin/bets/${betId}/rollback`, { body })).status).toBe(201);
  expect(await state()).toBe('ACTIVE: 3 + 50, 97 of 500');
});
