import { type ChiSquare, drawnChiSquare } from '../../src/modules/games/house-games/returns/alerts/rules.ts';
import { sumTail } from '../statistics/mean.ts';
import { byteTest, chiSquare, normal, runsTest, serialTest, type Verdict } from '../statistics/tests.ts';
import type { Case, Spread } from './case.ts';
import type { PlannedCase } from './plan.ts';
import { addTallies, STAKE, type Tally } from './tally.ts';

/** Probability that a run of fair games is reported as a mismatch. It does not depend on the number of tests. */
export const FALSE_ALARM = 0.001;

/** Half the width, in standard errors, of the bands that contain 95 % and 99.9 % of fair results. */
export const BANDS = { p95: 1.96, p999: 3.29 } as const;

/** One test of a case. `degrees` is set for a chi-square test. Otherwise `statistic` is in standard errors. */
export type Test = Verdict & { what: string; degrees?: number };

/** A point on the curve: the return over all rounds so far, and its standard error. */
export type Milestone = { rounds: number; actual: number; expected: number; error: number };

export type CaseResult = {
  of: Case;
  tally: Tally;
  actual: number;
  /** Standard error of `actual`, computed from the variance of the exact distribution. */
  error: number;
  /** Observed standard deviation of a round's net result, in units of the first stake. */
  deviation: number;
  /** The tests in this order: the return, the distributions, the words of the streams. */
  tests: Test[];
  way: Milestone[];
};

/** Evaluates the cases. `parts` contains the tallies of all tasks of all cases, in order. */
export function judgeAll(cases: readonly PlannedCase[], parts: readonly Tally[]): CaseResult[] {
  const left = [...parts];
  return cases.map(({ of, tasks }) => judgeCase(of, left.splice(0, tasks.length)));
}

function judgeCase(of: Case, parts: readonly Tally[]): CaseResult {
  const tally = parts.reduce(addTallies);
  const { actual, error } = milestone(of, tally);
  const mean = (tally.paid - tally.staked) / STAKE / tally.rounds;
  return {
    of,
    tally,
    actual,
    error,
    deviation: Math.sqrt(tally.squares / tally.rounds - mean ** 2),
    tests: [
      returnTest(of, tally),
      ...of.spreads.map((spread, i) => spreadTest(spread, tally.marks[i]!, tally.rounds)),
      { what: 'words: runs', ...runsTest(tally.words) },
      { what: 'words: neighbours', ...serialTest(tally.words) },
      { what: 'words: upper byte', ...byteTest(tally.words) },
    ],
    way: wayOf(of, parts),
  };
}

/** Returns the p-value below which a test is a mismatch. FALSE_ALARM is divided among all tests of a run (Bonferroni). */
export function leastP(results: readonly CaseResult[]): number {
  return FALSE_ALARM / results.reduce((count, { tests }) => count + tests.length, 0);
}

function milestone(of: Case, { rounds, staked, paid }: Tally): Milestone {
  const stakes = staked / STAKE;
  return {
    rounds,
    actual: paid / staked,
    expected: of.expected,
    error: Math.sqrt(rounds * of.variance) / stakes,
  };
}

function wayOf(of: Case, parts: readonly Tally[]): Milestone[] {
  let sofar: Pick<Tally, 'rounds' | 'staked' | 'paid'> = { rounds: 0, staked: 0, paid: 0 };
  return parts.map(({ rounds, staked, paid }) => {
    sofar = { rounds: sofar.rounds + rounds, staked: sofar.staked + staked, paid: sofar.paid + paid };
    return milestone(of, sofar as Tally);
  });
}

function returnTest(of: Case, tally: Tally): Test {
  const { actual, expected, error } = milestone(of, tally);
  const test = { what: 'return', ...normal((actual - expected) / error) };
  return of.prizes ? { ...test, p: sumTail(of.prizes, tally.rounds, tally.paid / STAKE) } : test;
}

function spreadTest({ what, chances, drawn }: Spread, counts: readonly number[], rounds: number): Test {
  const result: ChiSquare = drawn === 1 ? chiSquare(counts, chances) : drawnChiSquare(counts, rounds, drawn);
  return { what, ...result };
}
