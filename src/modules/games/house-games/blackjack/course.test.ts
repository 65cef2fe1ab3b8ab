import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { cashOf, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { act, active, cards, playLaid } from '../../../../../test/kit/games/blackjack.ts';

const app = fixture(startApp);

describe('results', () => {
  const P = 'PLAYER_TURN';
  /** The columns are the deck, the actions, the balance after a bet of 10 out of 100, the results and the dealer's cards. */
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
    ['21 stands automatically', 'Th 6d 7c Ts 5c', ['HIT'], '110', ['WIN'], '7c Ts'],
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
    ['split 21 is not a natural', 'Kh Qd 7c Ts Ac As', ['SPLIT'], '120', ['WIN', 'WIN'], '7c Ts'],
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
    'offers the allowed actions regardless of the balance: %s',
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
    ['no pair, hand lost', '8h 9d 9c Ts', ['STAND'], 'NONE', '0', '89'],
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

  test.each([[undefined], [null], ['0'], ['0.00']])('ignores a side bet of %j', async (sideBetAmount) => {
    const player = await app.newPlayer({ usdt: 100 });
    const end = await playLaid(player, '8h 8d 9c Ts', { sideBetAmount }, ['STAND']);
    expect(end).toMatchObject({ sideBetAmount: null, sideBetResult: null, sideBetPayout: null, payout: '0' });
    expect(await cashOf(player)).toBe('90');
  });
});
