import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import type { Backup } from './backup.ts';
import { copyTree, giveToOwnerOf } from './copy-tree.ts';

type Options = {
  /** A folder filled by `takeBackup`. */
  from: string;
  /** The data directory to create. It must be absent or empty. */
  to: string;
  /**
   * The WAL archive: the folder to which the server's archive_command copied its log. With it, recovery continues beyond the end of the
   * backup.
   */
  archive?: string | undefined;
  /** The time at which recovery with the archive ends. If undefined, recovery ends at the end of the archive. */
  until?: Date | undefined;
  /** If false, files are not flushed to disk. Used only in tests. */
  durable?: boolean;
};

/**
 * Creates a data directory from a backup. When PostgreSQL is started on it, it recovers from the log in the backup, or from the archive up
 * to `until`, and then accepts writes. When run as root, gives the files to the owner of the original data.
 */
export async function restoreBackup({ from, to, archive, until, durable = true }: Options): Promise<Backup> {
  if (until && !archive)
    throw new Error('Restoring to a point in time requires the WAL archive (--archive).');
  const text = await fs.readFile(join(from, 'backup.json'), 'utf8').catch(() => undefined);
  if (text === undefined && from.includes('.tar.zst'))
    throw new Error(`${from} is an archive: unpack it with npx croupier backup --unpack FILE --to DIR`);
  if (text === undefined) throw new Error(`${from} is not a complete backup: it has no backup.json`);
  if (archive && !(await fs.stat(archive).catch(() => undefined))?.isDirectory())
    throw new Error(`${archive} is not a folder: set --archive to the folder that archive_command writes to`);
  const present = await fs.readdir(to).catch(() => []);
  if (present.length > 0) throw new Error(`${to} needs to be an empty folder`);
  const source = join(from, 'data');
  await copyTree(source, to, { durable });
  // A backup taken from a replica contains standby.signal, but the copy is not a replica.
  await fs.rm(join(to, 'standby.signal'), { force: true });
  if (archive) await followArchive(to, { archive, until });
  await fs.chmod(to, 0o700);
  await giveToOwnerOf(source, to);
  return JSON.parse(text) as Backup;
}

async function followArchive(to: string, { archive, until }: { archive: string; until: Date | undefined }) {
  const settings = {
    restore_command: `cp "${archive}/%f" "%p"`,
    // The restored server must not write into the archive that it is restored from.
    archive_mode: 'off',
    ...(until
      ? {
          recovery_target_time: until.toISOString().replace('T', ' ').replace('Z', '+00'),
          recovery_target_action: 'promote',
        }
      : {}),
  };
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  );
  await fs.appendFile(join(to, 'postgresql.auto.conf'), lines.join(''));
  await fs.writeFile(join(to, 'recovery.signal'), '');
}
