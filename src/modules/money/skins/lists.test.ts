import { expect, test } from 'vitest';
import { fixture } from '../../../../test/kit/fixture.ts';
import { giveAddress, tell, webhookOf } from '../../../../test/kit/money/deposits.ts';
import { startSkins } from '../../../../test/kit/money/skins.ts';

const skins = fixture(startSkins);

test('lists skin deposits in every state for the player and for staff', async () => {
  const { player, depositId, transactionId } = await skins.opened();
  const clerk = await skins.app.as({ permissions: ['deposit.read'] });
  const mine = async (query = '') => (await player.call('GET', `/payments/deposit${query}`)).body;
  const staff = async (query = '') =>
    (await clerk.call('GET', `/admin/payments/deposit?userId=${player.id}${query}`)).body;
  for (const [said, status, amount] of [
    [undefined, 'CREATED', '0'],
    ['IN_HOLD', 'CONFIRMING', '0'],
    ['SUCCESS', 'COMPLETED', '50'],
  ] as const) {
    if (said) expect((await skins.say(transactionId, said)).status).toBe(200);
    const expected = { id: depositId, status, amount, currencyId: 'USDT', networkId: null, txHash: null };
    for (const page of [await mine(), await staff()]) {
      expect(page.total).toBe(1);
      expect(page.data).toEqual([expect.objectContaining(expected)]);
    }
    expect((await mine(`?status=${status}`)).data).toHaveLength(1);
    expect((await staff(`&status=${status}`)).data).toHaveLength(1);
    expect((await staff('&status=FAILED')).data).toEqual([]);
    const one = await clerk.call('GET', `/admin/payments/deposit/${depositId}`);
    expect(one.body).toMatchObject({ ...expected, providerId: 'skins', userId: player.id });
  }
  expect((await mine('?currencyId=BTC')).data).toEqual([]);
});

test('sorts coin and skin deposits together, and pages through both', async () => {
  const { player, depositId, transactionId } = await skins.opened();
  await skins.say(transactionId, 'SUCCESS');
  const address = await giveAddress(skins.app.db, player.id);
  await tell(skins.app, webhookOf(address, { amount: '60' }));
  await tell(skins.app, webhookOf(address, { amount: '40' }));
  const list = async (query: string) =>
    (await player.call('GET', `/payments/deposit?${query}`)).body.data.map(
      (d: { id: string; amount: string }) => (d.id === depositId ? 'skins' : d.amount),
    );
  expect(await list('sortBy=usdAmount')).toEqual(['60', 'skins', '40']);
  expect(await list('sortOrder=asc')).toEqual(['skins', '60', '40']);
  expect([await list('take=1&page=1'), await list('take=1&page=3')]).toEqual([['40'], ['skins']]);
});
