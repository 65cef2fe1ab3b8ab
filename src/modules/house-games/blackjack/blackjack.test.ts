import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts.ts';
import { cashOf, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { act, active, cards, deal, lay, playLaid } from '../../../../test/kit/blackjack.ts';
import { formatUnits, units } from '../../../platform/money.ts';
import { stream } from '../../fairness/hash.ts';
import { shuffledDeck } from './cards/rules.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const minus = (a: string, b: string) => Number(units(a) - units(b)) / 1e8;
const setBalance = (userId: number, currencyId: string, amount: string) =>
  app.call('POST', '/debug/user/action', {
    body: { userId, action: 'SET_BALANCE', params: { currencyId, amount } },
  });

describe('a round', () => {
  test('as it is shown, from the deal to the end', async () => {
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
          ...{ cards: cards('8h 8d'), total: 16, isSoft: false, isBlackjack: false, isBust: false },
          ...{ isDoubled: false, betAmount: '10', result: null, payout: null },
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
        ...{ id: begun.body.data.betId, status: 'SETTLED', amount: '26.5', usdAmount: '26.5' },
        ...{ payout: '57.5', usdPayout: '57.5', multiplier: 2.1698, game: { slug: 'blackjack' } },
      },
    ]);
  });

  test('is nobody else’s', async () => {
    const [player, other] = [await app.newPlayer({ usdt: 20 }), await app.newPlayer({ usdt: 20 })];
    expect(await active(player)).toBeNull();
    await lay(player, 'Th 9d 7c Ts');
    expect(await active(other)).toBeNull();
    expect(codeOf(await act(other, 'STAND'))).toBe('404 ROUND_NOT_FOUND');
  });

  test('keeps its bet out of the settled ones, and its cards out of every list, until it ends', async () => {
    const player = await app.newPlayer({ usdt: 20 });
    const { betId } = await playLaid(player, 'Th 9d 7c Ts');
    expect(codeOf(await player.call('GET', `/bets/house-games/info/${betId}`))).toBe('404 BET_NOT_FOUND');
    expect(codeOf(await player.call('GET', `/fairness/bets/${betId}`))).toBe('404 BET_NOT_FOUND');
    await act(player, 'STAND');
    const { game } = (await player.call('GET', `/bets/house-games/info/${betId}`)).body;
    expect(game.inputs).toEqual({
      ...{ betAmount: '10', sideBetAmount: null, actions: ['STAND'], deck: cards('Th 9d 7c Ts') },
    });
    expect(game.outcome).toMatchObject({
      dealer: { cards: cards('7c Ts'), total: 17 },
      hands: [{ cards: cards('Th 9d'), result: 'WIN' }],
      ...{ insuranceResult: null, sideBetResult: null },
    });
  });
});

