import { beforeAll, describe, expect, test } from 'vitest';
import { DICE, PATIENCE, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { formatUnits, type Units, units } from '../../../platform/money.ts';

const app = fixture(() => startApp({ env: PATIENCE }));
const second = fixture(() => startApp({ env: PATIENCE, database: app.database }));

const move = (player: Player, route: string, amount: unknown, currencyId = 'USDT', through = app) =>
  through.call('POST', `/accounting/${route}`, { token: player.token, body: { currencyId, amount } });
const balances = async ({ call }: Player) => (await call('GET', '/accounting/balances')).body;
const vaultBalances = async ({ call }: Player) => (await call('GET', '/accounting/vault-balances')).body;
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Creates a player with these balances. */
async function rich(...money: { currencyId: string; amount: string }[]): Promise<Player> {
  const created = await app.call('POST', '/debug/user/create', { body: { balances: money } });
  expect(created.status).toBe(201);
  return app.newPlayer({ username: created.body.username });
}

describe('the vault', () => {
  test('moves money to the vault and back, with exact amounts before and after', async () => {
    const player = await rich({ currencyId: 'BTC', amount: '2.00000001' });
    const { rate } = app.services.currencies.rateOf('BTC');
    const usd = (amount: string) => formatUnits((units(amount) * rate) / 10n ** 12n);
    const there = await move(player, 'to-vault', '0.50000000');
    expect(there).toMatchObject({ status: 400, body: { code: 'INSUFFICIENT_BALANCE' } });
    const moved = await move(player, 'to-vault', '0.5', 'BTC');
    expect([moved.status, moved.body]).toEqual([
      201,
      {
        currencyId: 'BTC',
        amount: '0.5',
        usdAmount: usd('0.5'),
        vaultAmount: '0.5',
        beforeBalance: '2.00000001',
        afterBalance: '1.50000001',
        beforeVaultBalance: '0',
        afterVaultBalance: '0.5',
        updatedAt: isoTime,
      },
    ]);
    const back = await move(player, 'from-vault', '0.20000001', 'BTC');
    expect(back.body).toEqual({
      ...moved.body,
      amount: '0.20000001',
      usdAmount: usd('0.20000001'),
      vaultAmount: '0.29999999',
      beforeBalance: '1.50000001',
      afterBalance: '1.70000002',
      beforeVaultBalance: '0.5',
      afterVaultBalance: '0.29999999',
      updatedAt: isoTime,
    });
    const [cash, vault] = ['1.70000002', '0.29999999'];
    const about = { currencyId: 'BTC', updatedAt: back.body.updatedAt };
    const version = expect.any(Number);
    expect(await balances(player)).toEqual([{ ...about, amount: cash, usdAmount: usd(cash), version }]);
    expect(await vaultBalances(player)).toEqual([{ ...about, vaultAmount: vault, usdAmount: usd(vault) }]);
    const { body: me } = await player.call('GET', '/user/me');
    expect(me.balances).toEqual({ usd: usd(cash), vaultUsd: usd(vault) });
  });

  test('returns balances in order of currency, and an empty list for a player without money', async () => {
    const both = await rich({ currencyId: 'USDT', amount: '3' }, { currencyId: 'EUR', amount: '0.01' });
    expect((await balances(both)).map((b: any) => [b.currencyId, b.amount])).toEqual([
      ['EUR', '0.01'],
      ['USDT', '3'],
    ]);
    const poor = await app.newPlayer();
    expect([await balances(poor), await vaultBalances(poor)]).toEqual([[], []]);
    expect((await poor.call('GET', '/user/me')).body.balances).toEqual({ usd: '0', vaultUsd: '0' });
  });

  test('restores the exact balance after moving everything to the vault and back', async () => {
    const player = await rich({ currencyId: 'USDT', amount: '0.000001' });
    expect((await move(player, 'to-vault', '0.000001')).body).toMatchObject({ afterBalance: '0' });
    expect((await move(player, 'from-vault', '0.000001')).body).toMatchObject({ afterVaultBalance: '0' });
    expect(await balances(player)).toMatchObject([{ amount: '0.000001' }]);
  });
});

describe.each(['to-vault', 'from-vault'])('rejects %s', (route) => {
  let player: Player;
  beforeAll(async () => {
    player = await rich({ currencyId: 'USDT', amount: '10' });
    expect((await move(player, 'to-vault', '5')).status).toBe(201);
  });
  const code = route === 'to-vault' ? 'INSUFFICIENT_BALANCE' : 'INSUFFICIENT_VAULT';
  const range = { currencyId: 'USDT', decimals: 6 };
  test.each([
    ['more than the balance', '5.000001', 'USDT', 400, code, { currencyId: 'USDT', available: '5' }],
    ['a currency that the player never had', '1', 'BTC', 400, code, { currencyId: 'BTC', available: '0' }],
    ['an amount of zero', '0', 'USDT', 400, 'AMOUNT_OUT_OF_RANGE', range],
    ['more decimals than the currency has', '1.0000001', 'USDT', 400, 'AMOUNT_OUT_OF_RANGE', range],
    [
      'an amount that would overflow the database column',
      '92233720368.54775808',
      'BTC',
      400,
      'AMOUNT_OUT_OF_RANGE',
      expect.anything(),
    ],
    ['an unknown currency', '1', 'XYZ', 404, 'CURRENCY_NOT_FOUND', { currencyId: 'XYZ' }],
    ['an amount that is a number instead of text', 1, 'USDT', 400, 'VALIDATION_FAILED', expect.anything()],
  ])('%s', async (_, amount, currencyId, status, error, details) => {
    const before = [await balances(player), await vaultBalances(player)];
    const answer = await move(player, route, amount, currencyId);
    expect([answer.status, answer.body.code, answer.body.details]).toEqual([status, error, details]);
    expect([await balances(player), await vaultBalances(player)]).toEqual(before);
  });

  test('rejects a disabled currency, an unknown field, a missing session and a banned player', async () => {
    const enable = (enabled: boolean) =>
      app.db.updateTable('currencies').set({ enabled }).where('id', '=', 'XRP').execute();
    await enable(false);
    await expect.poll(() => app.services.currencies.find('XRP')).toBeUndefined();
    expect(await move(player, route, '1', 'XRP')).toMatchObject({
      status: 404,
      body: { code: 'CURRENCY_NOT_FOUND' },
    });
    await enable(true);
    const body = { currencyId: 'USDT', amount: '1', userId: 1 };
    const extra = await player.call('POST', `/accounting/${route}`, { body });
    expect([extra.status, extra.body.details.fields[0].path]).toEqual([400, 'userId']);
    const { status } = await app.call('POST', `/accounting/${route}`, {
      body: { currencyId: 'USDT', amount: '1' },
    });
    expect(status).toBe(401);
    const before = await balances(player);
    const ban = (is_banned: boolean) =>
      app.db.updateTable('players').set({ is_banned }).where('user_id', '=', player.id).execute();
    await ban(true);
    expect(await move(player, route, '1')).toMatchObject({ status: 403, body: { code: 'USER_BANNED' } });
    await ban(false);
    expect(await balances(player)).toEqual(before);
  });
});

describe('concurrent spending', () => {
  type Kind = 'bet' | 'to-vault' | 'from-vault';
  const STEP = { bet: '1.37', 'to-vault': '0.91', 'from-vault': '0.53' } as const;

  /** Sends 256 concurrent requests, half of them to each process. Returns the sums of the amounts in accepted requests. */
  async function drain(player: Player, kindOf: (i: number) => Kind) {
    const answers = await Promise.all(
      Array.from({ length: 256 }, async (_, i) => {
        const kind = kindOf(i);
        const process = i % 2 === 0 ? app : second;
        const bet = { token: player.token, body: { ...DICE, betAmount: STEP.bet } };
        const answer =
          kind === 'bet'
            ? await process.call('POST', '/casino/games/house/dice/bet', bet)
            : await move(player, kind, STEP[kind], 'USDT', process);
        return { kind, ...answer };
      }),
    );
    // A bet that has waited 1.5 s in its player's queue is rejected with 503, so that the queue can continue.
    const outcomes = answers.map((a) => (a.status === 201 ? '' : `${a.kind} ${a.body.code}`));
    expect(outcomes.filter((o) => !/^$|INSUFFICIENT_|bet SERVICE_UNAVAILABLE/.test(o))).toEqual([]);
    const sum = (kind: Kind, amountOf: (body: any) => Units) =>
      answers.reduce((all, a) => (a.kind === kind && a.status === 201 ? all + amountOf(a.body) : all), 0n);
    return {
      staked: sum('bet', (b) => units(b.betAmount)),
      paid: sum('bet', (b) => units(b.payout)),
      stored: sum('to-vault', (b) => units(b.amount)),
      fetched: sum('from-vault', (b) => units(b.amount)),
    };
  }

  test.each<[string, (i: number) => Kind]>([
    ['bets and vault', (i) => (i % 3 === 0 ? 'bet' : 'to-vault')],
    ['bets, to the vault and back', (i) => (['bet', 'to-vault', 'from-vault'] as const)[i % 3]!],
    ['vault only', () => 'to-vault'],
  ])('spends a wallet of 100 USDT only once through two processes: %s', async (_, kindOf) => {
    const player = await app.newPlayer({ usdt: 100 });
    const { staked, paid, stored, fetched } = await drain(player, kindOf);
    const cash = units('100') - staked + paid - stored + fetched;
    expect((await balances(player))[0].amount).toBe(formatUnits(cash));
    expect((await vaultBalances(player))[0].vaultAmount).toBe(formatUnits(stored - fetched));
    expect(staked + stored).toBeLessThanOrEqual(units('100') + paid + fetched);
    // No request was rejected while the balance was sufficient, so the remaining cash is smaller than the smallest debit.
    if (fetched === 0n && paid === 0n) expect(cash).toBeLessThan(units(STEP['to-vault']));
    expect(staked + stored).toBeGreaterThan(units('90'));
  });
});
