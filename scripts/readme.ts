/**
 * npm run ci -- readme: tests the README, the tutorial and the how-to guides. For each page it starts the platform with an empty data folder
 * on separate ports, and runs every shell block in order as written. It compares the output with the output shown after each block: keys
 * and types of JSON responses, and the words of other lines. An error response that the page does not show is a failure, and so is an
 * unexpected file left in the checkout. Exits 1 if there is any failure. `npm run ci -- readme -- PAGE …` tests only these pages.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverPorts } from '../test/kit/processes/ports.ts';
import { type Block, blocksOf, differences, jsonIn, missingLines } from './readme/blocks.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES =
  process.argv.length > 2
    ? process.argv.slice(2)
    : [
        'README.md',
        'src/app/introductions/api.md',
        ...globSync('docs/{tutorial,how-to}/*.md', { cwd: ROOT }),
      ];
const LONGEST_MS = 180_000;
/** The folder into which `npm start` builds the web apps. */
const BUILT = 'dist';
/** Ports as written on the pages. The keys are the settings that change these ports. */
const PORTS = {
  PORT: 3000,
  BACKOFFICE_PORT: 3001,
  REALTIME_PORT: 3002,
  WORKER_PORT: 3003,
  SANDBOX_PORT: 3900,
  SANDBOX_SMTP_PORT: 3925,
};

const folder = mkdtempSync(join(tmpdir(), 'croupier-readme-'));
// The embedded PostgreSQL runs as another user, who must be able to enter the folder.
chmodSync(folder, 0o755);
// All pages use the same ports. No other program may use one of these ports between two pages.
const free = await serverPorts(Object.keys(PORTS).length);
const moved = new Map(Object.values(PORTS).map((port, i) => [String(port), String(free[i])]));
const env = {
  // Uses the Node version that a reader's terminal would use, instead of the one that npm puts first in PATH.
  PATH: process.env.PATH?.split(delimiter)
    .filter((path) => !path.includes('node_modules'))
    .join(delimiter),
  HOME: process.env.HOME,
  LOG_LEVEL: 'warn',
  DATA_DIR: folder,
  ...Object.fromEntries(Object.keys(PORTS).map((name, i) => [name, String(free[i])])),
};
const withPorts = (text: string) =>
  text.replace(/(127\.0\.0\.1:)(\d+)/g, (all, host, port) =>
    moved.has(port) ? host + moved.get(port) : all,
  );

let platform: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().then(() => process.exit(1)));
const before = readdirSync(ROOT);
const problems: string[] = [];
try {
  for (const page of PAGES) {
    problems.push(...(await follow(page)));
    await stop();
  }
} finally {
  await stop();
  rmSync(folder, { recursive: true, force: true });
}
// Other steps of CI may start a platform in the checkout at the same time.
const left = readdirSync(ROOT).filter((name) => !before.includes(name) && ![BUILT, '.data'].includes(name));
if (left.length > 0) problems.push(`left in the checkout: ${left.join(', ')}`);
for (const problem of problems) console.log(`WRONG  ${problem}`);
console.log(problems.length === 0 ? 'the pages are correct' : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

async function follow(page: string): Promise<string[]> {
  const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8'));
  if (blocks.every(({ notRun }) => notRun !== undefined)) return [];
  // A new data folder for each page, because a page may need a platform without a superadmin.
  env.DATA_DIR = mkdtempSync(join(folder, 'data-'));
  chmodSync(env.DATA_DIR, 0o755);
  const started = await start();
  if (started.status !== 0) return [`${page}: the platform does not start\n${started.output.slice(-2000)}`];
  const terminal = openTerminal();
  const found: string[] = [];
  for (const block of blocks) {
    const at = `${page}:${block.line}`;
    if (block.notRun !== undefined) console.log(`not run  ${at}: ${block.notRun}`);
    else {
      const { output, status } = isStart(block) ? started : await terminal.run(withPorts(block.commands));
      const wrong = judge(block, output, status);
      console.log(`${wrong.length === 0 ? 'ok     ' : 'WRONG  '}  ${at}`);
      found.push(...wrong.map((problem) => `${at}: ${problem}\n${output.slice(-2000)}`));
      // Stops after a failed block, because later blocks would only fail as a consequence.
      if (status !== 0) break;
    }
  }
  terminal.close();
  return found;
}

function judge({ json, text, mayBeRefused }: Block, output: string, status: number): string[] {
  if (status !== 0) return [`ends with ${status}`];
  const answers = jsonIn(output);
  const refusals = answers.flatMap((answer) => {
    const { statusCode, code, requestId } = Object(answer) as Record<string, unknown>;
    return typeof statusCode === 'number' && requestId ? [String(code)] : [];
  });
  const shown = (json ?? []).map((value) => (Object(value) as Record<string, unknown>).code);
  return [
    ...refusals
      .filter((code) => !shown.includes(code) && code !== mayBeRefused)
      .map((code) => `is refused: ${code}`),
    ...(json && json.length !== answers.length
      ? [`${json.length} responses are shown, ${answers.length} were printed`]
      : []),
    ...(json ?? []).flatMap((value, i) => (i < answers.length ? differences(value, answers[i]) : [])),
    ...missingLines(text ?? [], output).map((line) => `is shown but was not printed: ${line}`),
  ];
}

/** Returns true for a block that installs packages and starts the platform in its own terminal, which has already been done. */
function isStart({ commands }: Block): boolean {
  return /^npm ci\nnpm start$/.test(commands);
}

async function start(): Promise<{ output: string; status: number }> {
  platform = spawn('npm', ['start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const ready = new Promise<number>((resolve) => {
    for (const stream of [platform!.stdout!, platform!.stderr!])
      createInterface(stream).on('line', (line) => {
        lines.push(line);
        if (line.startsWith('ready')) resolve(0);
      });
  });
  const ended = once(platform, 'exit').then(() => 1);
  const status = await Promise.race([ready, ended, sleep(LONGEST_MS, 1, { ref: false })]);
  return { output: lines.join('\n'), status };
}

/** Stops the platform with a signal to npm, which forwards it. */
async function stop(): Promise<void> {
  if (!platform || platform.exitCode !== null) return;
  const ended = once(platform, 'exit');
  platform.kill('SIGTERM');
  await ended;
}

/** Opens a shell that runs consecutive blocks, so that they share variables. */
function openTerminal() {
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  let count = 0;
  return {
    async run(commands: string): Promise<{ output: string; status: number }> {
      const [file, mark] = [join(folder, 'block.sh'), `== end ${++count} ==`];
      writeFileSync(file, `${commands}\n`);
      output = '';
      shell.stdin.write(`source ${file} </dev/null; status=$?; echo; echo "${mark} $status"\n`);
      for (const until = Date.now() + LONGEST_MS; Date.now() < until; await sleep(20)) {
        const [, status] = new RegExp(`^${mark} (\\d+)$`, 'm').exec(output) ?? [];
        if (status !== undefined)
          return { output: output.slice(0, output.indexOf(mark)), status: Number(status) };
      }
      return { output: `${output}\nstill running after ${LONGEST_MS} ms`, status: 1 };
    },
    close: () => shell.kill(),
  };
}
