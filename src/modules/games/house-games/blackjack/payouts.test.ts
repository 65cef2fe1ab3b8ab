import { describe, expect, test } from 'vitest';
import { cards } from '../../../../../test/kit/games/blackjack.ts';
import { formatUnits, parseRate, units } from '../../../../platform/money.ts';
import {
  type Amounts,
  betsOf,
  firstTwo,
  paidFor,
  partsOf,
  priceOf,
  type RoundTerms,
  stakesOn,
} from './rules.ts';
import { type Action, act, deal, laidDeck } from './table/rules.ts';

const terms = (rate = '1', decimals = 2, maxProfit = '100000'): RoundTerms => ({
  rate: parseRate(rate)!,
  decimals,
  maxProfitUsd: units(maxProfit),
});
const bets = (betAmount: string, sideBetAmount: string | null = null): Amounts => ({
  betAmount,
  sideBetAmount,
});

const tableOf = (top: string, ...actions: Action[]) => {
  const deck = laidDeck(cards(top));
  return actions.reduce((table, action) => act(table, action, deck)!, deal(deck));
};

/** Returns the payout of a finished round as strings: [dollars, currency]. */
const paid = (amounts: Amounts, top: string, on: RoundTerms, ...actions: Action[]): [string, string] => {
  const { payoutUsd, payout } = paidFor(partsOf(amounts, tableOf(top, ...actions), on), on);
  return [formatUnits(payoutUsd), formatUnits(payout)];
};
const usd = (amounts: Amounts, top: string, ...actions: Action[]) =>
  paid(amounts, top, terms(), ...actions)[0];

const NATURAL = 'Ah Kd 9c 5s';
const BOTH_NATURAL = 'Ah Kd Qc As';
const WIN = ['Th 9d 8c Ts', 'STAND'] as const;
const PUSH = ['Th 8d 8c Ts', 'STAND'] as const;
const LOSE = ['Th 7d 8c Ts', 'STAND'] as const;

describe('hands', () => {
  test.each([
    ['a natural pays 2.5', bets('10'), [NATURAL], '25'],
    ['a natural on an odd amount is rounded down', bets('0.01'), [NATURAL], '0.02'],
    ['a natural on three cents', bets('0.03'), [NATURAL], '0.07'],
    ['two naturals give the stake back', bets('0.03'), [BOTH_NATURAL], '0.03'],
    ['a win pays 2', bets('0.03'), WIN, '0.06'],
    ['a push gives the stake back', bets('0.03'), PUSH, '0.03'],
    ['a loss pays nothing', bets('0.03'), LOSE, '0'],
    ['a bust pays nothing', bets('5'), ['Th 6d 6c Ts Kc', 'HIT'], '0'],
    ['a bust dealer pays 2', bets('5'), ['Th 6d 6c Ts Kc', 'STAND'], '10'],
    ['a double pays 2 on both stakes', bets('0.03'), ['6h 5d 8c Ts 9c', 'DOUBLE'], '0.12'],
    ['a double that ties gives both stakes back', bets('0.03'), ['6h 5d 8c Ts 7c', 'DOUBLE'], '0.06'],
    ['a double that loses', bets('0.03'), ['6h 5d 8c Ts 2c', 'DOUBLE'], '0'],
    ['a split with a win and a push', bets('1'), ['Th Td 8c Ts 9c 8h', 'SPLIT', 'STAND', 'STAND'], '3'],
    ['split aces with 21 pay 2, not 2.5', bets('1'), ['Ah Ad 8c Ts Kc Qc', 'SPLIT'], '4'],
  ] as [string, Amounts, [string, ...Action[]], string][])(
    '%s',
    (_, amounts, [top, ...actions], expected) => {
      expect(usd(amounts, top, ...actions)).toBe(expected);
    },
  );
});

