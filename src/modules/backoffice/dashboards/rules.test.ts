import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import {
  abcpu,
  arpu,
  atpu,
  averageBet,
  changePercent,
  createRanking,
  dollars,
  type GameFigures,
  type GameOrder,
  inOrder,
  margin,
  NO_PLAY,
  type Play,
  percentOf,
  piesOf,
  quotient,
  ratioOf,
  revenueOf,
  totalOf,
} from './rules.ts';

const play = (staked: string, paid: string, bets = 1n): Play => ({
  bets,
  staked: units(staked),
  paid: units(paid),
});

describe('rounding towards zero', () => {
  test.each([
    ['12.349', 12.34],
    ['0.009', 0],
    ['-0.009', 0],
    ['-12.349', -12.34],
    ['92233720368.54775807', 92233720368.54],
    ['0.1', 0.1],
  ])('rounds %s dollars towards zero', (text, shown) => {
    const amount = text.startsWith('-') ? -units(text.slice(1)) : units(text);
    expect(dollars(amount)).toBe(shown);
    expect(Object.is(dollars(amount), -0)).toBe(false);
  });
  test('returns zero instead of dividing by zero', () => {
    expect(quotient(5n, 0n, 2)).toBe(0);
    expect(percentOf(1n, 0n)).toBe(0);
    expect(ratioOf(1n, 0n)).toBe(0);
    for (const figure of [arpu, atpu, abcpu]) expect(figure(play('1', '0'), 0n)).toBe(0);
    expect(averageBet(NO_PLAY)).toBe(0);
    expect(margin(NO_PLAY)).toBe(0);
  });
  test('computes percentages and ratios, rounded towards zero', () => {
    expect(percentOf(2n, 3n)).toBe(66.66);
    expect(percentOf(-2n, 3n)).toBe(-66.66);
    expect(ratioOf(2n, 3n)).toBe(0.6666);
    expect(ratioOf(3n, 2n)).toBe(1.5);
  });
  test('rounds every amount towards zero by less than a cent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (amount) => {
        const cents = BigInt(Math.round(dollars(amount) * 100));
        const rest = amount - cents * 1_000_000n;
        expect(amount >= 0n ? rest >= 0n : rest <= 0n).toBe(true);
        expect(rest < 1_000_000n && rest > -1_000_000n).toBe(true);
      }),
      { seed: 3 },
    );
  });
});

test('computes the change relative to the absolute value of the previous figure', () => {
  expect(changePercent(150n, 100n)).toBe(50);
  expect(changePercent(50n, 100n)).toBe(-50);
  expect(changePercent(-50n, -100n)).toBe(50);
  expect(changePercent(1n, 3n)).toBe(-66.66);
  expect(changePercent(0n, 3n)).toBe(-100);
  expect(changePercent(5n, 0n)).toBeNull();
  expect(changePercent(0n, 0n)).toBeNull();
});

test('computes figures per player and per bet', () => {
  const all = totalOf([play('1000', '940'), play('0', '0'), play('6', '15')]);
  expect(arpu(all, 3n)).toBe(17);
  expect(atpu(all, 3n)).toBe(335.33);
  expect(abcpu(all, 3n)).toBe(1);
  expect(margin(all)).toBe(5.06);
  expect(averageBet(all)).toBe(335.33);
});

test("computes fees from each provider's GGR in the whole range", () => {
  const plays = [
    { providerId: 1, play: play('100', '0') },
    { providerId: 1, play: play('0', '60') },
    { providerId: 2, play: play('10', '50') },
    { providerId: 0, play: play('5', '0') },
  ];
  const feePpmOf = (id: number) => ({ 1: 100_000n, 2: 500_000n })[id] ?? 0n;
  const { turnover, ggr, ngr, deductions } = revenueOf(plays, [], feePpmOf);
  expect(turnover).toBe(units('115'));
  expect(ggr).toBe(units('5'));
  expect(deductions.providerFees).toBe(units('4'));
  expect(ngr).toBe(units('1'));
  expect(revenueOf([], [], feePpmOf).ngr).toBe(0n);
});

