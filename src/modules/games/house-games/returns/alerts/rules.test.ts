import { describe, expect, test } from 'vitest';
import { ONE } from '../../../../../platform/money.ts';
import { noSums } from '../sums/rules.ts';
import { judge, lastMidnight, lastWholeDay, type Verdict, type Watch, watch, windowMs } from './rules.ts';

/** One dollar per bet, an expected RTP of 99 % and a standard error of one percentage point. */
const sums = (actual: number, bets = 10_000n) => ({
  ...noSums(),
  bets,
  staked: bets * ONE,
  paid: 0n,
  counted: (Number(bets) * actual) / 100,
  expected: Number(bets) * 0.99,
  variance: (Number(bets) * 0.01) ** 2,
});

describe('a window', () => {
  test.each<[number, Verdict]>([
    [99, 'INSIDE'],
    [100.95, 'INSIDE'],
    [97.05, 'INSIDE'],
    [100.97, 'OUTSIDE'],
    [97.03, 'OUTSIDE'],
    [102.28, 'OUTSIDE'],
    [95.72, 'OUTSIDE'],
    [102.3, 'FAR'],
    [95.7, 'FAR'],
  ])('classifies a window with a return of %d %% when the expected RTP is 99 %% ± 1', (actual, verdict) => {
    expect(judge('dice', sums(actual))).toBe(verdict);
  });

  test('returns no verdict for fewer than 1,000 bets', () => {
    expect(judge('dice', sums(300, 999n))).toBe('FEW');
    expect(judge('dice', sums(300, 1000n))).toBe('FAR');
  });

  // The RTP of optimal play is 1.0003352 times that of basic strategy: 99.0332 % for these bets.
  test.each<[number, Verdict]>([
    [50, 'INSIDE'],
    [99, 'INSIDE'],
    [100.99, 'INSIDE'],
    [101, 'OUTSIDE'],
    [102.32, 'OUTSIDE'],
    [102.33, 'FAR'],
  ])(
    'classifies a blackjack window with a return of %d %% as outside the band only when it is above the band of optimal play',
    (actual, verdict) => {
      expect(judge('blackjack', sums(actual))).toBe(verdict);
    },
  );

  test.each([
    [0n, 30],
    [10_000n, 30],
    [10_001n, 1],
  ])('for a game with %i bets a day, uses a window of %d days', (bets, days) => {
    expect(windowMs(bets)).toBe(days * 86_400_000);
  });

  test.each([
    ['2026-11-21T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21T23:59:59.999Z', '2026-11-21T00:00:00.000Z'],
  ])('ends the window at the last midnight: at %s, the window ends at %s', (now, end) =>
    expect(lastMidnight(new Date(now)).toISOString()).toBe(end),
  );

  test.each([
    ['2026-11-21T00:09:59.999Z', '2026-11-20T00:00:00.000Z'],
    ['2026-11-21T00:10:00.000Z', '2026-11-21T00:00:00.000Z'],
  ])('treats a day as complete ten minutes after it ends: at %s, days are complete until %s', (now, end) => {
    expect(lastWholeDay(new Date(now)).toISOString()).toBe(end);
  });
});

describe('successive windows', () => {
  const none: Watch = { misses: 0, isRaised: false };
  /** Returns when alerts are raised, and whether an alert is active at the end. */
  const after = (verdicts: Verdict[]) => {
    let state = none;
    const raised = verdicts.flatMap((verdict, i) => {
      const { isNew, ...next } = watch(state, verdict);
      state = next;
      return isNew ? [i] : [];
    });
    return { raised, stands: state.isRaised, misses: state.misses };
  };
  test.each<[Verdict[], number[], boolean, number]>([
    [['INSIDE'], [], false, 0],
    [['FEW'], [], false, 0],
    [['FAR'], [0], true, 1],
    [['OUTSIDE', 'OUTSIDE'], [], false, 2],
    [['OUTSIDE', 'OUTSIDE', 'OUTSIDE'], [2], true, 3],
    [['OUTSIDE', 'OUTSIDE', 'OUTSIDE', 'OUTSIDE', 'FAR'], [2], true, 5],
    [['OUTSIDE', 'INSIDE', 'OUTSIDE', 'OUTSIDE'], [], false, 2],
    [['OUTSIDE', 'FEW', 'OUTSIDE', 'OUTSIDE'], [3], true, 3],
    [['FAR', 'FAR', 'OUTSIDE'], [0], true, 3],
    [['FAR', 'FEW'], [0], true, 1],
    [['FAR', 'INSIDE'], [0], false, 0],
    [['FAR', 'INSIDE', 'FAR'], [0, 2], true, 1],
    [['FAR', 'INSIDE', 'OUTSIDE', 'OUTSIDE'], [0], false, 2],
  ])('%j', (verdicts, raised, stands, misses) => {
    expect(after(verdicts)).toEqual({ raised, stands, misses });
  });
});
