import { describe, expect, test } from 'vitest';
import { ONE } from '../../../platform/money.ts';
import { periodStart } from '../../../platform/periods.ts';
import { adminStats, percent, playerStats, type Totals } from './rules.ts';

const NO_ACTIVITY: Totals = {
  bets: 0n,
  wins: 0n,
  wagered: 0n,
  payouts: 0n,
  undecided: 0n,
  biggestWin: 0n,
  bestMultiplier: 0n,
  deposits: 0n,
  withdraws: 0n,
};

test.each([
  [0n, 0n, 0],
  [0n, 7n, 0],
  [7n, 7n, 100],
  [1n, 3n, 33.33],
  [2n, 3n, 66.66],
  [99_999n, 100_000n, 99.99],
  [3n, 2n, 150],
  [1n, 100_000n, 0],
  [10n ** 30n, 10n ** 28n, 10_000],
])('computes %s of %s as %s percent, rounded down', (part, whole, shown) => {
  expect(percent(part, whole)).toBe(shown);
});

test('returns zeros for a user without activity', () => {
  const { totalBets, rtp, winRate, ...amounts } = adminStats(NO_ACTIVITY);
  expect([totalBets, rtp, winRate]).toEqual([0, 0, 0]);
  expect(new Set(Object.values(amounts))).toEqual(new Set(['0']));
  expect(playerStats(NO_ACTIVITY)).toEqual({
    wageredUsd: '0',
    profitUsd: '0',
    betCount: 0,
    winCount: 0,
    biggestWinUsd: '0',
    bestMultiplier: 0,
  });
});

test('computes the statistics of a losing and a winning player', () => {
  const lost: Totals = {
    bets: 3n,
    wins: 1n,
    wagered: 10n * ONE,
    payouts: 4n * ONE,
    undecided: 0n,
    biggestWin: 4n * ONE,
    bestMultiplier: 19_801n,
    deposits: 50n * ONE,
    withdraws: 20n * ONE,
  };
  expect(adminStats(lost)).toEqual({
    totalWagered: '10',
    totalPayouts: '4',
    totalDeposits: '50',
    totalWithdraws: '20',
    ltv: '30',
    netDeposit: '30',
    ggr: '6',
    avgBet: '3.33333333',
    totalLoss: '6',
    totalBets: 3,
    rtp: 40,
    winRate: 33.33,
  });
  expect(playerStats(lost)).toMatchObject({ profitUsd: '-6', biggestWinUsd: '4', bestMultiplier: 1.9801 });
  const ahead = { ...lost, payouts: 25n * ONE, deposits: 0n };
  expect(adminStats(ahead)).toMatchObject({
    ggr: '-15',
    totalLoss: '0',
    netDeposit: '-20',
    ltv: '-20',
    rtp: 250,
  });
  expect(playerStats(ahead)).toMatchObject({ profitUsd: '15' });
});

test('keeps every digit of sums that are too large for a float', () => {
  const wagered = 10n ** 27n + 1n;
  expect(adminStats({ ...NO_ACTIVITY, bets: 1n, wagered })).toMatchObject({
    totalWagered: '10000000000000000000.00000001',
    avgBet: '10000000000000000000.00000001',
    ggr: '10000000000000000000.00000001',
  });
});

describe('periodStart', () => {
  const starts = (at: string) =>
    (['HOUR', 'DAY', 'WEEK', 'MONTH'] as const).map((p) =>
      (periodStart(p, new Date(at)) as Date).toISOString(),
    );
  const midnights = (...days: string[]) => days.map((day) => `${day}T00:00:00.000Z`);

  test.each([
    [
      'the last moment of a Sunday',
      '2026-11-22T23:59:59.999Z',
      '23',
      '2026-11-22',
      '2026-11-16',
      '2026-11-01',
    ],
    [
      'the first moment of a Monday',
      '2026-11-23T00:00:00.000Z',
      '00',
      '2026-11-23',
      '2026-11-23',
      '2026-11-01',
    ],
    [
      'the last moment of a month',
      '2026-10-31T23:59:59.999Z',
      '23',
      '2026-10-31',
      '2026-10-26',
      '2026-10-01',
    ],
    [
      'a month that begins on a Sunday',
      '2026-11-01T00:00:00.000Z',
      '00',
      '2026-11-01',
      '2026-10-26',
      '2026-11-01',
    ],
    [
      'New Year in the middle of a week',
      '2027-01-01T12:30:00.000Z',
      '12',
      '2027-01-01',
      '2026-12-28',
      '2027-01-01',
    ],
    ['a leap day', '2028-02-29T05:00:00.001Z', '05', '2028-02-29', '2028-02-28', '2028-02-01'],
    ['the end of February', '2027-02-28T23:59:59.999Z', '23', '2027-02-28', '2027-02-22', '2027-02-01'],
    [
      'an hour that clocks elsewhere skip',
      '2026-03-29T01:30:00.000Z',
      '01',
      '2026-03-29',
      '2026-03-23',
      '2026-03-01',
    ],
  ])('returns UTC boundaries at %s', (_, at, hour, day, week, month) => {
    expect(starts(at)).toEqual([`${at.slice(0, 11)}${hour}:00:00.000Z`, ...midnights(day, week, month)]);
    expect(periodStart('ALL', new Date(at))).toBe('-infinity');
  });
});
