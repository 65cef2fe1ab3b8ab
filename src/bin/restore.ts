/**
 * npm run restore -- --from DIR --to DATADIR [--archive DIR [--until TIME]]: creates a data directory from a backup, for a PostgreSQL of
 * the same major version. With the WAL archive it recovers beyond the backup, to the end of the archive or to the given time.
 */
import { resolve } from 'node:path';
import { readArguments } from '../app/commands/arguments.ts';
import { reasonOf } from '../app/reasons.ts';
import { restoreBackup } from '../platform/backup/restore.ts';

const text = { type: 'string' } as const;
const usage = 'npm run restore -- --from DIR --to DATADIR [--archive DIR [--until 2026-01-31T12:00:00Z]]';
const { values } = readArguments(usage, {
  options: { from: text, to: text, archive: text, until: text },
  check({ values }) {
    if (!values.from || !values.to)
      return '--from (the backup) and --to (the new data directory) are required.';
    if (values.until === undefined) return undefined;
    if (!values.archive)
      return '--until needs --archive, because restoring to a point in time uses the archived WAL.';
    return Number.isNaN(Date.parse(values.until))
      ? '--until takes a time (2026-01-31T12:00:00Z).'
      : undefined;
  },
});
const [from, to, archive] = [values.from!, values.to!, values.archive];
const until = values.until === undefined ? undefined : new Date(values.until);
const end = archive
  ? `the WAL in ${archive}${until ? ` up to ${until.toISOString()}` : ''}`
  : 'the WAL in the backup';
try {
  const backup = await restoreBackup({ from, to: resolve(to), archive: archive && resolve(archive), until });
  console.log(`restored     a backup of ${backup.finishedAt} (PostgreSQL ${backup.postgres}) in ${to}`);
  console.log(
    `next         start PostgreSQL on it, which recovers from ${end}; then run npm run reconcile and npm run audit`,
  );
} catch (error) {
  console.error(`failed: ${reasonOf(error)}`);
  process.exitCode = 1;
}
