import { expect, test } from 'vitest';
import { betOnDice, cashOf, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

const app = fixture(startApp);

test('debits the stake, pays the payout, uses one nonce and adds the bet to the history', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const bet = await betOnDice(player, { betAmount: '10' });
  expect(bet.status).toBe(201);
  expect(bet.body).toMatchObject({
    currencyId: 'USDT',
    betAmount: '10',
    multiplier: bet.body.didWin ? 1.98 : 0,
    offeredMultiplier: 1.98,
    threshold: 50,
    above: true,
  });
  const { randomValue, didWin, payout, betId } = bet.body;
  expect(didWin).toBe(randomValue > 50);
  expect(payout).toBe(didWin ? '19.8' : '0');
  expect(await cashOf(player)).toBe(didWin ? '109.8' : '90');
  expect((await player.call('GET', '/fairness/seeds')).body.nonce).toBe(1);
  const { body: history } = await player.call('GET', '/bets');
  expect(history.total).toBe(1);
  expect(history.data[0]).toMatchObject({
    id: betId,
    status: 'SETTLED',
    amount: '10',
    payout,
    game: { slug: 'dice' },
  });
});
