import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { release } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { giveTo } from '../../backup/copy-tree.ts';
import { secure } from '../../files/safe-paths.ts';
import { hasCode, isRunning } from './process.ts';

export type Log = (line: string) => void;

/** A user with an entry in /etc/passwd. PostgreSQL cannot run as a user without an entry. */
export type User = { uid: number; gid: number };

/** The location of a cluster and, when this process is root, the user that PostgreSQL runs as. */
export type Home = { dataDir: string; name: string; runAs: User | undefined };

/** The complete environment of the server. The caller's PG* and LD_* variables must not reach it. */
export const serverEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const RELOCATED = '/var/lib/croupier';

/** Resolves the data directory. When run as root, chooses one that an unprivileged user can reach. */
export async function chooseHome(requested: string, log: Log): Promise<Home> {
  const { existing, full } = await resolveExisting(resolve(requested));
  const dataDir = (await readLocation(full)) ?? full;
  if (dataDir !== full) log(`the data of ${full} is stored in ${dataDir}`);
  const name = `croupier-${shortHash(dataDir)}`;
  if (process.getuid?.() !== 0) {
    await assertOwnData(dataDir);
    return { dataDir, name, runAs: undefined };
  }
  const owner = await findClusterOwner(dataDir);
  const runAs = owner ?? (await findUnprivilegedUser());
  // An empty folder at this path will be replaced, so its mode does not matter.
  const above = existing === full ? dirname(full) : existing;
  if (dataDir !== full || (await canReach(above, runAs))) return { dataDir, name, runAs };
  if (owner) throw new Error(`${dataDir}: its owner (uid ${owner.uid}) may not enter a folder above it`);
  return { ...(await relocate(full, log)), runAs };
}

/** Gives the data directory to the user that PostgreSQL runs as, if root owns it because root copied it from another machine. */
export async function giveToServer(dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0 || (await fs.stat(dataDir)).uid !== 0) return;
  await giveTo(await findUnprivilegedUser(), dataDir);
}

/** If there are no data yet, runs initdb in a folder next to the data directory and renames that folder to the data directory. */
export async function prepareData(home: Home, native: string, durable: boolean, log: Log): Promise<void> {
  const { dataDir, runAs } = home;
  await makeFolders(dirname(dataDir));
  await removeLeftovers(dataDir);
  if (hasCluster(dataDir)) return;
  log('first start: preparing the database files …');
  const draft = `${dataDir}.preparing-${process.pid}-${randomBytes(3).toString('hex')}`;
  try {
    await makePrivate(draft, runAs);
    await runInitdb(join(native, 'bin/initdb'), draft, runAs, durable);
    await moveIntoPlace(draft, dataDir);
  } finally {
    await fs.rm(draft, { recursive: true, force: true });
  }
}

