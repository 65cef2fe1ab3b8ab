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

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
