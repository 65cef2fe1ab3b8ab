import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { childrenOf, isAlive, isGone, send } from '../crash/processes.ts';
import { until } from '../kit/until.ts';

export type Daemon = { name: string; pid: number; process: ChildProcess; logFile: string };
export type Daemons = ReturnType<typeof createDaemons>;
type Start = { name: string; program: string; args: readonly string[]; env?: Record<string, string> };

/** The user that servers run as when this process is root, because PostgreSQL refuses to run as root. */
const SERVER_USER = process.getuid?.() === 0 ? userNamed('nobody') : undefined;

/**
 * Runs servers in one folder, none of them as root, and writes their process ids to the file `pids`. When this process ends, kills
 * everything still running in the folder, including orphaned children of servers.
 */
export function createDaemons(folder: string) {
  if (SERVER_USER) chownSync(folder, SERVER_USER.uid, SERVER_USER.gid);
  const left = (): number[] => processesIn(folder);
  const killAll = (): void => {
    for (const pid of freeze(left())) send(pid, 'SIGKILL');
  };
  process.once('exit', killAll);

  return {
    start({ name, program, args, env = {} }: Start): Daemon {
      const logFile = join(folder, `${name}.log`);
      const log = openSync(logFile, 'a');
      const child = spawn(program, args, {
        ...SERVER_USER,
        cwd: folder,
        env: { PATH: '/usr/bin:/bin:/usr/sbin', HOME: folder, LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env },
        // The server has its own process group, so that Ctrl-C does not end it before the programs that use it.
        detached: true,
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      appendFileSync(join(folder, 'pids'), `${child.pid} ${name}\n`);
      return { name, pid: child.pid!, process: child, logFile };
    },

    /** Creates a folder that the servers can write to. */
    makeFolder(name: string): string {
      const path = join(folder, name);
      mkdirSync(path, { mode: 0o700 });
      if (SERVER_USER) chownSync(path, SERVER_USER.uid, SERVER_USER.gid);
      return path;
    },

    /** Returns the processes still running. */
    left,

    killAll(): void {
      killAll();
      process.off('exit', killAll);
    },
  };
}

/** Sends SIGTERM; resolves when the process has ended. Patroni stops its PostgreSQL first. */
export async function stopDaemon({ pid }: Daemon): Promise<void> {
  send(pid, 'SIGTERM');
  await until(() => !isAlive(pid), 60_000);
}

/** Returns the processes whose working directory is in the folder. For PostgreSQL this is its data directory. */
function processesIn(folder: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isAlive(pid) && `${folderOf(pid)}/`.startsWith(`${folder}/`));
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** Returns a process and all its descendants. */
export function withDescendants(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(withDescendants)];
}

/** Sends SIGSTOP to processes and all their descendants, so that none can start another or notice that one has ended. */
export function freeze(pids: readonly number[]): number[] {
  for (const pid of pids) send(pid, 'SIGSTOP');
  const all = pids.flatMap(withDescendants);
  for (const pid of all) send(pid, 'SIGSTOP');
  return all;
}

/** Simulates a power failure. The processes are stopped first, so none of them runs while another is dead. */
export async function killAtOnce(pids: readonly number[]): Promise<void> {
  const all = freeze(pids);
  for (const pid of all) send(pid, 'SIGKILL');
  for (const pid of all) await isGone(pid);
}

function userNamed(name: string): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined) throw new Error(`there is no user ${name}, and PostgreSQL does not run as root`);
  return { uid: Number(uid), gid: Number(gid) };
}
