/**
 * npm run ci: runs the steps of `steps.ts` and counts them. A step counts as one, but if it runs vitest or Playwright, each of its tests
 * counts as one. Prints the failures again at the end, because readers of a long output often see only the end. The last line is
 * "N passed, N failed"; exits 1 if anything failed, or if more than three tests passed only when they were repeated. After CI_LIMIT_SECONDS
 * (5,250), and on SIGINT and SIGTERM, the remaining steps are stopped and count as failed. `npm run ci -- browser points` runs only these
 * steps. `npm run ci -- chaos -- --minutes 10` runs one step with other arguments; then there is no time limit. `npm run ci:full` runs the
 * long forms of all steps without a time limit, and `npm run ci -- --list` lists the faults that each step finds.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readReport, reporting } from './reports.ts';
import { STAGES, type Step } from './steps.ts';

type Counts = { passed: number; failed: number };
/** `cpuSeconds` is the processor time of the step and of all processes that it waited for. */
type Ended = { status: number; output: string; cpuSeconds?: number | undefined };

const SLOWEST_FILES = 8;
const LIMIT_SECONDS = 5250;
/** More tests than this that passed only when they were repeated fail the run. */
const MAX_RETRIED = 3;
/** Maximum time to wait after a step has ended if a process started by the step keeps the step's output open. */
const LEFTOVERS_MS = 2000;

const [given, args] = splitArguments(process.argv.slice(2));
const isFull = given.includes('--full');
const only = given.filter((name) => name !== '--full' && name !== '--list');
const allSteps = STAGES.flatMap(({ steps }) => steps);
const names = allSteps.map(({ name }) => name);
if (given.includes('--list')) {
  for (const { name, finds, isFullOnly } of allSteps)
    console.log(`${name.padEnd(14)}${finds}${isFullOnly ? ' (npm run ci:full)' : ''}`);
  process.exit(0);
}
const unknown = only.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`unknown step ${unknown.join(', ')}; steps: ${names.join(', ')}`);
  process.exit(2);
}
if (args !== undefined && only.length !== 1) {
  console.error('Name exactly one step before --: npm run ci -- NAME -- ARGUMENTS');
  process.exit(2);
}

const { CI_STARTED_AT, CI_LIMIT_SECONDS } = process.env;
const startedAt = CI_STARTED_AT ? Number(CI_STARTED_AT) * 1000 : Date.now();
const deadline = startedAt + (Number(CI_LIMIT_SECONDS) || LIMIT_SECONDS) * 1000;
const folder = mkdtempSync(join(tmpdir(), 'croupier-ci-'));
const total: Counts = { passed: 0, failed: 0 };
const failures: string[] = [];
/** The tests that passed only when they were repeated, each with the errors of its first attempts. */
const retried: string[] = [];
const times = CI_STARTED_AT ? [`${seconds(Date.now() - startedAt)}  install`] : [];
/** The running commands. Each of them is the leader of its process group. */
const running = new Set<ChildProcess>();
/** The reason why no further steps are started, if there is one. */
let stopped: string | undefined;

const timer =
  args === undefined && !isFull
    ? setTimeout(() => stop('the time limit is reached'), Math.max(0, deadline - Date.now()))
    : undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(`got ${signal}`));
for (const { atOnce, steps } of STAGES) {
  const waiting = steps.filter(({ name, isFullOnly }) =>
    only.length === 0 ? isFull || !isFullOnly : only.includes(name),
  );
  const isShown = atOnce === 1 || waiting.length === 1;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let step = waiting.shift(); step; step = waiting.shift()) await runStep(step, isShown);
    }),
  );
}
clearTimeout(timer);
if (failures.length > 0) console.log(`\n== failed\n${failures.join('\n')}`);
if (retried.length > 0) console.log(`\n== passed only when repeated\n${retried.join('\n')}`);
if (retried.length > MAX_RETRIED) {
  console.log(`\n${retried.length} tests passed only when repeated; more than ${MAX_RETRIED} fail the run.`);
  total.failed++;
}
times.push(`${seconds(Date.now() - startedAt)}  everything`);
console.log(`\n== duration\n${times.join('\n')}`);
rmSync(folder, { recursive: true, force: true });
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);