describe('what comes of it', () => {
  const P = 'PLAYER_TURN';
  /** Deck, actions, the balance after a bet of 10 out of 100, results, the dealer's cards. */
  test.each([
    ['player natural, ten up', 'Ah Kd Qc 5s', [], '115', ['BLACKJACK'], 'Qc 5s'],
    ['player natural, two up', 'Ah Kd 2c 5s', [], '115', ['BLACKJACK'], '2c 5s'],
    ['player natural, nine up', 'Ah Kd 9c 5s', [], '115', ['BLACKJACK'], '9c 5s'],
    ['dealer natural, ten up', 'Th 9d Qc As', [], '90', ['LOSE'], 'Qc As'],
    ['both natural, ten up', 'Th Ad Qc As', [], '100', ['PUSH'], 'Qc As'],
    ['player natural, ace up, stand', 'Ah Kd Ac 5s', ['STAND'], '115', ['BLACKJACK'], 'Ac 5s'],
    ['player natural, ace up, insured', 'Ah Kd Ac 5s', ['INSURANCE'], '110', ['BLACKJACK'], 'Ac 5s'],
    ['both natural, ace up, stand', 'Ah Kd Ac Ts', ['STAND'], '100', ['PUSH'], 'Ac Ts'],
    ['both natural, ace up, insured', 'Ah Kd Ac Ts', ['INSURANCE'], '110', ['PUSH'], 'Ac Ts'],
    ['dealer natural, ace up, stand', 'Th 9d Ac Ts', ['STAND'], '90', ['LOSE'], 'Ac Ts'],
    ['dealer natural, ace up, hit', 'Th 2d Ac Ts 9c', ['HIT'], '90', ['LOSE'], 'Ac Ts'],
    ['dealer natural, ace up, insured', 'Th 9d Ac Ts', ['INSURANCE'], '100', ['LOSE'], 'Ac Ts'],
    ['dealer natural takes no double', '6h 5d Ac Ts', ['DOUBLE'], '90', ['LOSE'], 'Ac Ts'],
    ['dealer natural takes no split', '8h 8d Ac Ts', ['SPLIT'], '90', ['LOSE'], 'Ac Ts'],
    ['insurance lost, hand won', 'Th 9d Ac 7s', ['INSURANCE', 'STAND'], '105', ['WIN'], 'Ac 7s'],
    ['insurance lost, double won', '6h 5d Ac 7s 9c', ['INSURANCE', 'DOUBLE'], '115', ['WIN'], 'Ac 7s'],
    ['double won', '6h 5d 7c Ts 9c', ['DOUBLE'], '120', ['WIN'], '7c Ts'],
    ['double lost', '6h 4d 7c Ts 2c', ['DOUBLE'], '80', ['LOSE'], '7c Ts'],
    ['double pushed', '6h 4d 7c Ts 7h', ['DOUBLE'], '100', ['PUSH'], '7c Ts'],
    ['bust', 'Th 6d 6c Ts Kc', ['HIT'], '90', ['LOSE'], '6c Ts'],
    ['21 stands by itself', 'Th 6d 7c Ts 5c', ['HIT'], '110', ['WIN'], '7c Ts'],
    ['dealer bust', 'Th 2d 6c Ts Kc', ['STAND'], '110', ['WIN'], '6c Ts Kc'],
    ['dealer draws on soft 17', 'Th 8d 6c As 4c', ['STAND'], '90', ['LOSE'], '6c As 4c'],
    ['dealer stands on hard 17', 'Th 7d Tc 7s 4c', ['STAND'], '100', ['PUSH'], 'Tc 7s'],
    [
      'split of kings and tens',
      'Kh Td 7c Ts 9c 6h',
      ['SPLIT', 'STAND', 'STAND'],
      '100',
      ['WIN', 'LOSE'],
      '7c Ts',
    ],
    ['split aces stand', 'Ah Ad 7c Ts Kc 5c', ['SPLIT'], '100', ['WIN', 'LOSE'], '7c Ts'],
    ['split 21 is no natural', 'Kh Qd 7c Ts Ac As', ['SPLIT'], '120', ['WIN', 'WIN'], '7c Ts'],
    [
      'both split hands bust',
      'Th Td 6c Ts 5c 6d 9h 8h',
      ['SPLIT', 'HIT', 'HIT'],
      '80',
      ['LOSE', 'LOSE'],
      '6c Ts',
    ],
    [
      'one split hand bust',
      'Th Td 6c Ts 5c 9c 9h 8h',
      ['SPLIT', 'HIT', 'STAND'],
      '100',
      ['LOSE', 'WIN'],
      '6c Ts 8h',
    ],
  ] as [string, string, string[], string, string[], string][])(
    '%s',
    async (_, top, actions, balance, results, dealer) => {
      const player = await app.newPlayer({ usdt: 100 });
      const end = await playLaid(player, top, {}, actions);
      expect(end).toMatchObject({ status: 'FINISHED', activeHandIndex: null, availableActions: [] });
      expect(end.hands.map(({ result }: { result: string }) => result)).toEqual(results);
      expect(end.dealer).toMatchObject({ cards: cards(dealer), hiddenCards: 0 });
      expect(end.finishedAt).toBeTypeOf('string');
      expect(await cashOf(player)).toBe(balance);
      expect(await active(player)).toBeNull();
      expect(codeOf(await act(player, 'STAND'))).toBe('404 ROUND_NOT_FOUND');
    },
  );

  test.each([
    ['natural, ace up', 'Ah Kd Ac 5s', [], P, ['STAND', 'INSURANCE']],
    ['20, ace up', 'Th Kd Ac 5s', [], P, ['HIT', 'STAND', 'SPLIT', 'INSURANCE']],
    ['11, ace up', '6h 5d Ac 5s', [], P, ['HIT', 'STAND', 'DOUBLE', 'INSURANCE']],
    ['fives, ace up', '5h 5d Ac 5s', [], P, ['HIT', 'STAND', 'DOUBLE', 'SPLIT', 'INSURANCE']],
    ['fives, six up', '5h 5d 6c 5s', [], P, ['HIT', 'STAND', 'DOUBLE', 'SPLIT']],
    ['aces, six up', 'Ah Ad 6c 5s', [], P, ['HIT', 'STAND', 'SPLIT']],
    ['soft 20, six up', 'Ah 9d 6c 5s', [], P, ['HIT', 'STAND']],
    ['insured', '5h 5d Ac 5s', ['INSURANCE'], P, ['HIT', 'STAND', 'DOUBLE', 'SPLIT']],
    ['after a hit that makes 11', '2h 3d 6c 5s 6h', ['HIT'], P, ['HIT', 'STAND']],
    ['after a split that makes 11', '8h 8d 6c 5s 3h 2h', ['SPLIT'], P, ['HIT', 'STAND']],
    ['after a split that makes a pair', '8h 8d 6c 5s 8c 2h', ['SPLIT'], P, ['HIT', 'STAND']],
  ])(
    'what may be done, whether or not there is money for it: %s',
    async (_, top, actions, status, available) => {
      const player = await app.newPlayer({ usdt: actions.length > 0 ? 20 : 10 });
      expect(await playLaid(player, top, {}, actions)).toMatchObject({ status, availableActions: available });
      for (const action of ['HIT', 'STAND', 'DOUBLE', 'SPLIT', 'INSURANCE'].filter(
        (a) => !available.includes(a),
      ))
        expect(codeOf(await act(player, action))).toBe('409 ACTION_NOT_ALLOWED');
    },
  );
});

