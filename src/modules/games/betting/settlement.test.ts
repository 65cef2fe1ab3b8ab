import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { betOnDice, cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { formatUnits, units } from '../../../platform/money.ts';

const app = fixture(startApp);
afterEach(() => setDice({ enabled: true, settings: { maxProfit: '100000' } }));

/** Creates a player with 500 of each currency. */
async function rich(...currencyIds: string[]): Promise<Player> {
  const balances = currencyIds.map((currencyId) => ({ currencyId, amount: '500' }));
  const { body } = await app.call('POST', '/debug/user/create', { body: { balances } });
  return app.newPlayer({ username: body.username });
}

const storedBet = (id: string) =>
  app.db.selectFrom('bets').selectAll().where('id', '=', BigInt(id)).executeTakeFirstOrThrow();
const setDice = (change: { enabled?: boolean; settings?: object }) =>
  app.db
    .updateTable('games')
    .set({
      ...(change.enabled === undefined ? {} : { enabled: change.enabled }),
      ...(change.settings === undefined
        ? {}
        : { settings: sql`settings || ${JSON.stringify(change.settings)}::jsonb` }),
    })
    .where('slug', '=', 'dice')
    .execute();

const floor = (value: bigint, decimals: number) => value - (value % 10n ** BigInt(8 - decimals));
/** Places bets until one has won and one has lost. Returns both response bodies. */
async function winAndLoss(player: Player, fields: object) {
  const results = new Map<boolean, any>();
  for (let i = 0; i < 100 && results.size < 2; i++) {
    const { status, body } = await betOnDice(player, fields);
    expect([status, body.code]).toEqual([201, undefined]);
    results.set(body.didWin, body);
  }
  return { win: results.get(true), loss: results.get(false) };
}

describe('currencies', () => {
  test.each([
    // The columns are the amount in dollars, the decimals of the currency, the rate, and the stake, which is floor(dollars / rate).
    ['EUR', '1.09', 2, '1.08', '1'],
    ['EUR', '1.63', 2, '1.08', '1.5'],
    ['USDT', '0.123457', 6, '1', '0.123457'],
    ['TRX', '0.01', 6, '0.28', '0.035714'],
    ['BTC', '0.09690019', 8, '95000', '0.00000102'],
    ['DOGE', '0.0170001', 8, '0.17', '0.10000058'],
  ])(
    'rounds the stake and payout of %s: %s dollars at %i decimals down once and stores the rate',
    async (currencyId, betAmount, decimals, rate, stake) => {
      const player = await rich(currencyId);
      const before = units(await cashOf(player, currencyId));
      const { win, loss } = await winAndLoss(player, { currencyId, betAmount });
      const rows = await app.db.selectFrom('bets').selectAll().where('user_id', '=', player.id).execute();
      const payout = floor((units(stake) * 198n) / 100n, decimals);
      const worth = (amount: bigint) => (amount * units(rate)) / units('1');
      const payoutUsd = floor((units(betAmount) * 198n) / 100n, Math.max(2, decimals));
      for (const row of rows) {
        const isWin = row.payout > 0n;
        expect(row).toMatchObject({
          amount: units(stake),
          payout: isWin ? payout : 0n,
          bet_usd: units(betAmount),
          // Limits and statistics use the amount that was moved.
          usd_amount: worth(row.amount),
          usd_payout: worth(row.payout),
          usd_rate: units(rate) * 10_000n,
          rtp_bp: 9900,
          max_profit_usd: units('100000'),
        });
      }
      expect(win).toMatchObject({ currencyId, betAmount, payout: formatUnits(payoutUsd), multiplier: 1.98 });
      expect(loss).toMatchObject({ currencyId, betAmount, payout: '0', multiplier: 0 });
      const paid = rows.reduce((sum, row) => sum + row.payout - row.amount, 0n);
      expect(await cashOf(player, currencyId)).toBe(formatUnits(before + paid));
    },
  );

  test.each([
    ['EUR', '1.001', 'VALIDATION_FAILED'],
    ['USDT', '1.0000001', 'VALIDATION_FAILED'],
    ['BTC', '1.000000001', 'VALIDATION_FAILED'],
    ['USDT', '0', 'VALIDATION_FAILED'],
    ['EUR', '0.01', 'AMOUNT_OUT_OF_RANGE'],
    ['EUR', '1.07', 'AMOUNT_OUT_OF_RANGE'],
    ['BTC', '0.09499999', 'AMOUNT_OUT_OF_RANGE'],
    ['USDT', '0.009999', 'AMOUNT_OUT_OF_RANGE'],
    ['USDT', '1000.000001', 'AMOUNT_OUT_OF_RANGE'],
    ['BTC', '0.009', 'AMOUNT_OUT_OF_RANGE'],
    ['USDT', '500.000001', 'INSUFFICIENT_BALANCE'],
    ['USDC', '1', 'INSUFFICIENT_BALANCE'],
  ])('rejects %s: %s with 400 %s, without using a nonce or money', async (currencyId, betAmount, code) => {
    const player = await rich('EUR', 'USDT', 'BTC');
    const answer = await betOnDice(player, { currencyId, betAmount });
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect((await player.call('GET', '/fairness/seeds')).body.nonce).toBe(0);
    for (const id of ['EUR', 'USDT', 'BTC']) expect(await cashOf(player, id)).toBe('500');
  });

  test('accepts stakes at both ends of the range, and returns 404 for an unknown currency', async () => {
    const player = await app.newPlayer({ usdt: 2000 });
    for (const betAmount of ['0.01', '1000.0', '0.010000'])
      expect((await betOnDice(player, { betAmount })).status).toBe(201);
    expect(await betOnDice(player, { currencyId: 'usdt' })).toMatchObject({
      status: 404,
      body: { code: 'CURRENCY_NOT_FOUND' },
    });
  });
});

describe('staff changes', () => {
  test('limits payouts, but not the displayed multiplier, within 3 s after staff lower the profit limit', async () => {
    const player = await rich('USDT', 'BTC');
    await setDice({ settings: { maxProfit: '0.5' } });
    const limit = async () => (await player.call('GET', '/casino/games/house/dice/config')).body.maxProfit;
    await expect.poll(limit, { timeout: 3000 }).toBe(0.5);
    const { win } = await winAndLoss(player, { betAmount: '1' });
    expect(win).toMatchObject({ betAmount: '1', payout: '1.5', multiplier: 1.98 });
    expect(await storedBet(win.betId)).toMatchObject({ payout: units('1.5'), max_profit_usd: units('0.5') });
    const inBitcoin = (await winAndLoss(player, { betAmount: '1', currencyId: 'BTC' })).win;
    expect(inBitcoin.payout).toBe('1.5');
    // The stake is 1 / 95000 and the maximum profit is 0.5 / 95000, both rounded down.
    expect(await storedBet(inBitcoin.betId)).toMatchObject({
      amount: units('0.00001052'),
      payout: units('0.00001052') + units('0.00000526'),
    });
    const small = (await winAndLoss(player, { betAmount: '0.5' })).win;
    expect(small.payout).toBe('0.99');
    await setDice({ settings: { maxProfit: '100000' } });
    await expect.poll(limit).toBe(100_000);
  });

  test('rejects bets with 409 GAME_DISABLED within 3 s after staff disable the game, even if the database contains unknown games', async () => {
    const player = await rich('USDT');
    const values = {
      slug: `of-a-newer-version-${player.id}`,
      name: 'New',
      type: 'HOUSE_GAME',
      settings: '{}',
    };
    await app.db.insertInto('games').values(values).execute();
    await setDice({ enabled: false });
    const bet = async () => (await betOnDice(player)).status;
    await expect.poll(bet, { timeout: 3000 }).toBe(409);
    expect((await betOnDice(player)).body).toMatchObject({
      code: 'GAME_DISABLED',
      details: { game: 'dice' },
    });
    const another = await startApp({ database: app.database });
    expect((await another.call('GET', '/health')).status).toBe(200);
    await another.stop();
    await setDice({ enabled: true });
    await expect.poll(bet).toBe(201);
  });
});

test('returns 409 RATE_STALE while the exchange rate is stale', async () => {
  const player = await rich('SOL', 'USDT');
  const age = (seconds: number) =>
    app.db
      .updateTable('exchange_rates')
      .set({ source: 'coinbase', updated_at: new Date(Date.now() - seconds * 1000) })
      .where('currency_id', '=', 'SOL')
      .execute();
  await age(301);
  const bet = async () => (await betOnDice(player, { currencyId: 'SOL' })).status;
  await expect.poll(bet).toBe(409);
  const refused = await betOnDice(player, { currencyId: 'SOL' });
  expect(refused.body).toMatchObject({ code: 'RATE_STALE', details: { currencyId: 'SOL' } });
  expect((await betOnDice(player, { currencyId: 'USDT' })).status).toBe(201);
  await age(0);
  await expect.poll(bet).toBe(201);
});
