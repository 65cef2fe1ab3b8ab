import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import type { Backup } from './backup.ts';
import { copyTree, giveToOwnerOf } from './copy-tree.ts';

type Options = {
  /** A folder that `takeBackup` has filled. */
  from: string;
  /** The data directory that is made: absent or empty. */
  to: string;
  /** Where the server's archive_command has put its log: it is followed beyond the backup … */
  archive?: string | undefined;
  /** … to its end, or to this moment. */
  until?: Date | undefined;
  /** `false` is for tests: nothing is flushed to the disk. */
  durable?: boolean;
};

/**
 * Makes a data directory of a backup. The PostgreSQL that is started on it recovers from the log that lies in it, or from the archive as far as
 * asked for, and then takes writes. As root, the files get the owner that the data of the server had.
 */
export async function restoreBackup({ from, to, archive, until, durable = true }: Options): Promise<Backup> {
  if (until && !archive) throw new Error('A moment can be gone back to only with the archive of the log.');
  const text = await fs.readFile(join(from, 'backup.json'), 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error(`${from} is no finished backup: it has no backup.json`);
  if (archive && !(await fs.stat(archive).catch(() => undefined))?.isDirectory())
    throw new Error(`${archive} is no folder: --archive takes the one that archive_command writes to`);
  const present = await fs.readdir(to).catch(() => []);
  if (present.length > 0) throw new Error(`${to} needs to be an empty folder`);
  const source = join(from, 'data');
  await copyTree(source, to, { durable });
  // Of a backup that was taken of a replica: the copy is nobody's replica.
  await fs.rm(join(to, 'standby.signal'), { force: true });
  if (archive) await followArchive(to, { archive, until });
  await fs.chmod(to, 0o700);
  await giveToOwnerOf(source, to);
  return JSON.parse(text) as Backup;
}

async function followArchive(to: string, { archive, until }: { archive: string; until: Date | undefined }) {
  const settings = {
    restore_command: `cp "${archive}/%f" "%p"`,
    // A server that archives must not write into the archive that it is restored from.
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