/** Splits the arguments at `--` into the names of steps and the arguments for a step, quoted for the shell. */
function splitArguments(all: readonly string[]): [names: string[], args: string | undefined] {
  const at = all.indexOf('--');
  if (at < 0) return [[...all], undefined];
  const quoted = all.slice(at + 1).map((text) => `'${text.replaceAll("'", "'\\''")}'`);
  return [all.slice(0, at), quoted.join(' ')];
}

/** Stops the running steps, so that the results can be printed. */
function stop(reason: string): void {
  stopped = reason;
  console.log(`\nstopped: ${reason}`);
  for (const { pid } of running)
    try {
      process.kill(-pid!, 'SIGKILL');
    } catch {
      // The process has just ended, so it does not need to be stopped.
    }
}

/** Runs a step and counts it. Shows the step's output while it runs, or after it has ended. */
async function runStep(step: Step, isShown: boolean): Promise<void> {
  const began = Date.now();
  const results = join(folder, `${step.name.replaceAll(':', '-')}.json`);
  console.log(`\n== ${step.name}`);
  const command = [step.command, args ?? (isFull ? step.full : step.short)].filter(Boolean).join(' ');
  const ended = await runCommand(step.runner ? reporting(step.runner, command, results) : command, isShown);
  const took = Date.now() - began;
  const cpu = ended.cpuSeconds === undefined ? '' : `, ${Math.round(ended.cpuSeconds)} s of a processor`;
  times.push(`${seconds(took)}  ${step.name}${cpu}`);
  if (!isShown) console.log(`\n== ${step.name}, ${Math.round(took / 1000)} s\n${ended.output}`);
  const counts = step.runner ? countTests(step, ended, results) : countStep(step, ended);
  total.passed += counts.passed;
  total.failed += counts.failed;
  if (counts.failed > 0) console.log(`== ${step.name} FAILED`);
}

/** Runs a shell command in a separate process group, so that the whole group can be stopped. Never throws. */
async function runCommand(command: string, isShown: boolean): Promise<Ended> {
  if (stopped !== undefined) return { status: 1, output: `not started: ${stopped}` };
  const env = { ...process.env, CI: 'true', ...(isFull && { TEST_LENGTH: 'full' }) };
  const used = join(folder, `times-${randomUUID()}`);
  const measured = `(\n${command}\n); status=$?; times > ${used}; exit $status`;
  const child = spawn('bash', ['-c', measured], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (isShown) process.stdout.write(text);
    });
  const closed = once(child, 'close').catch(() => undefined);
  try {
    const [status] = (await once(child, 'exit')) as [number | null];
    // A daemon started by the command may keep its output open.
    await Promise.race([closed, sleep(LEFTOVERS_MS, undefined, { ref: false })]);
    return { status: status ?? 1, output, cpuSeconds: cpuSecondsIn(used) };
  } catch (error) {
    return { status: 1, output: `${output}\n${String(error)}` };
  } finally {
    running.delete(child);
    for (const stream of [child.stdout, child.stderr]) stream.removeAllListeners('data').resume();
  }
}

/** Reads what the shell's `times` printed: two lines, the second for child processes, such as "1m2.5s 0m3.25s". */
function cpuSecondsIn(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const [, children = ''] = readFileSync(file, 'utf8').split('\n');
  const used = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  return used.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0);
}

function countStep({ name }: Step, { status, output }: Ended): Counts {
  if (status === 0) return { passed: 1, failed: 0 };
  failures.push(`-- ${name}\n${lastLines(output)}`);
  return { passed: 0, failed: 1 };
}

/** Counts tests. A run that failed without a failed test, or that ran no test, is counted as one failure. */
function countTests({ name, runner }: Step, { status, output }: Ended, results: string): Counts {
  const { passed, failed, files, ...report } = readReport(runner!, results);
  failures.push(...report.failures);
  retried.push(...report.retried);
  const slowest = files.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST_FILES);
  for (const { ms, name } of slowest) times.push(`         ${seconds(ms)}  ${name}`);
  if (failed > 0 || (status === 0 && passed > 0)) return { passed, failed };
  failures.push(`-- ${name}\n${lastLines(output)}`);
  return { passed, failed: 1 };
}

function lastLines(output: string): string {
  return output
    .trimEnd()
    .split('\n')
    .slice(-40)
    .map((line) => line.slice(0, 300))
    .join('\n');
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`.padStart(8);
}
