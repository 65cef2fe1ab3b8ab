/**
 * npm run ci -- contributing: tests docs/how-to/write-a-module.md. In a copy of the repository it adds the example's module, block by
 * block, and runs the commands as written. Exits 1 if a command fails, or if a file changes that the page does not mention. The new module
 * may change only files in its own folder, its area's `area.ts`, a migration and generated files.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { nextNumber } from './migrations.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FENCE = /^```(\w+)\n([\s\S]*?)^```$/gm;
const GENERATED =
  /^(docs\/(openapi\/.*|asyncapi\.json|reference\/(schema|errors|events)\.md)|client\/(api|events)\.ts|src\/platform\/database\/tables\.ts)$/;

/** The list of permissions, the only file outside its area that a module changes. */
const PERMISSIONS = 'src/modules/base/access/permissions.ts';

const copy = mkdtempSync(join(tmpdir(), 'croupier-contributing-'));
const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
try {
  copyTree();
  const written = follow(readFileSync(join(ROOT, 'docs/how-to/write-a-module.md'), 'utf8'));
  const sources = [...written].filter((file) => file.startsWith('src/') && file !== PERMISSIONS);
  const folders = sources.map((file) => dirname(file));
  const changed = git(copy, 'status', '--porcelain', '-uall')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(3));
  const others = changed.filter((file) => !written.has(file) && !GENERATED.test(file));
  if (others.length > 0) throw new Error(`changed outside the module: ${others.join(', ')}`);
  if (new Set(folders).size > 2)
    throw new Error(`the module is spread over several folders: ${folders.join(', ')}`);
  console.log('the page is correct');
} catch (error) {
  console.log(`WRONG  ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Copies the tracked files, and the untracked files that git does not ignore, into a separate repository. */
function copyTree(): void {
  const files = git(ROOT, 'ls-files', '-co', '--exclude-standard').split('\n').filter(Boolean);
  for (const file of files.filter((name) => existsSync(join(ROOT, name))))
    cpSync(join(ROOT, file), join(copy, file));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  git(copy, 'init', '-q');
  writeFileSync(join(copy, '.git/info/exclude'), 'node_modules\n');
  git(copy, 'add', '.');
  git(copy, '-c', 'user.name=x', '-c', 'user.email=x@x.example', 'commit', '-qm', 'before');
}

/** Processes the blocks of the page: writes files, applies changes and runs commands. Returns the files that it wrote. */
function follow(page: string): Set<string> {
  const written = new Set<string>();
  for (const { 1: language, 2: text = '', index } of page.matchAll(FENCE)) {
    if (language === 'sh') {
      run(text);
      continue;
    }
    const file = numbered([...page.slice(0, index).matchAll(/`([\w./-]+\/[\w.-]+)`/g)].at(-1)![1]!);
    const path = join(copy, file);
    if (language === 'diff') writeFileSync(path, patched(readFileSync(path, 'utf8'), text));
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    console.log(`ok     ${file}`);
    written.add(file);
  }
  return written;
}

/** Returns the path of a file. For a migration, the number from the page is replaced with the next free number. */
function numbered(file: string): string {
  return file.replace(
    /^migrations\/\d{4}/,
    `migrations/${nextNumber(readdirSync(join(copy, 'migrations')))}`,
  );
}

/** Applies the hunks of a diff to a text and returns the result. The hunks contain context lines but no line numbers. */
function patched(text: string, diff: string): string {
  return diff.split(/^@@\n/m).reduce((before, hunk) => {
    const lines = hunk.split('\n').filter(Boolean);
    const side = (mark: string) =>
      lines.flatMap((line) => (line[0] === ' ' || line[0] === mark ? [`${line.slice(1)}\n`] : [])).join('');
    if (before.split(side('-')).length !== 2)
      throw new Error(`not found, or found more than once:\n${side('-')}`);
    return before.replace(side('-'), () => side('+'));
  }, text);
}

function run(commands: string): void {
  for (const command of commands.split('\n').filter(Boolean)) {
    const started = performance.now();
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: copy, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command}\n${`${stdout}${stderr}`.slice(-6000)}`);
    console.log(`ok     ${command}  ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
}
