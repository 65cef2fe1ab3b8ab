/**
 * npm run ci -- mutants: changes the rules of the platform by one small mutation at a time, and checks whether a test fails.
 *
 *     npm exec -- node scripts/mutants.ts [--base REV]     the files whose code changed since REV (default: origin/main, or the previous commit)
 *     npm exec -- node scripts/mutants.ts --all            every mutated file
 *     npm exec -- node scripts/mutants.ts FILE[:FROM-TO]…  these files, or these lines of them
 *     --minutes N                                          starts no more files after N minutes, and lists the skipped files
 *
 * Lists every mutant that no test killed. Exits 1 if less than 95 % of the mutants were killed. A mutant that no test can detect is
 * disabled next to the code with a reason: `// Stryker disable next-line NAME: reason`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { parseSync } from 'oxc-parser';

const LOWEST_SCORE = 95;

/** The files to mutate: pure code on which money or the protection of players depends. */
const MUTATED = [
  'src/modules/**/rules.ts',
  'src/platform/money.ts',
  'src/modules/games/betting/{batch,play,books}.ts',
];

/** Tests that are too slow to run for every mutant. */
const EXHAUSTIVE = '.exhaustive.test.ts';

/** Files that start a database. Every test that imports one of them, directly or indirectly, needs a database. */
const DATABASE = ['test/kit/app.ts', 'test/kit/database.ts', 'src/platform/database/embedded/postgres.ts'];

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];
type Tally = { killed: number; survived: number; excused: number };

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, base: { type: 'string' }, minutes: { type: 'string' } },
});
const mutated = MUTATED.flatMap((pattern) => globSync(pattern)).sort();
process.exitCode = await main();

async function main(): Promise<number> {
  const files = chosen();
  if (files.length === 0) {
    console.log('no file with mutations has changed');
    return 0;
  }
  const deadline = performance.now() + Number(options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const total: Tally = { killed: 0, survived: 0, excused: 0 };
  for (const file of files) {
    if (performance.now() > deadline) {
      console.log(`skipped for lack of time: ${files.slice(files.indexOf(file)).join(' ')}`);
      break;
    }
    const mutants = await mutate(file);
    const tally = count(mutants);
    report(file, tally);
    for (const key of ['killed', 'survived', 'excused'] as const) total[key] += tally[key];
  }
  report('together', total);
  return scoreOf(total) < LOWEST_SCORE ? 1 : 0;
}

function chosen(): string[] {
  if (options.all) return mutated;
  if (positionals.length > 0) {
    const unknown = positionals.filter((file) => !mutated.includes(withoutLines(file)));
    if (unknown.length > 0) throw new Error(`not mutated: ${unknown.join(', ')}`);
    return positionals;
  }
  const since = git('merge-base', options.base ?? base(), 'HEAD');
  const changed = new Set(git('diff', '--name-only', since).split('\n'));
  return mutated.filter((file) => changed.has(file) && hasNewCode(file, since));
}

/** Returns false if only comments or formatting of the file have changed. */
function hasNewCode(file: string, since: string): boolean {
  const before = git('ls-tree', '--name-only', since, file) && git('show', `${since}:${file}`);
  return codeOf(file, before) !== codeOf(file, readFileSync(file, 'utf8'));
}

function codeOf(file: string, source: string): string {
  return JSON.stringify(parseSync(file, source).program, (key, value) =>
    ['start', 'end', 'raw'].includes(key) ? undefined : typeof value === 'bigint' ? String(value) : value,
  );
}

function withoutLines(file: string): string {
  return file.replace(/:[\d-]+$/, '');
}

function base(): string {
  const remote = git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/main');
  return remote || 'HEAD~1';
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

/** Returns the tests in the file's own area that import the file and need no database. Excludes slow tests. */
function testsOf(file: string): string[] {
  const area = file.split('/').slice(0, file.startsWith('src/modules/') ? 3 : 2);
  return globSync(`${area.join('/')}/**/*.test.ts`).filter(
    (test) => !test.endsWith(EXHAUSTIVE) && imports(test, file) && !needsDatabase(test),
  );
}

/** Returns true if a test imports a file, directly or through another one, such as `batch.ts` or a test helper. */
function imports(test: string, file: string): boolean {
  const direct = importsOf(test);
  return direct.includes(file) || direct.some((imported) => importsOf(imported).includes(file));
}

function needsDatabase(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  return DATABASE.includes(file) || importsOf(file).some((imported) => needsDatabase(imported, seen));
}

/** Returns the files of the repository that a file imports at run time, without type imports. */
function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const imports = source.matchAll(/^(?:import|export)(?! type)[^;']*'(\.[^']+)';/gm);
  return [...imports].map(([, path]) => join(dirname(file), path!)).filter((path) => existsSync(path));
}

async function mutate(file: string): Promise<Mutant[]> {
  const tests = testsOf(withoutLines(file));
  if (tests.length === 0) throw new Error(`${file} has no test that runs without a database`);
  process.env.MUTANTS_TESTS = JSON.stringify(tests);
  const scratch = mkdtempSync(join(tmpdir(), 'mutants-'));
  try {
    return await new Stryker({
      mutate: [file],
      testRunner: 'vitest',
      plugins: ['@stryker-mutator/vitest-runner'],
      vitest: { configFile: 'vitest.mutants.config.ts', related: false },
      coverageAnalysis: 'perTest',
      concurrency: 2,
      // The timeout is long for busy machines. Stryker detects infinite loops by their number of iterations, so it does not need a short
      // timeout.
      timeoutMS: 30_000,
      // This file intentionally does not exist. Stryker would read an existing one through an API that TypeScript 7 does not have.
      tsconfigFile: 'none.json',
      tempDirName: scratch,
      // Other steps of continuous integration write into test-results meanwhile.
      ignorePatterns: [
        'docs',
        'deploy',
        'web',
        'client',
        'schema',
        'migrations',
        'bench',
        '.data',
        'test-results',
        'playwright-report',
      ],
      allowConsoleColors: false,
      allowEmpty: true,
      logLevel: 'error' as never,
      reporters: ['clear-text'],
      clearTextReporter: { reportTests: false, reportScoreTable: false },
    }).runMutationTest();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function hasSurvived({ status }: Mutant): boolean {
  return status === 'Survived' || status === 'NoCoverage';
}

function count(mutants: readonly Mutant[]): Tally {
  const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const excused = mutants.filter(({ status }) => status === 'Ignored').length;
  return { killed, survived: mutants.filter(hasSurvived).length, excused };
}

function scoreOf({ killed, survived }: Tally): number {
  return killed + survived === 0 ? 100 : (100 * killed) / (killed + survived);
}

function report(name: string, tally: Tally): void {
  const { killed, survived, excused } = tally;
  const score = scoreOf(tally).toFixed(1).padStart(5);
  console.log(`${score} %  ${killed} killed, ${survived} survived, ${excused} excused  ${name}`);
}