describe('perfect pair', () => {
  test.each([
    ['coloured, hand lost', '8h 8d 9c Ts', ['STAND'], 'COLORED_PAIR', '25', '114'],
    ['mixed, hand lost', '8h 8c 9c Ts', ['STAND'], 'MIXED_PAIR', '12', '101'],
    ['none, hand lost', '8h 9d 9c Ts', ['STAND'], 'NONE', '0', '89'],
    ['equal value of another rank', 'Jh Qd 9c Ts', ['STAND'], 'NONE', '0', '109'],
    ['coloured, dealer natural at once', '8h 8d Tc As', [], 'COLORED_PAIR', '25', '114'],
    ['coloured, dealer natural before the split', '8h 8d Ac Ts', ['SPLIT'], 'COLORED_PAIR', '25', '114'],
    ['mixed, split and lost', '8h 8c 9c Ts 2h 2d', ['SPLIT', 'STAND', 'STAND'], 'MIXED_PAIR', '12', '91'],
    ['coloured, bust', 'Th Td 9c 8s 5c', ['HIT'], 'COLORED_PAIR', '25', '114'],
  ] as [string, string, string[], string, string, string][])(
    '%s',
    async (_, top, actions, result, payout, balance) => {
      const player = await app.newPlayer({ usdt: 100 });
      const end = await playLaid(player, top, { sideBetAmount: '1' }, actions);
      expect(end).toMatchObject({ status: 'FINISHED', sideBetResult: result, sideBetPayout: payout });
      expect(await cashOf(player)).toBe(balance);
    },
  );

  test.each([[undefined], [null], ['0'], ['0.00']])('a side bet of %j is none', async (sideBetAmount) => {
    const player = await app.newPlayer({ usdt: 100 });
    const end = await playLaid(player, '8h 8d 9c Ts', { sideBetAmount }, ['STAND']);
    expect(end).toMatchObject({ sideBetAmount: null, sideBetResult: null, sideBetPayout: null, payout: '0' });
    expect(await cashOf(player)).toBe('90');
  });
});

