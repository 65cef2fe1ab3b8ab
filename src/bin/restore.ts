/**
 * npm run restore -- --from DIR --to DATADIR [--archive DIR [--until TIME]]: makes a data directory of a backup, for a PostgreSQL of the same major
 * version to be started on. With the archive of the server's log it recovers beyond the backup, to the end or to that moment.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { restoreBackup } from '../platform/restore.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { from: text, to: text, archive: text, until: text } });
const { from, to, archive } = values;
const until = values.until === undefined ? undefined : new Date(values.until);
if (!from || !to || (until && Number.isNaN(until.getTime()))) {
  console.error('npm run restore -- --from DIR --to DATADIR [--archive DIR [--until 2026-01-31T12:00:00Z]]');
  process.exit(2);
}
const end = archive
  ? `the log in ${archive}${until ? ` up to ${until.toISOString()}` : ''}`
  : 'what is in it';
try {
  const backup = await restoreBackup({ from, to: resolve(to), archive: archive && resolve(archive), until });
  console.log(`restored     a backup of ${backup.finishedAt} (PostgreSQL ${backup.postgres}) in ${to}`);
  console.log(
    `next         start a PostgreSQL on it: it recovers from ${end}; then npm run reconcile, npm run audit`,
  );
} catch (error) {
  console.error(`not done: ${(error as Error).message}`);
  process.exitCode = 1;
}
