import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { insertBackup } from '../../modules/operations/backups/module.ts';
import { deleteOldArchives, makeDraft, packBackup } from '../../platform/backup/archive.ts';
import { type Backup, takeBackup } from '../../platform/backup/backup.ts';
import { copyTree } from '../../platform/backup/copy-tree.ts';
import type { Config } from '../../platform/config/config.ts';
import { createDb, createPool } from '../../platform/database/db.ts';
import { silentLog } from '../../platform/observability/log.ts';
import { reasonOf } from '../reasons.ts';

type Parts = {
  config: Pick<Config, 'FILE_STORAGE' | 'DATA_DIR'>;
  /** The URL of any database on the server. The backup contains all databases of that server. */
  url: string;
  say: (line: string) => void;
};

/** A finished backup: the folder or the archive, and the names of the older archives that were deleted. */
export type BackedUp = { place: string; finishedAt: Date; bytes: number; deleted: readonly string[] };

/** Backs up the server and the uploaded files to a plain folder. */
export async function backUpTo(to: string, parts: Parts): Promise<BackedUp> {
  const { bytes, ...backup } = await backUp(to, parts);
  const finishedAt = new Date(backup.finishedAt);
  await record(parts, { finishedAt, place: to, bytes });
  parts.say(`done         ${to}: store SEED_SECRET and DATA_SECRET separately`);
  return { place: to, finishedAt, bytes, deleted: [] };
}

type Archived = Parts & {
  /** The age public key that the archive is encrypted for. */
  recipient?: string | undefined;
  /** The number of archives to keep in the folder. If undefined, all are kept. */
  keep?: number | undefined;
};

/** Writes a backup to the folder as one archive. During the backup, the folder also needs space for the unpacked files. */
export async function backUpInto(into: string, { recipient, keep, ...parts }: Archived): Promise<BackedUp> {
  const { url, say } = parts;
  const draft = await makeDraft(into);
  try {
    const folder = join(draft, 'backup');
    const finishedAt = new Date((await backUp(folder, parts)).finishedAt);
    const { file, bytes } = await packBackup({ from: folder, into, finishedAt, recipient });
    say(`packed       ${megabytes(bytes)}, compressed${recipient === undefined ? '' : ' and encrypted'}`);
    await record({ url, say }, { finishedAt, place: file, bytes });
    const deleted = keep === undefined ? [] : await deleteOldArchives(into, keep);
    if (deleted.length > 0) say(`deleted      ${deleted.join(', ')}`);
    say(`done         ${file}: store SEED_SECRET and DATA_SECRET separately`);
    return { place: file, finishedAt, bytes, deleted };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function backUp(to: string, { config, url, say }: Parts): Promise<Backup> {
  const backup = await takeBackup({ url, to });
  tellBackup(say, backup);
  if (config.FILE_STORAGE === 'disk') {
    // Files are copied after the database. An extra file in the backup is harmless, but a missing file would be an image that does not
    // load.
    const { files } = await copyTree(resolve(config.DATA_DIR, 'files'), join(to, 'files'));
    say(`backed up    ${files} uploaded files`);
  }
  return backup;
}

/** Prints a summary of a backup in one line. */
export function tellBackup(say: (line: string) => void, { files, bytes, ms, by, from, until }: Backup): void {
  const seconds = (ms / 1000).toFixed(1);
  say(
    `backed up    ${files} files, ${megabytes(bytes)} by ${by}, log from ${from} to ${until}, ${seconds} s`,
  );
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** Records the backup so that its age can be exported as a metric. This is impossible on a replica, which is read-only. */
async function record(
  { url, say }: Pick<Parts, 'url' | 'say'>,
  backup: Parameters<typeof insertBackup>[1],
): Promise<void> {
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 5000 };
  const pool = createPool(
    { connectionString: url, poolSize: 1, ...timeouts, name: 'croupier backup' },
    silentLog,
  );
  await insertBackup(createDb(pool), backup)
    .catch((error: unknown) => say(`not recorded ${reasonOf(error, url)}`))
    .finally(() => pool.end());
}
