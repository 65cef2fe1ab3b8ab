import { expect, test } from 'vitest';
import { exactFigures } from '../exact/figures.ts';
import { judgeAll, leastP } from '../simulation/judge.ts';
import { planCases } from '../simulation/plan.ts';
import { playTask } from '../simulation/play.ts';
import { htmlReport } from './html.ts';
import { chance, exactLines, failureLines, failuresOf, simulationLines } from './text.ts';

const plan = { games: ['dice', 'roulette'] as const, rounds: 5000, seed: '<seed>', out: undefined };
const cases = planCases({ run: 'report', games: plan.games, rounds: plan.rounds });
const results = judgeAll(
  cases,
  cases.flatMap(({ of, tasks }) => tasks.map((task) => playTask(task, of))),
);
const figures = exactFigures(plan.games);
const least = leastP(results);

test('writes the report as one file without external resources', () => {
  const html = htmlReport({ plan, figures, results, failures: [], least });
  expect(html).not.toMatch(/https?:|src=|href=|url\(|<script|<link|@import|NaN|undefined/);
  expect(html).toContain('Everything agrees');
  expect(html).toContain('&#60;seed&#62;');
  expect(html).not.toContain('<seed>');
  for (const { of } of results) expect(html).toContain(of.name);
  // The report has one chart for the bands and one for all p-values. For each case it has a curve and its distributions.
  const charts = 2 + results.reduce((sum, { of }) => sum + 1 + of.spreads.length, 0);
  expect(html.match(/<svg/g)).toHaveLength(charts);
  expect(html).toContain('prefers-color-scheme:dark');
});

test('shows mismatches in the report and on the terminal', () => {
  const wrong = figures.map((figure, i) => (i === 0 ? { ...figure, computed: '19599' } : figure));
  const failures = failuresOf(results, 2);
  const html = htmlReport({ plan, figures: wrong, results, failures, least });
  expect(html).toContain(`${failures.length + 1} disagree`);
  expect(html).toContain('19599 (published 19600)');
  expect(exactLines(wrong).join('\n')).toContain('bets: published 19600, computed 19599');
  expect(exactLines(wrong)[0]).toContain('4 of 5 agree');
  expect(failureLines(failures, 2)).toHaveLength(failures.length);
  expect(failureLines(failures.slice(0, 1), 2)[0]).toMatch(
    /^ {2}dice above 50\.00: return is -?\d\.\d\d, p 0\.\d{4} < 2\.0000$/,
  );
});

test('reports only the exact returns when there was no simulation', () => {
  const html = htmlReport({ plan: { ...plan, rounds: 0 }, figures, results: [], failures: [], least: 1 });
  expect(html).not.toContain('<svg');
  expect(html).toContain('98.990151');
});

test('pads table lines to equal length', () => {
  const lines = simulationLines(results);
  expect(lines).toHaveLength(results.length + 1);
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect([chance(0.5), chance(1e-7)]).toEqual(['0.5000', '1.0e-7']);
});