describe('amounts', () => {
  test.each([
    ['a natural on one cent', '0.01', 'Ah Kd 9c 5s', [], '0.02', null],
    ['a natural on three cents', '0.03', 'Ah Kd 9c 5s', [], '0.07', null],
    ['insurance on three cents', '0.03', 'Th 9d Ac Ks', ['INSURANCE'], '0.03', '0.01'],
    ['a double on three cents', '0.03', '6h 5d 7c Ts 9c', ['DOUBLE'], '0.12', null],
  ] as [string, string, string, string[], string, string | null][])(
    'of two decimals are rounded down: %s',
    async (_, betAmount, top, actions, payout, insuranceAmount) => {
      const player = await app.newPlayer();
      await setBalance(player.id, 'USD', '1');
      const end = await playLaid(player, top, { currencyId: 'USD', betAmount }, actions);
      expect(end).toMatchObject({ status: 'FINISHED', payout, insuranceAmount });
    },
  );

  test('an insurance that rounds to nothing is refused, and the offer stays', async () => {
    const player = await app.newPlayer();
    await setBalance(player.id, 'USD', '1');
    const open = await playLaid(player, 'Th 9d Ac Ks', { currencyId: 'USD', betAmount: '0.01' });
    expect(codeOf(await act(player, 'INSURANCE'))).toBe('400 AMOUNT_OUT_OF_RANGE');
    expect(await active(player)).toEqual(open);
    expect((await act(player, 'STAND')).body.data).toMatchObject({ status: 'FINISHED', payout: '0' });
  });

  test('of another currency are taken and paid in it, at the rate of the start, each part rounded by itself', async () => {
    const player = await app.newPlayer();
    await setBalance(player.id, 'BTC', '1');
    const { rate } = app.services.currencies.rateOf('BTC');
    const inBtc = (usd: string) => (units(usd) * 10n ** 12n) / rate;
    const fields = { currencyId: 'BTC', betAmount: '1.23', sideBetAmount: '0.77' };
    const end = await playLaid(player, 'Th Td Ac 6s 9c 8h', fields, ['INSURANCE', 'SPLIT', 'STAND', 'STAND']);
    const stake = inBtc('1.23');
    const staked = 2n * stake + stake / 2n + inBtc('0.77');
    // One hand wins, one pushes, and the pair is coloured.
    const paid = 3n * stake + 25n * inBtc('0.77');
    expect(end.hands.map(({ result }: { result: string }) => result)).toEqual(['WIN', 'PUSH']);
    expect(await cashOf(player, 'BTC')).toBe(formatUnits(units('1') - staked + paid));
    const { body } = await player.call('GET', '/bets');
    expect(body.data[0]).toMatchObject({ amount: formatUnits(staked), payout: formatUnits(paid) });
    expect(body.data[0]).toMatchObject({ usdAmount: '3.845', usdPayout: end.payout });
  });

  test('the profit over the whole round stays within maxProfit', async () => {
    const set = (maxProfit: string) =>
      app.sql`update games set settings = jsonb_set(settings::jsonb, '{maxProfit}', ${JSON.stringify(maxProfit)}::jsonb)
        where slug = 'blackjack'`.execute(app.db);
    const limit = () => app.services.games.get('blackjack').settings.maxProfit;
    const player = await app.newPlayer({ usdt: 1000 });
    const before = await playLaid(player, 'Th Td 8c 9s 9h 9d', { sideBetAmount: '10' });
    await set('100');
    await expect.poll(limit, { timeout: 5000 }).toBe(units('100'));
    // A change counts for later rounds.
    for (const action of ['SPLIT', 'STAND']) await act(player, action);
    expect((await act(player, 'STAND')).body.data).toMatchObject({ betId: before.betId, payout: '290' });
    const capped = await playLaid(player, 'Th Td 8c 9s 9h 9d', { sideBetAmount: '10' }, [
      ...['SPLIT', 'STAND', 'STAND'],
    ]);
    expect(capped).toMatchObject({ sideBetPayout: '250', payout: '130' });
    expect(capped.hands.map(({ payout }: { payout: string }) => payout)).toEqual(['20', '20']);
    expect(await cashOf(player)).toBe('1360');
    await set('100000');
    await expect.poll(limit, { timeout: 5000 }).toBe(units('100000'));
  });
});