/** Creates a folder that only the server's user (and root) can enter. Throws if something else with that name exists. */
export async function makePrivate(path: string, runAs: User | undefined): Promise<void> {
  await fs.mkdir(path).catch((error) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  await secure(path, { mode: 0o700, owner: runAs });
}

/** Returns true if the user may enter every folder above `path` and has the `wanted` permission on it. Checks mode bits only. */
export async function canReach(path: string, user: User, wanted = 1): Promise<boolean> {
  const { uid, gid, mode } = await fs.stat(path);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  if (((mode >> shift) & wanted) !== wanted) return false;
  return path === dirname(path) || canReach(dirname(path), user);
}

async function findUnprivilegedUser(): Promise<User> {
  const lines = (await fs.readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const users = lines.map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  const fitting = users.filter(({ uid, gid }) => uid > 0 && gid > 0);
  const user = fitting.find(({ name }) => name === 'nobody') ?? fitting[0];
  if (!user) throw new Error('PostgreSQL refuses to run as root and /etc/passwd has no other user');
  return { uid: user.uid, gid: user.gid };
}

/** Returns the owner of existing data unless the owner is root. The owner does not change when root starts the server. */
async function findClusterOwner(dataDir: string): Promise<User | undefined> {
  if (!hasCluster(dataDir)) return undefined;
  const { uid, gid } = await fs.stat(dataDir);
  return uid === 0 ? undefined : { uid, gid };
}

async function assertOwnData(dataDir: string): Promise<void> {
  const entry = await fs.stat(dataDir).catch(() => undefined);
  if (!entry || entry.uid === process.getuid?.()) return;
  throw new Error(
    `${dataDir} belongs to uid ${entry.uid}: start as that user or root, or use another folder`,
  );
}

async function relocate(requested: string, log: Log): Promise<{ dataDir: string; name: string }> {
  const hash = shortHash(requested);
  const dataDir = join(RELOCATED, hash);
  log(`${requested} is below a folder that only root may enter: the data are in ${dataDir}`);
  await makeFolders(RELOCATED);
  await fs.mkdir(requested, { recursive: true });
  await fs.writeFile(
    join(requested, 'LOCATION'),
    `${dataDir}\n\nThe PostgreSQL data of this folder are there. PostgreSQL does not run as root, and the user\n` +
      'that it runs as may not enter a folder above this one.\n',
    { flag: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW },
  );
  return { dataDir, name: `croupier-${shortHash(dataDir)}` };
}

/** Returns the folder to which the data were relocated. It remains in use even if the modes of the folders change. */
async function readLocation(requested: string): Promise<string | undefined> {
  const text = await fs.readFile(join(requested, 'LOCATION'), 'utf8').catch(() => '');
  const path = text.split('\n', 1)[0] ?? '';
  return isAbsolute(path) ? path : undefined;
}

/**
 * Returns true if one system call can flush the whole file system, instead of one call for each of a thousand files. Linux has reported
 * write errors from this call only since version 5.8.
 */
function syncsAtOnce(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 8));
}

async function runInitdb(initdb: string, draft: string, runAs: User | undefined, durable: boolean) {
  const args = ['-D', draft, '--encoding=UTF8', '--auth=trust', '--username=croupier', '--no-instructions'];
  if (!durable) args.push('--no-sync');
  else if (syncsAtOnce()) args.push('--sync-method=syncfs');
  const run = (locale: string) =>
    promisify(execFile)(initdb, [...args, `--locale=${locale}`], { ...runAs, cwd: '/', env: serverEnv });
  await run('C.UTF-8')
    .catch((error) => {
      if (!/invalid locale/.test(String(error.stderr))) throw error;
      return run('C');
    })
    .catch((error) => {
      throw new Error(`initdb failed: ${error.message}\nSet DATABASE_URL to use a PostgreSQL of your own.`);
    });
}

async function moveIntoPlace(draft: string, dataDir: string): Promise<void> {
  try {
    await fs.rename(draft, dataDir);
  } catch (error) {
    // Another process created the files first. Its files are equivalent.
    if (hasCluster(dataDir)) return;
    const problem = `${dataDir} must be absent or an empty folder (not a mount point) before the first start`;
    throw new Error(problem, { cause: error });
  }
  const parent = await fs.open(dirname(dataDir));
  await parent.sync().finally(() => parent.close());
}

/**
 * Removes unfinished folders of killed runs. A folder is kept only if it is less than five minutes old and its process still runs, because
 * another program may have reused the process id.
 */
async function removeLeftovers(dataDir: string): Promise<void> {
  const prefix = `${basename(dataDir)}.preparing-`;
  for (const name of await fs.readdir(dirname(dataDir)).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const path = join(dirname(dataDir), name);
    const age = Date.now() - ((await fs.stat(path).catch(() => undefined))?.mtimeMs ?? 0);
    const inUse = (await isRunning(Number.parseInt(name.slice(prefix.length), 10))) && age < 300_000;
    if (!inUse) await fs.rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Creates folders that the server's user can enter. With a strict umask, that user could not enter folders created by root. */
async function makeFolders(path: string): Promise<void> {
  const first = await fs.mkdir(path, { recursive: true });
  if (!first || process.getuid?.() !== 0) return;
  for (let dir = path; dir.length >= first.length; dir = dirname(dir)) await secure(dir, { mode: 0o711 });
}

async function resolveExisting(path: string): Promise<{ existing: string; full: string }> {
  const real = await fs.realpath(path).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (real) return { existing: real, full: real };
  const parent = await resolveExisting(dirname(path));
  return { existing: parent.existing, full: join(parent.full, basename(path)) };
}

const hasCluster = (dataDir: string): boolean => existsSync(join(dataDir, 'PG_VERSION'));

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