test('computes margin shares from positive margins only, and turnover shares from all game types', () => {
  const pies = piesOf(
    new Map([
      ['SLOTS', play('100', '70')],
      ['HOUSE_GAME', play('50', '60')],
      ['EVO_GAME', play('50', '40')],
    ]),
  );
  expect(pies.gameTypeMarginPie).toEqual([
    { key: 'SLOTS', value: 30, percent: 75 },
    { key: 'HOUSE_GAME', value: -20, percent: 0 },
    { key: 'EVO_GAME', value: 20, percent: 25 },
  ]);
  expect(pies.gameTypeTurnoverPie).toEqual([
    { key: 'SLOTS', value: 100, percent: 50 },
    { key: 'HOUSE_GAME', value: 50, percent: 25 },
    { key: 'EVO_GAME', value: 50, percent: 25 },
  ]);
  expect(piesOf(new Map())).toEqual({ gameTypeMarginPie: [], gameTypeTurnoverPie: [] });
});

describe('the order of games', () => {
  const game = (id: number, name: string, of: Play, players: bigint): GameFigures => ({
    id,
    name,
    play: of,
    players,
  });
  const games = [
    game(1, 'Beta', play('100', '90', 5n), 2n),
    game(2, 'Alpha', play('10', '0', 9n), 1n),
    game(3, 'Delta', play('30', '50', 1n), 3n),
    game(4, 'Gamma', play('0', '0', 2n), 1n),
    game(5, 'Echo', play('200', '180', 5n), 2n),
  ];
  const ids = (by: GameOrder, direction: 'asc' | 'desc') =>
    inOrder(games, { by, direction }).map(({ id }) => id);
  test.each<[GameOrder, number[], number[]]>([
    ['ggr', [5, 1, 2, 4, 3], [3, 4, 1, 2, 5]],
    ['turnover', [5, 1, 3, 2, 4], [4, 2, 3, 1, 5]],
    ['betCount', [2, 1, 5, 4, 3], [3, 4, 1, 5, 2]],
    ['activePlayers', [3, 1, 5, 2, 4], [2, 4, 1, 5, 3]],
    ['margin', [2, 1, 5, 4, 3], [3, 4, 1, 5, 2]],
    ['name', [4, 5, 3, 1, 2], [2, 1, 3, 5, 4]],
  ])(
    'sorts games by %s, and games with equal values by id, in both directions',
    (by, descending, ascending) => {
      expect(ids(by, 'desc')).toEqual(descending);
      expect(ids(by, 'asc')).toEqual(ascending);
    },
  );
  test('compares exact margins instead of rounded ones when it sorts games', () => {
    const close = [game(1, 'a', play('3', '2'), 1n), game(2, 'b', play('300000000', '199999999.99'), 1n)];
    expect(margin(close[0]!.play)).toBe(margin(close[1]!.play));
    expect(inOrder(close, { by: 'margin', direction: 'desc' }).map(({ id }) => id)).toEqual([2, 1]);
  });
});

test('returns the same top entries as a full sort', () => {
  const sum = fc.record({
    userId: fc.integer({ min: 1, max: 50 }),
    amount: fc.bigInt({ min: -5n, max: 20n }),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(sum, { selector: ({ userId }) => userId }),
      fc.integer({ min: 1, max: 8 }),
      (sums, most) => {
        const sorted = sums
          .filter(({ amount }) => amount > 0n)
          .toSorted((a, b) => Number(b.amount - a.amount) || a.userId - b.userId)
          .slice(0, most);
        const ranking = createRanking(most);
        for (const { userId, amount } of sums) ranking.see(userId, amount);
        expect(ranking.first).toEqual(sorted.map(({ userId, amount }) => ({ userId, usdAmount: amount })));
      },
    ),
    { seed: 5 },
  );
});
