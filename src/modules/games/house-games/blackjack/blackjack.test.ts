import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { cashOf, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { act, active, cards, lay, playLaid } from '../../../../../test/kit/games/blackjack.ts';
import { whileSet } from '../../../../../test/kit/games/house-rounds.ts';
import { currencyToUsdDown, formatUnits, units } from '../../../../platform/money.ts';

const app = fixture(startApp);

const setBalance = (userId: number, currencyId: string, amount: string) =>
  app.call('POST', '/debug/user/action', {
    body: { userId, action: 'SET_BALANCE', params: { currencyId, amount } },
  });

describe('a round', () => {
  test('shows the documented fields of a round from the deal to the end', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const begun = await lay(player, '8h 8d Ac 7s 2c 3c Tc', { sideBetAmount: '1.50', windowId: 'left' });
    expect(begun.status).toBe(201);
    const open = {
      betId: expect.stringMatching(/^\d+$/),
      status: 'PLAYER_TURN',
      currencyId: 'USDT',
      betAmount: '10',
      sideBetAmount: '1.5',
      sideBetResult: 'COLORED_PAIR',
      sideBetPayout: null,
      insuranceAmount: null,
      dealer: { cards: cards('Ac'), hiddenCards: 1, total: 11, isBlackjack: false, isBust: false },
      hands: [
        {
          cards: cards('8h 8d'),
          total: 16,
          isSoft: false,
          isBlackjack: false,
          isBust: false,
          isDoubled: false,
          betAmount: '10',
          result: null,
          payout: null,
        },
      ],
      activeHandIndex: 0,
      availableActions: ['HIT', 'STAND', 'SPLIT', 'INSURANCE'],
      payout: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      finishedAt: null,
    };
    expect(begun.body).toEqual({ data: open });
    expect(await active(player)).toEqual(begun.body.data);
    expect(await cashOf(player)).toBe('88.5');

    const insured = { ...begun.body.data, insuranceAmount: '5', availableActions: ['HIT', 'STAND', 'SPLIT'] };
    expect((await act(player, 'INSURANCE')).body).toEqual({ data: insured });
    expect(await active(player)).toEqual(insured);
    expect(await cashOf(player)).toBe('83.5');

    const hand = (text: string, total: number) => ({ ...open.hands[0], cards: cards(text), total });
    const split = {
      ...insured,
      hands: [hand('8h 2c', 10), hand('8d 3c', 11)],
      availableActions: ['HIT', 'STAND'],
    };
    expect((await act(player, 'SPLIT')).body).toEqual({ data: split });
    expect(await cashOf(player)).toBe('73.5');
    expect((await act(player, 'STAND')).body).toEqual({ data: { ...split, activeHandIndex: 1 } });

    expect((await act(player, 'HIT')).body).toEqual({
      data: {
        ...split,
        status: 'FINISHED',
        sideBetPayout: '37.5',
        dealer: { cards: cards('Ac 7s'), hiddenCards: 0, total: 18, isBlackjack: false, isBust: false },
        hands: [
          { ...split.hands[0], result: 'LOSE', payout: '0' },
          { ...split.hands[1], cards: cards('8d 3c Tc'), total: 21, result: 'WIN', payout: '20' },
        ],
        activeHandIndex: null,
        availableActions: [],
        payout: '57.5',
        finishedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
    expect(await active(player)).toBeNull();
    expect(await cashOf(player)).toBe('131');
    const { body: history } = await player.call('GET', '/bets');
    expect(history.data).toMatchObject([
      {
        id: begun.body.data.betId,
        status: 'SETTLED',
        amount: '26.5',
        usdAmount: '26.5',
        payout: '57.5',
        usdPayout: '57.5',
        multiplier: 2.1698,
        game: { slug: 'blackjack' },
      },
    ]);
  });

  test('hides a round from other players', async () => {
    const [player, other] = [await app.newPlayer({ usdt: 20 }), await app.newPlayer({ usdt: 20 })];
    expect(await active(player)).toBeNull();
    await lay(player, 'Th 9d 7c Ts');
    expect(await active(other)).toBeNull();
    expect(codeOf(await act(other, 'STAND'))).toBe('404 ROUND_NOT_FOUND');
  });

  test('shows a round with its cards among the settled bets only after the round has ended', async () => {
    const player = await app.newPlayer({ usdt: 20 });
    const { betId } = await playLaid(player, 'Th 9d 7c Ts');
    expect(codeOf(await player.call('GET', `/bets/house-games/info/${betId}`))).toBe('404 BET_NOT_FOUND');
    expect(codeOf(await player.call('GET', `/fairness/bets/${betId}`))).toBe('404 BET_NOT_FOUND');
    await act(player, 'STAND');
    const { game } = (await player.call('GET', `/bets/house-games/info/${betId}`)).body;
    expect(game.inputs).toEqual({
      betAmount: '10',
      sideBetAmount: null,
      actions: ['STAND'],
      deck: cards('Th 9d 7c Ts'),
    });
    expect(game.outcome).toMatchObject({
      dealer: { cards: cards('7c Ts'), total: 17 },
      hands: [{ cards: cards('Th 9d'), result: 'WIN' }],
      insuranceResult: null,
      sideBetResult: null,
    });
  });
});

describe('amounts', () => {
  test.each([
    ['a natural on a cent more than the least', '1.01', 'Ah Kd 9c 5s', [], '2.52', null],
    ['a natural on three cents more', '1.03', 'Ah Kd 9c 5s', [], '2.57', null],
    ['insurance on three cents more', '1.03', 'Th 9d Ac Ks', ['INSURANCE'], '1.53', '0.51'],
    ['a double on three cents more', '1.03', '6h 5d 7c Ts 9c', ['DOUBLE'], '4.12', null],
  ] as [string, string, string, string[], string, string | null][])(
    'rounds amounts down to two decimals: %s',
    async (_, betAmount, top, actions, payout, insuranceAmount) => {
      const player = await app.newPlayer();
      await setBalance(player.id, 'USD', '10');
      const end = await playLaid(player, top, { currencyId: 'USD', betAmount }, actions);
      expect(end).toMatchObject({ status: 'FINISHED', payout, insuranceAmount });
    },
  );

  test('rejects an insurance bet that rounds to zero and keeps offering insurance', async () => {
    const player = await app.newPlayer();
    await setBalance(player.id, 'USD', '1');
    const boss = await app.as('superadmin');
    const least = (minStakes: object) => boss.call('PATCH', '/admin/config/COMMON', { body: { minStakes } });
    expect((await least({ USD: '0.01' })).status).toBe(200);
    try {
      const open = await playLaid(player, 'Th 9d Ac Ks', { currencyId: 'USD', betAmount: '0.01' });
      expect(codeOf(await act(player, 'INSURANCE'))).toBe('400 AMOUNT_OUT_OF_RANGE');
      expect(await active(player)).toEqual(open);
      expect((await act(player, 'STAND')).body.data).toMatchObject({ status: 'FINISHED', payout: '0' });
    } finally {
      await least({});
    }
  });

  test("debits and pays in the bet's currency at the rate from the start of the round, and rounds each amount separately", async () => {
    const player = await app.newPlayer();
    await setBalance(player.id, 'BTC', '1');
    const { rate } = app.services.currencies.rateOf('BTC');
    const inBtc = (usd: string) => (units(usd) * 10n ** 12n) / rate;
    const fields = { currencyId: 'BTC', betAmount: '1.23', sideBetAmount: '0.77' };
    const end = await playLaid(player, 'Th Td Ac 6s 9c 8h', fields, ['INSURANCE', 'SPLIT', 'STAND', 'STAND']);
    const stake = inBtc('1.23');
    const staked = 2n * stake + stake / 2n + inBtc('0.77');
    // One hand wins, one pushes, and the side bet has a coloured pair.
    const paid = 3n * stake + 25n * inBtc('0.77');
    expect(end.hands.map(({ result }: { result: string }) => result)).toEqual(['WIN', 'PUSH']);
    expect(await cashOf(player, 'BTC')).toBe(formatUnits(units('1') - staked + paid));
    const { body } = await player.call('GET', '/bets');
    expect(body.data[0]).toMatchObject({ amount: formatUnits(staked), payout: formatUnits(paid) });
    expect(body.data[0]).toMatchObject({
      usdAmount: formatUnits(currencyToUsdDown(staked, rate)),
      usdPayout: formatUnits(currencyToUsdDown(paid, rate)),
    });
    expect(end.payout).toBe('22.94');
  });

  test('keeps the total profit within the maxProfit that applied at the start of the round', async () => {
    const player = await app.newPlayer({ usdt: 1000 });
    const [top, fields] = ['Th Td 8c 9s 9h 9d', { sideBetAmount: '10' }];
    const before = await playLaid(player, top, fields);
    await whileSet(app, 'blackjack', { maxProfit: '100' }, async () => {
      for (const action of ['SPLIT', 'STAND']) await act(player, action);
      expect((await act(player, 'STAND')).body.data).toMatchObject({ betId: before.betId, payout: '290' });
      const capped = await playLaid(player, top, fields, ['SPLIT', 'STAND', 'STAND']);
      expect(capped).toMatchObject({ sideBetPayout: '250', payout: '130' });
      expect(capped.hands.map(({ payout }: { payout: string }) => payout)).toEqual(['20', '20']);
      expect(await cashOf(player)).toBe('1360');
    });
  });
});

test('shows the limits in dollars in the config', async () => {
  const player = await app.newPlayer();
  const { status, body } = await player.call('GET', '/casino/games/house/blackjack/config');
  expect([status, body]).toEqual([200, { minBet: 0.01, maxBet: 1000, maxProfit: 100_000 }]);
});
