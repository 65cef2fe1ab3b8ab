/** npm run check: runs all static checks. Prints the problems and exits 1 if there are any. */
import { execFile } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { listStale } from './build.ts';
import { layerViolations, ledgerTablesNamed } from './layers.ts';
import { misnumbered, unbearableMigrations } from './migrations.ts';
import { discouragedPhrases } from './prose.ts';

/** Returns the problems, or undefined if there are none. */
type Step = () => Promise<string | undefined>;

type Manifest = { dependencies?: Record<string, string>; devDependencies?: Record<string, string> };

const BIN = 'node_modules/.bin';
const run = promisify(execFile);
/** The last commit before the rule that subjects must follow Conventional Commits and have at most 72 characters. */
const LAST_UNCHECKED = '8784e30988d5';

const steps: Readonly<Record<string, Step>> = {
  'format and lint (biome)': tool('biome', 'check', '--error-on-warnings', '--colors=off', '.'),
  'types (tsc)': types('.'),
  'types of the verifier (tsc)': types('web/verifier'),
  'types of the pages (tsc)': types('web'),
  'unused code (knip)': tool('knip', '--no-progress', '--no-config-hints'),
  'one version of each package': async () => lines(severalVersions()),
  'layers (dependency-cruiser)': async () =>
    lines([...(await layerViolations('.')), ...ledgerTablesNamed('.')]),
  'configuration, tables, decisions': generated('docs'),
  'docs/openapi, docs/asyncapi.json': generated('openapi'),
  'OpenAPI (redocly)': tool('redocly', 'lint', '--max-problems=30', 'main', 'backoffice'),
  'client/{api,events}.ts': generated('client'),
  'page of the verifier': generated('verifier'),
  'mail templates': generated('mail'),
  'no code that the formatter spreads': async () => lines(spreads()),
  'plain English (scripts/prose.ts)': async () => lines(discouragedPhrases()),
  'commit subjects': commitSubjects,
  'migrations are numbered': async () => lines(misnumbered(readdirSync('migrations'))),
  'migrations are compatible with the previous version': async () => lines(unbearableMigrations()),
};

/** Prevents the tools from sending telemetry or other requests over the network. */
const ENV = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs a tool from node_modules. Returns its output if it failed. */
function tool(name: string, ...args: string[]): Step {
  return () =>
    run(resolve(BIN, name), args, { env: ENV, maxBuffer: 64 * 1024 * 1024 }).then(
      () => undefined,
      ({ stdout, stderr, message }) => `${stdout}${stderr}`.trim() || message,
    );
}

/** Checks the types of a project. A repeated check reads only the files that have changed. */
function types(project: string): Step {
  const seen = join('node_modules/.cache/check', `${project.replaceAll(/[/.]/g, '-')}.tsbuildinfo`);
  return tool('tsc', '--pretty', 'false', '-p', project, '--incremental', '--tsBuildInfoFile', seen);
}

/** Checks that generated files match their sources. */
function generated(name: string): Step {
  return async () => lines(await listStale(name));
}

/**
 * Finds `...{ a, b }` in objects. It has the same result as `a, b`, but TypeScript then does not check for excess properties. To fix it,
 * write one property per line, or keep the object short enough for one line.
 */
function spreads(): string[] {
  const files = globSync('{src,test,bench,rtp,conformance,sandbox,scripts,client,web}/**/*.{ts,tsx}').filter(
    (file) => !file.includes('node_modules') && file !== 'scripts/check.ts',
  );
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, i) => (/\.\.\.\{/.test(line) ? [`${file}:${i + 1} ${line.trim()}`] : [])),
  );
}

/** Returns the packages that several workspaces declare in different versions. npm would install all of them. */
function severalVersions(): string[] {
  const versions = new Map<string, Set<string>>();
  for (const file of globSync('{.,*}/package.json')) {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  return [...versions].flatMap(([name, found]) =>
    found.size > 1 ? [`${name}: ${[...found].join(', ')}`] : [],
  );
}

/** Returns subjects that are too long or have another form. An export without the history has nothing to check. */
async function commitSubjects(): Promise<string | undefined> {
  const form = /^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(\([^)]+\))?!?: \S/;
  const args = ['log', '--no-merges', '--format=%h %s', `${LAST_UNCHECKED}..HEAD`];
  const { stdout } = await run('git', args).catch(() => ({ stdout: '' }));
  const wrong = stdout.split('\n').filter((line) => {
    const subject = line.slice(line.indexOf(' ') + 1);
    return line !== '' && (subject.length > 72 || !form.test(subject));
  });
  return lines(wrong.map((line) => `${line} (at most 72 characters: type(scope): summary)`));
}

function lines(problems: readonly string[]): string | undefined {
  return problems.length > 0 ? problems.join('\n') : undefined;
}

const width = Math.max(...Object.keys(steps).map((name) => name.length));
const failures = await Promise.all(
  Object.entries(steps).map(async ([name, step]) => {
    const started = performance.now();
    const problem = await step().catch((error: unknown) =>
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${problem === undefined ? 'ok    ' : 'FAILED'}  ${name.padEnd(width)}  ${seconds} s`);
    return problem === undefined ? [] : [`\n${name}\n${problem}`];
  }),
);
for (const failure of failures.flat()) console.log(failure);
process.exit(failures.flat().length === 0 ? 0 : 1);
