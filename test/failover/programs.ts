import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** What the cluster is made of, and the package of Debian 12 that has it. */
const NEEDED = {
  etcd: 'etcd-server',
  patroni: 'patroni',
  haproxy: 'haproxy',
  postgres: 'postgresql-15',
} as const;
const POSTGRES_BIN = '/usr/lib/postgresql/15/bin';
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/bin', '/usr/sbin', '/usr/local/bin'];

export type Programs = Record<keyof typeof NEEDED, string>;

/** Where the programs are; or the packages that are missing. */
export function findPrograms(): { programs: Programs; missing: string[] } {
  const found = Object.keys(NEEDED).map((name) => {
    const folders = name === 'postgres' ? [POSTGRES_BIN] : FOLDERS;
    return [name, folders.map((folder) => join(folder, name)).find(isProgram)] as const;
  });
  const missing = found.flatMap(([name, path]) => (path ? [] : NEEDED[name as keyof typeof NEEDED]));
  return { programs: Object.fromEntries(found) as Programs, missing };
}

/**
 * Starts a program as systemd does: what it has started and left to itself is collected as soon as it ends. Patroni waits for the end of its
 * PostgreSQL, and the first process of a container may take seconds to collect that, or never do it. Python is there: Patroni is written in it.
 */
const SERVICE = `
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
program = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: os.kill(program, signal.SIGTERM))
while os.wait()[0] != program:
    pass
`;

export const asService = (program: string, ...args: string[]): { program: string; args: string[] } => ({
  program: 'python3',
  args: ['-c', SERVICE, program, ...args],
});

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