describe('insurance', () => {
  const DEALER = 'Th 9d Ac Ks';
  test.each([
    ['pays 3 on half of the stake', bets('10'), DEALER, '15'],
    ['on the half rounded down', bets('0.03'), DEALER, '0.03'],
    ['with a player natural, and returns the stake', bets('10'), 'Ah Kd Ac Ks', '25'],
    ['is lost without a dealer natural', bets('10'), 'Ah Kd Ac 9s', '25'],
  ])('%s', (_, amounts, top, expected) => {
    expect(usd(amounts, top, 'INSURANCE')).toBe(expected);
  });

  test('pays no insurance when the player declined it', () => {
    expect(usd(bets('10'), DEALER, 'STAND')).toBe('0');
  });

  test('rounds down insurance (half the stake), separately in the currency and in dollars', () => {
    const price = (amount: string, on: RoundTerms) => {
      const money = priceOf('INSURANCE', bets(amount), on)!;
      return [formatUnits(money.usd), formatUnits(money.units)];
    };
    expect(price('0.03', terms('1', 2))).toEqual(['0.01', '0.01']);
    expect(price('0.03', terms('1', 6))).toEqual(['0.015', '0.015']);
    expect(price('0.01', terms('1', 2))).toEqual(['0', '0']);
    expect(price('0.000001', terms('1', 6))).toEqual(['0', '0']);
    expect(price('3', terms('1', 0))).toEqual(['1.5', '1']);
    expect(price('0.01', terms('0.001', 2))).toEqual(['0', '5']);
    expect(price('1', terms('60000', 8))).toEqual(['0.5', '0.00000833']);
  });
});

describe('perfect pair', () => {
  test.each([
    ['a coloured pair pays 25', bets('1', '0.01'), ['8h 8d 9c Ts', 'STAND'], '0.25'],
    ['a mixed pair pays 12', bets('1', '0.03'), ['8h 8s 9c Ts', 'STAND'], '0.36'],
    ['no pair pays nothing', bets('1', '1'), LOSE, '0'],
    ['with a win', bets('1', '1'), ['Th Td 8c 9s', 'STAND'], '27'],
    ['with a dealer natural', bets('1', '1'), ['8h 8d Tc As'], '25'],
    ['with two bust hands', bets('1', '1'), ['Th Td 6c Ts 5c 6d 9h 8h', 'SPLIT', 'HIT', 'HIT'], '25'],
    [
      'by the first two cards also after a split',
      bets('1', '1'),
      ['8h 8c 7c Ts 8d 8s', 'SPLIT', 'STAND', 'STAND'],
      '12',
    ],
  ] as [string, Amounts, [string, ...Action[]], string][])(
    '%s',
    (_, amounts, [top, ...actions], expected) => {
      expect(usd(amounts, top, ...actions)).toBe(expected);
    },
  );

  test('decides a perfect pair by the first two cards only', () => {
    const dealt = cards('8h 8c');
    expect(firstTwo(tableOf('8h 8c 7c Ts 2d'))).toEqual(dealt);
    expect(firstTwo(tableOf('8h 8c 7c Ts 2d', 'HIT'))).toEqual(dealt);
    expect(firstTwo(tableOf('8h 8c 7c Ts 8d 8s', 'SPLIT', 'HIT'))).toEqual(dealt);
  });

  test('pays nothing for a perfect pair without the side bet', () => {
    const parts = partsOf(bets('1'), tableOf('8h 8d 9c Ts', 'STAND'), terms());
    expect(parts.side).toBeUndefined();
  });
});

