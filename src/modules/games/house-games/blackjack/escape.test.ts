import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { cashOf, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { act, active, lay } from '../../../../../test/kit/games/blackjack.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import { cancel, withdraw } from '../../../../../test/kit/money/withdrawals.ts';

const outside = fixture(startOutside);
const app = fixture(() => startApp({ env: outside.env }));
beforeAll(async () => {
  // Removes the minimum withdrawal amount and the withdrawal fee.
  const free = { min_withdraw: 0n, withdraw_fee: 0n };
  await app.db.updateTable('currency_networks').set(free).where('id', '=', 'tron').execute();
  await app.services.currencies.refreshRates();
  const boss = await app.as('superadmin');
  const config = { minUsd: '0', maxOpenPerUser: 20 };
  expect((await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: config })).status).toBe(200);
});

const move = (player: Player, way: 'to-vault' | 'from-vault', amount: string, currencyId = 'USDT') =>
  player.call('POST', `/accounting/${way}`, { body: { currencyId, amount } });
const setCash = (player: Player, currencyId: string, amount: string) =>
  app.call('POST', '/debug/user/action', {
    body: { userId: player.id, action: 'SET_BALANCE', params: { currencyId, amount } },
  });

/**
 * Actions that take an additional stake: the action, the cards (with and without a dealer natural) and the additional stake for a bet of
 * 50.
 */
const ACTIONS = [
  ['DOUBLE', '6h 5d 7c Ts 9c', '50'],
  ['DOUBLE', '6h 5d Ac Ts', '50'],
  ['SPLIT', '8h 8d 7c Ts', '50'],
  ['SPLIT', '8h 8d Ac Ts', '50'],
  ['INSURANCE', '8h 8d Ac 7s', '25'],
  ['INSURANCE', '8h 8d Ac Ts', '25'],
] as const;

describe('money already staked cannot be used', () => {
  test.each(ACTIONS)('rejects %s on %s when the whole balance is staked', async (action, top) => {
    const player = await app.newPlayer({ usdt: 100 });
    // The whole balance is staked, half of it on the side bet.
    expect((await lay(player, top, { betAmount: '50', sideBetAmount: '50' })).status).toBe(201);
    expect(await cashOf(player)).toBe('0');
    expect(codeOf(await move(player, 'to-vault', '0.000001'))).toMatch(/^400 INSUFFICIENT/);
    expect(codeOf(await withdraw(player, { amount: '1' }))).toMatch(/^400 INSUFFICIENT/);
    const before = await active(player);
    expect(codeOf(await act(player, action))).toBe('400 INSUFFICIENT_BALANCE');
    expect(await active(player)).toEqual(before);
  });

  test.each(ACTIONS)(
    'rejects %s on %s until the money is moved back from the vault',
    async (action, top, needed) => {
      const player = await app.newPlayer({ usdt: 100 });
      await lay(player, top, { betAmount: '50' });
      expect((await move(player, 'to-vault', '50')).status).toBe(201);
      expect(codeOf(await act(player, action))).toBe('400 INSUFFICIENT_BALANCE');
      const short = String(Number(needed) - 0.000001);
      expect((await move(player, 'from-vault', short)).status).toBe(201);
      expect(codeOf(await act(player, action))).toBe('400 INSUFFICIENT_BALANCE');
      expect((await move(player, 'from-vault', '0.000001')).status).toBe(201);
      expect((await act(player, action)).status).toBe(201);
    },
  );

  test.each(ACTIONS)(
    'rejects %s on %s until the pending withdrawal is cancelled',
    async (action, top, needed) => {
      const player = await app.newPlayer({ usdt: 100 });
      await lay(player, top, { betAmount: '50' });
      const asked = await withdraw(player, { amount: String(51 - Number(needed)) });
      expect(asked.status, asked.text).toBe(201);
      expect(codeOf(await act(player, action))).toBe('400 INSUFFICIENT_BALANCE');
      expect(codeOf(await cancel(player, asked.body.id))).toMatch(/^20/);
      expect(await cashOf(player)).toBe('50');
      expect((await act(player, action)).status).toBe(201);
    },
  );

  test('spends money only once in 32 races between a double and a transfer to the vault', async () => {
    for (let race = 0; race < 32; race++) {
      const player = await app.newPlayer({ usdt: 100 });
      await lay(player, '6h 5d 7c Ts 9c', { betAmount: '50' });
      const [doubled, moved] = await Promise.all(
        race % 2
          ? [act(player, 'DOUBLE'), move(player, 'to-vault', '50')]
          : [move(player, 'to-vault', '50'), act(player, 'DOUBLE')].toReversed(),
      );
      const codes = `${codeOf(doubled!)}, ${codeOf(moved!)}`;
      const cash = await cashOf(player);
      // If a double is debited, it wins here. A later move to the vault therefore takes the money from the payout.
      if (codes === '201, 201') expect(cash).toBe('150');
      else if (codeOf(doubled!) === '201') expect(cash).toBe('200');
      else expect([codes, cash]).toEqual(['400 INSUFFICIENT_BALANCE, 201', '0']);
    }
  });

  test('pays for a round only from the balance in the currency of the round', async () => {
    for (const [action, top, needed] of ACTIONS) {
      const player = await app.newPlayer({ usdt: 1000 });
      await setCash(player, 'USD', '50');
      expect((await lay(player, top, { currencyId: 'USD', betAmount: '50' })).status).toBe(201);
      expect(codeOf(await act(player, action))).toBe('400 INSUFFICIENT_BALANCE');
      expect(await cashOf(player)).toBe('1000');
      await setCash(player, 'USD', needed);
      const { body } = await act(player, action);
      expect(body.data.currencyId).toBe('USD');
      expect(await cashOf(player)).toBe('1000');
      // If the dealer has a natural, the insurance is debited and pays out, but a double or split is not debited.
      if (action === 'INSURANCE' && top.includes('Ts')) expect(await cashOf(player, 'USD')).toBe('75');
      else if (top.includes('Ac Ts')) expect(await cashOf(player, 'USD')).toBe(needed);
      else if (action === 'DOUBLE') expect(await cashOf(player, 'USD')).toBe('200');
      else expect(await cashOf(player, 'USD')).toBe('0');
    }
  });
});
