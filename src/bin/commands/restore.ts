import { resolve } from 'node:path';
import { reasonOf } from '../../app/reasons.ts';
import { restoreBackup } from '../../platform/backup/restore.ts';
import { type CommandFile, createProgress, misused, type Output, print, timeOf } from '../command.ts';

type Options = Output & { from: string; to: string; archive?: string; until?: string };

export const file: CommandFile = {
  details:
    'The data directory is for a PostgreSQL of the same major version. With the WAL archive, PostgreSQL recovers beyond the backup, to the ' +
    'end of the archive or to the given time.',
  examples: [
    'npx croupier restore --from /backups/monday --to /var/lib/postgresql/new',
    'npx croupier restore --from /backups/monday --to /var/lib/postgresql/new --archive /archive --until 2026-01-31T12:00:00Z',
  ],
  define: (command) =>
    command
      .requiredOption('--from <folder>', 'the backup')
      .requiredOption('--to <folder>', 'the new data directory')
      .option('--archive <folder>', 'the WAL archive')
      .option('--until <time>', 'the time up to which to recover, such as 2026-01-31T12:00:00Z')
      .action(async (options: Options) => {
        const { archive, until } = options;
        if (until !== undefined && !archive)
          misused(
            command,
            '--until needs --archive, because restoring to a point in time uses the archived WAL.',
          );
        if (until !== undefined && !timeOf(until))
          misused(command, '--until takes a time (2026-01-31T12:00:00Z).');
        process.exit(await restore(options));
      }),
};

async function restore({ from, to, archive, ...options }: Options): Promise<number> {
  const until = options.until === undefined ? undefined : timeOf(options.until);
  const end = archive
    ? `the WAL in ${archive}${until ? ` up to ${until.toISOString()}` : ''}`
    : 'the WAL in the backup';
  const progress = createProgress(options);
  progress.wait('restoring');
  try {
    const backup = await restoreBackup({
      from,
      to: resolve(to),
      archive: archive && resolve(archive),
      until,
    }).finally(progress.end);
    const { finishedAt, postgres } = backup;
    print(options, { to: resolve(to), finishedAt, postgres }, [
      `restored     a backup of ${finishedAt} (PostgreSQL ${postgres}) in ${to}`,
      `next         start PostgreSQL on it, which recovers from ${end}; then run npx croupier reconcile and npx croupier audit`,
    ]);
    return 0;
  } catch (error) {
    console.error(`failed: ${reasonOf(error)}`);
    return 1;
  }
}