describe('currencies', () => {
  test('rounds each part of a payout down separately in dollars and in the currency', () => {
    // The natural pays 2.5 times the stake. In dollars: 0.07 pays 0.175 → 0.17. In the currency: 0.07 / 0.3 → 0.23 pays 0.575 → 0.57.
    expect(paid(bets('0.07'), NATURAL, terms('0.3', 2))).toEqual(['0.17', '0.57']);
    // The side bet pays 25 times the stake. In dollars: 0.05 pays 1.25. In the currency: 0.05 / 0.3 → 0.16 pays 4. Both hands of the split
    // lose.
    const split = ['Th Td 8c 9s 5c 6d', 'SPLIT', 'STAND', 'STAND'] as const;
    expect(paid(bets('0.07', '0.05'), split[0], terms('0.3', 2), 'SPLIT', 'STAND', 'STAND')).toEqual([
      '1.25',
      '4',
    ]);
    // The currency has no decimals, so 3 pays 7.5 → 7. Dollar amounts still have two decimals.
    expect(paid(bets('3'), NATURAL, terms('1', 0))).toEqual(['7.5', '7']);
    expect(paid(bets('1'), NATURAL, terms('60000', 8))).toEqual(['2.5', '0.00004165']);
  });

  test('converts stakes from dollars at the rate of the round', () => {
    const { bet, side } = betsOf(bets('1', '0.5'), terms('60000', 8));
    expect([bet.units, side!.units].map(formatUnits)).toEqual(['0.00001666', '0.00000833']);
    expect(betsOf(bets('1'), terms()).side).toBeUndefined();
  });

  test('charges the first stake again for a double or a split, but nothing for a hit or a stand', () => {
    const price = (action: Action) => priceOf(action, bets('1'), terms('60000', 8));
    for (const action of ['DOUBLE', 'SPLIT'] as const)
      expect(price(action)).toEqual({ usd: units('1'), units: units('0.00001666') });
    expect([price('HIT'), price('STAND')]).toEqual([undefined, undefined]);
    expect(stakesOn(tableOf('8h 8d 7c Ts'))).toBe(1);
    expect(stakesOn(tableOf('8h 8d 7c Ts', 'SPLIT'))).toBe(2);
    expect(stakesOn(tableOf('6h 5d 7c Ts', 'DOUBLE'))).toBe(2);
  });
});

describe('cap', () => {
  test.each([
    ['exactly at the cap', '15', '25'],
    ['one cent above it', '14.99', '24.99'],
    ['far above it', '0.5', '10.5'],
  ])('limits the payout of a natural: %s', (_, maxProfit, expected) => {
    expect(paid(bets('10'), NATURAL, terms('1', 2, maxProfit))[0]).toBe(expected);
  });

  test('limits the payout to maxProfit plus the total stake, including double, split, insurance and side bet', () => {
    // A total of 30 is staked: two hands of 10 and a side bet of 10. Without the cap, the round would pay 40 + 250.
    const side = ['Th Td 8c 9s 9h 9d', 'SPLIT', 'STAND', 'STAND'] as const;
    const capped = (maxProfit: string) =>
      paid(bets('10', '10'), side[0], terms('1', 2, maxProfit), 'SPLIT', 'STAND', 'STAND')[0];
    expect(capped('260')).toBe('290');
    expect(capped('259.99')).toBe('289.99');
    expect(capped('100')).toBe('130');
    // The stakes are 10 and 5, and the payout is 15. There is no profit, so nothing is capped.
    expect(paid(bets('10'), 'Th 9d Ac Ks', terms('1', 2, '0'), 'INSURANCE')[0]).toBe('15');
    expect(paid(bets('10'), '6h 5d 8c Ts 9c', terms('1', 2, '3'), 'DOUBLE')[0]).toBe('23');
  });

  test('offsets the profit of one part by the loss of another', () => {
    // The stakes are 10 and 10. The side bet loses and the hand pays 20, so there is no profit.
    expect(paid(bets('10', '10'), WIN[0], terms('1', 2, '1'), 'STAND')[0]).toBe('20');
  });

  test('rounds the cap down in the currency', () => {
    expect(paid(bets('10'), NATURAL, terms('3', 2, '1'))).toEqual(['11', '3.66']);
  });

  test('shows the uncapped amount of each part of a capped payout', () => {
    const parts = partsOf(bets('10'), tableOf(NATURAL), terms('1', 2, '1'));
    expect(formatUnits(parts.hands[0]!.paid.usd)).toBe('25');
  });
});
