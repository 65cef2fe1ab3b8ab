import { describe, expect, test } from 'vitest';
import { cashOf, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { depositsOf, giveAddress, tell, webhookOf } from '../../../../../test/kit/money/deposits.ts';
import { releaseDeposits } from './advance.ts';

const app = fixture(startApp);

const playerWithAddress = async () => {
  const player = await app.newPlayer();
  return { player, address: await giveAddress(app.db, player.id) };
};
const sendOk = async (body: object) => expect((await tell(app, body)).status).toBe(200);
const statusOf = async (player: Player) => (await depositsOf(player)).map((d) => d.status);
const rowsOf = (player: Player) =>
  app.db.selectFrom('deposits').selectAll().where('user_id', '=', player.id).execute();

describe('coins that have arrived from a player who may not deposit', () => {
  const ban = (id: number, is_banned: boolean) =>
    app.db.updateTable('players').set({ is_banned }).where('user_id', '=', id).execute();

  test('credits a deposit of a banned player and holds it until the ban is lifted', async () => {
    const { player, address } = await playerWithAddress();
    await ban(player.id, true);
    await sendOk(webhookOf(address));
    expect((await rowsOf(player))[0]).toMatchObject({ status: 'ON_HOLD', review_reason: 'USER_BANNED' });
    await releaseDeposits(app.db);
    expect((await rowsOf(player))[0]!.status).toBe('ON_HOLD');
    await ban(player.id, false);
    await releaseDeposits(app.db);
    expect(await statusOf(player)).toEqual(['COMPLETED']);
    expect(await cashOf(player)).toBe('25');
  });

  const restrict = (id: number, values: { excluded_until?: Date; limits?: string }) =>
    app.db.transaction().execute(async (tx) => {
      await tx
        .insertInto('restrictions')
        .values({ user_id: id, ...values })
        .execute();
      await tx.updateTable('players').set({ is_restricted: true }).where('user_id', '=', id).execute();
    });

  test.each<[string, (id: number) => Promise<unknown>]>([
    ['SELF_EXCLUDED', (id) => restrict(id, { excluded_until: new Date(Date.now() + 1e9) })],
    ['LIMIT_REACHED', (id) => restrict(id, { limits: '{"DEPOSIT":{"DAY":"2499999999"}}' })],
    [
      'AUTH_GEO_BLOCKED',
      async (id) => {
        await app.db.updateTable('users').set({ country_code: 'KP' }).where('id', '=', id).execute();
        await app.db.updateTable('countries').set({ is_blocked: true }).where('code', '=', 'KP').execute();
        await app.sql`select pg_notify('countries_changed', 'KP')`.execute(app.db);
        await expect.poll(() => app.services.countries.isBlocked('KP')).toBe(true);
      },
    ],
  ])('credits the deposit and creates the finding %s', async (reason, make) => {
    const { player, address } = await playerWithAddress();
    await make(player.id);
    await sendOk(webhookOf(address));
    expect((await rowsOf(player))[0]).toMatchObject({ status: 'COMPLETED', review_reason: reason });
    expect(await cashOf(player)).toBe('25');
  });

  test('creates no finding when a deposit uses up a limit exactly', async () => {
    const { player, address } = await playerWithAddress();
    await restrict(player.id, { limits: '{"DEPOSIT":{"DAY":"2500000000"}}' });
    await sendOk(webhookOf(address));
    expect((await rowsOf(player))[0]!.review_reason).toBeNull();
  });
});

test('credits coins in a currency that was disabled after they were sent', async () => {
  const player = await app.newPlayer();
  const on = { currencyId: 'DOGE', networkId: 'dogecoin' };
  const address = await giveAddress(app.db, player.id, on);
  const coins = webhookOf(address, { ...on, amount: '500', status: 'CONFIRMING' });
  await sendOk(coins);
  const enable = async (enabled: boolean) => {
    await app.db.updateTable('currencies').set({ enabled }).where('id', '=', 'DOGE').execute();
    const isOn = () => app.services.currencies.find('DOGE') !== undefined;
    await expect.poll(isOn).toBe(enabled);
  };
  await enable(false);
  await sendOk({ ...coins, status: 'COMPLETED' });
  await enable(true);
  expect(await rowsOf(player)).toMatchObject([{ status: 'COMPLETED', review_reason: null }]);
  expect(await cashOf(player, 'DOGE')).toBe('500');
});

test('counts the findings about deposits', async () => {
  const { address } = await playerWithAddress();
  const counted = async () => {
    const { values } = await app.services.metrics.depositFindings.get();
    return values.find(({ labels }) => labels.reason === 'BELOW_MINIMUM')?.value ?? 0;
  };
  const before = await counted();
  await sendOk(webhookOf(address, { amount: '0.5' }));
  expect((await counted()) - before).toBe(1);
});
