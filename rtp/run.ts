/** npm exec -- node rtp/run.ts: computes and simulates the return of every game with the rules that the server uses (--help). */
import { writeFileSync } from 'node:fs';
import { agrees, exactFigures, type Figure } from './exact/figures.ts';
import { smallestStakes } from './exact/smallest.ts';
import { HELP, type Plan, readPlan } from './plan.ts';
import { createProgress } from './progress.ts';
import { htmlReport } from './report/html.ts';
import {
  exactLines,
  failureLines,
  failuresOf,
  simulationLines,
  smallestLines,
  whole,
} from './report/text.ts';
import { type CaseResult, judgeAll, leastP } from './simulation/judge.ts';
import { planCases, roundsOf } from './simulation/plan.ts';
import { playAll } from './simulation/pool.ts';

const plan = planOrExit();
const started = performance.now();
console.log('Exact returns compared with the published ones');
const figures = exactFigures(plan.games);
const exactMs = performance.now() - started;
console.log(exactLines(figures).join('\n'));
console.log(`  ${figures.filter(agrees).length} of ${figures.length} figures agree, ${seconds(exactMs)}\n`);
const stakes = await smallestStakes(plan.games);
console.log('Lowest returns at the smallest stake of each currency, in percent');
console.log(`${smallestLines(stakes).join('\n')}\n`);
const results = plan.rounds > 0 ? await simulate(plan) : [];
const least = leastP(results);
const failures = failuresOf(results, least);
if (results.length > 0) {
  console.log(`${simulationLines(results).join('\n')}\n`);
  console.log(
    `  ${results.reduce((count, { tests }) => count + tests.length, 0)} tests; one disagrees when p < ${least.toExponential(1)}`,
  );
}
if (plan.out) {
  writeFileSync(plan.out, htmlReport({ plan, figures, results, failures, least }));
  console.log(`  report: ${plan.out}`);
}
process.exitCode = verdict(figures, results);

async function simulate({ seed, games, rounds }: Plan): Promise<CaseResult[]> {
  const cases = planCases({ run: seed, games, rounds });
  const tasks = cases.flatMap((planned) => planned.tasks);
  const total = tasks.reduce((sum, task) => sum + roundsOf(task), 0);
  console.log(`Simulated returns: ${whole(total)} rounds, --seed ${seed}`);
  const began = performance.now();
  const tallies = await playAll(tasks, createProgress(total, process.stderr).advance);
  console.log(`  ${seconds(performance.now() - began)}`);
  return judgeAll(cases, tallies);
}

function verdict(exact: readonly Figure[], simulated: readonly CaseResult[]): number {
  const unfair = stakes.flatMap(({ games }) => games).filter(({ isFair }) => !isFair).length;
  const wrong = exact.filter((figure) => !agrees(figure)).length + failures.length + unfair;
  console.log(failureLines(failures, least).join('\n'));
  if (wrong > 0) console.log(`${wrong} disagree`);
  else console.log(simulated.length > 0 ? 'everything agrees' : 'all computed figures agree');
  return wrong > 0 ? 1 : 0;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function planOrExit(): Plan {
  try {
    const read = readPlan(process.argv.slice(2));
    if (read) return read;
    console.log(HELP);
    process.exit(0);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}
