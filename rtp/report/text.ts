import { formatUnits } from '../../src/platform/money.ts';
import { agrees, type Figure } from '../exact/figures.ts';
import { percent } from '../exact/fraction.ts';
import type { SmallestStake } from '../exact/smallest.ts';
import type { CaseResult, Test } from '../simulation/judge.ts';

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
export const share = (value: number, digits = 4): string => `${(value * 100).toFixed(digits)} %`;
export const chance = (p: number): string => (p < 0.0001 ? p.toExponential(1) : p.toFixed(4));

/** Returns a line for each game, and one for each figure that differs from the published one. */
export function exactLines(figures: readonly Figure[]): string[] {
  const games = [...new Set(figures.map(({ game }) => game))];
  return games.flatMap((game) => {
    const own = figures.filter((figure) => figure.game === game);
    const good = own.filter(agrees);
    const few =
      own.length <= 6 ? `  ${own.map(({ path, computed }) => `${path} ${computed}`.trim()).join(', ')}` : '';
    const wrong = own.filter((figure) => !agrees(figure));
    return [
      `  ${game.padEnd(14)} ${`${good.length} of ${own.length}`.padStart(8)} agree${few}`,
      ...wrong.map(
        ({ path, published, computed }) => `    ${path}: published ${published}, computed ${computed}`,
      ),
    ];
  });
}

/** Returns a line for each currency: its smallest stake, and each game's lowest return after rounding the payout to the currency. */
export function smallestLines(stakes: readonly SmallestStake[]): string[] {
  const [first] = stakes;
  if (!first || first.games.length === 0) return [];
  const heads = ['', 'stake', 'US dollars', ...first.games.map(({ game }) => game)];
  const exact = ['', '', 'not rounded', ...first.games.map((of) => percent(of.exact, 3))];
  const rows = stakes.map(({ currencyId, stake, betUsd, games }) => [
    currencyId,
    formatUnits(stake),
    formatUnits(betUsd),
    ...games.map((of) => `${percent(of.rounded, 3)}${of.isFair ? '' : ' !'}`),
  ]);
  const all = [heads, exact, ...rows];
  const widths = heads.map((_, i) => Math.max(...all.map((row) => row[i]!.length)));
  return all.map((row) => `  ${row.map((cell, i) => cell.padStart(widths[i]!)).join('  ')}`);
}

const COLUMNS = ['', 'bet', 'rounds', 'return', 'exact', '± 95 %', '± 99.9 %', 'z', 'least p'];
const LEFT = 2;

/** Returns a line for each case. `least p` is the lowest p-value of its tests. */
export function simulationLines(results: readonly CaseResult[]): string[] {
  const rows = results.map(({ of, tally, actual, error, tests }) => [
    of.game,
    of.name,
    whole(tally.rounds),
    share(actual, 3),
    share(of.expected),
    share(error * 1.96, 3),
    share(error * 3.29, 3),
    tests[0]!.statistic.toFixed(2),
    chance(Math.min(...tests.map(({ p }) => p))),
  ]);
  const all = [COLUMNS, ...rows];
  const widths = COLUMNS.map((_, i) => Math.max(...all.map((row) => row[i]!.length)));
  return all.map((row) => {
    const cells = row.map((cell, i) => (i < LEFT ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)));
    return `  ${cells.join('  ')}`;
  });
}

export type Failure = { of: CaseResult['of']; test: Test };

/** Returns the tests whose results cannot be explained by chance. */
export function failuresOf(results: readonly CaseResult[], least: number): Failure[] {
  return results.flatMap(({ of, tests }) => tests.filter(({ p }) => p < least).map((test) => ({ of, test })));
}

export function failureLines(failures: readonly Failure[], least: number): string[] {
  return failures.map(
    ({ of, test }) =>
      `  ${of.game} ${of.name}: ${test.what} is ${test.statistic.toFixed(2)}, p ${chance(test.p)} < ${chance(least)}`,
  );
}
