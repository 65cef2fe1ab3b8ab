import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
const WORKDIR = '/opt/croupier/';
/** The environment without the settings that npm gives to scripts, which would point to this repository. */
const ENV = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

type Copy = { from: string | undefined; sources: string[]; to: string };
type Stage = { name: string; steps: (Copy | { run: string })[] };

/** Returns the stages of deploy/Dockerfile in order, each with its COPY and RUN instructions. */
function readStages(): Stage[] {
  const text = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8').replace(/\\\n/g, ' ');
  const stages: Stage[] = [];
  for (const [, instruction, rest] of text.matchAll(/^(FROM|COPY|RUN) (.+)$/gm)) {
    if (instruction === 'FROM') stages.push({ name: / AS (\w+)$/.exec(rest!)?.[1] ?? 'image', steps: [] });
    else stages.at(-1)!.steps.push(instruction === 'RUN' ? { run: rest! } : readCopy(rest!));
  }
  return stages;
}

function readCopy(text: string): Copy {
  const words = text.split(/\s+/);
  const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : undefined;
  return { from, sources: words.slice(0, -1), to: words.at(-1)! };
}

/**
 * Returns a function that tests whether .dockerignore excludes a path. The last pattern that matches the path or one of its parent folders
 * applies.
 */
function ignoreRule(): (path: string) => boolean {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  const patterns = lines.filter((line) => line && !line.startsWith('#'));
  const covers = (pattern: string, path: string): boolean =>
    path !== '.' && (matchesGlob(path, pattern) || covers(pattern, dirname(path)));
  return (path) =>
    patterns.reduce(
      (ignored, pattern) =>
        pattern.startsWith('!')
          ? ignored && !covers(pattern.slice(1), path)
          : ignored || covers(pattern, path),
      false,
    );
}

/** Builds every stage in a subfolder of `folder` with its COPY and RUN instructions. Returns the folder of the last stage. */
export function buildImage(folder: string): string {
  const isIgnored = ignoreRule();
  const stages = readStages();
  for (const { name, steps } of stages) {
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    for (const step of steps) {
      if ('run' in step) runCommands(step.run, own);
      else if (step.from) copyFrom(step, join(folder, step.from), own, () => true);
      else copyFrom(step, ROOT, own, (path) => !isIgnored(path));
    }
  }
  return join(folder, stages.at(-1)!.name);
}

function copyFrom({ sources, to }: Copy, base: string, own: string, isWanted: (path: string) => boolean) {
  for (const source of sources.map((one) => one.replace(WORKDIR, ''))) {
    const from = join(base, source);
    const target = to.endsWith('/') ? join(own, to, basename(source)) : join(own, to);
    mkdirSync(dirname(target), { recursive: true });
    if (source === 'node_modules') link(from, target);
    else if (!isWanted(source)) throw new Error(`.dockerignore leaves out ${source}`);
    else cpSync(from, target, { recursive: true, filter: (path) => isWanted(relative(base, path)) });
  }
}

function runCommands(text: string, own: string): void {
  for (const command of text.split(' && ')) {
    // This command creates folders in the container's root, so it is skipped.
    if (/^install -d .* \/var\/lib\/croupier$/.test(command)) continue;
    // npm takes the packages from its cache, which contains them because this repository has been installed.
    const local = command.replace(/^npm ci /, 'npm ci --prefer-offline --no-audit ');
    execFileSync('sh', ['-euc', local], { cwd: own, env: ENV, stdio: 'pipe' });
  }
}

/** Creates hard links, which takes a second. */
function link(from: string, to: string): void {
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'pipe' });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['-a', from, to], { stdio: 'pipe' });
  }
}