describe('from seeds', () => {
  const seedsOf = async (player: Player) => (await player.call('GET', '/fairness/seeds')).body;

  test('100 rounds: one nonce each, nothing hidden in any answer, and all come out the same when the seed is known', async () => {
    const player = await app.newPlayer({ usdt: 10_000 });
    const played: { states: any[]; balance: [string, string] }[] = [];
    for (let round = 0; round < 100; round++) {
      const before = await cashOf(player);
      const states = [(await deal(player, { betAmount: '1', sideBetAmount: '0.5' })).body.data];
      while (states.at(-1).status === 'PLAYER_TURN') {
        const { availableActions } = states.at(-1);
        expect(await active(player)).toEqual(states.at(-1));
        const answer = await act(player, availableActions[(round + states.length) % availableActions.length]);
        expect(answer.status).toBe(201);
        states.push(answer.body.data);
      }
      played.push({ states, balance: [before, await cashOf(player)] });
    }
    expect((await seedsOf(player)).nonce).toBe(100);
    const { clientSeed } = await seedsOf(player);
    const rotated = await player.call('POST', '/fairness/seeds/rotate', { body: { clientSeed: 'next' } });
    expect(rotated.status).toBe(201);
    for (const [nonce, { states, balance }] of played.entries()) {
      const last = states.at(-1);
      const { body } = await player.call('GET', `/fairness/bets/${last.betId}`);
      expect(body).toMatchObject({ verified: true, nonce, clientSeed, inputs: { betAmount: '1' } });
      const deck = shuffledDeck(stream(body.serverSeed, clientSeed, nonce));
      for (const state of states.slice(0, -1)) {
        const mine = state.hands.flatMap((hand: { cards: number[] }) => hand.cards);
        expect(state.dealer).toMatchObject({ cards: [deck[2]], hiddenCards: 1, isBlackjack: false });
        expect(new Set(mine)).toEqual(new Set([deck[0], deck[1], ...deck.slice(4, mine.length + 2)]));
        expect(new Set(Object.keys(state))).toEqual(new Set(Object.keys(last)));
      }
      const staked = last.hands.reduce((sum: number, { betAmount }: any) => sum + Number(betAmount), 0.5);
      const change = Number(last.payout) - staked - Number(last.insuranceAmount ?? 0);
      expect(minus(balance[1], balance[0])).toBeCloseTo(change, 6);
    }
    const actions = new Set(played.flatMap(({ states }) => states.length));
    expect(actions.size).toBeGreaterThan(2);
  });

  test('what lies in the database of an open round tells no hidden card; a laid deck takes no nonce and has no proof', async () => {
    const player = await app.newPlayer({ usdt: 1000 });
    let open = (await deal(player)).body.data;
    for (let i = 0; open.status !== 'PLAYER_TURN'; i++) {
      expect(i).toBeLessThan(30);
      open = (await deal(player)).body.data;
    }
    const row = await app.db
      .selectFrom('rounds')
      .select('state')
      .where('user_id', '=', player.id)
      .executeTakeFirstOrThrow();
    expect(row.state).toEqual({
      ...{ betAmount: '10', sideBetAmount: null, actions: [] },
      table: {
        hands: [{ cards: open.hands[0].cards, isDoubled: false }],
        ...{ dealer: open.dealer.cards, active: 0 },
        insurance: open.dealer.total === 11 ? 'OFFERED' : 'NONE',
      },
    });
    const bet = await app.db
      .selectFrom('bets')
      .selectAll()
      .where('id', '=', open.betId)
      .executeTakeFirstOrThrow();
    expect([bet.status, bet.inputs, bet.outcome]).toEqual(['CREATED', null, null]);
    const { nonce } = await seedsOf(player);
    while (await active(player)) await act(player, 'STAND');
    const laid = await playLaid(player, 'Th 9d 7c Ts', {}, ['STAND']);
    expect((await seedsOf(player)).nonce).toBe(nonce);
    expect(codeOf(await player.call('GET', `/fairness/bets/${laid.betId}`))).toBe('404 BET_NOT_FOUND');
  });
});

test('config shows the limits in dollars', async () => {
  const player = await app.newPlayer();
  const { status, body } = await player.call('GET', '/casino/games/house/blackjack/config');
  expect([status, body]).toEqual([200, { minBet: 0.01, maxBet: 1000, maxProfit: 100_000 }]);
});
