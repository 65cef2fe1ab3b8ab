import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Programs of the cluster, and their packages in Debian 12. */
const NEEDED = {
  etcd: 'etcd-server',
  patroni: 'patroni',
  haproxy: 'haproxy',
  postgres: 'postgresql-15',
} as const;
const POSTGRES_BIN = '/usr/lib/postgresql/15/bin';
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/bin', '/usr/sbin', '/usr/local/bin'];

export type Programs = Record<keyof typeof NEEDED, string>;

/** Returns the programs' paths, or the missing packages. */
export function findPrograms(): { programs: Programs; missing: string[] } {
  const found = Object.keys(NEEDED).map((name) => {
    const folders = name === 'postgres' ? [POSTGRES_BIN] : FOLDERS;
    return [name, folders.map((folder) => join(folder, name)).find(isProgram)] as const;
  });
  const missing = found.flatMap(([name, path]) => (path ? [] : NEEDED[name as keyof typeof NEEDED]));
  return { programs: Object.fromEntries(found) as Programs, missing };
}

/**
 * Starts a program below a small Python program that, like systemd, reaps orphaned descendants as soon as they end. Patroni waits for the
 * end of its PostgreSQL, but the first process of a container may reap it seconds later or never. Python is available, because Patroni
 * needs it.
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
