import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readConfig, runOnDatabase } from '../../app/boot.ts';
import { type Rehearsal, rehearse, rehearseEarlier } from '../../app/commands/rehearse.ts';
import { reasonOf } from '../../app/reasons.ts';
import { seedSecret } from '../../platform/secrets/encryption.ts';
import { type CommandFile, createProgress, misused, type Output, print, timeOf } from '../command.ts';

type Options = Output & {
  [Name in 'folder' | 'to' | 'backup' | 'archive' | 'postgres' | 'identity']?: string;
};

export const file: CommandFile = {
  details:
    'Restores a new or an earlier backup in a temporary folder, and runs reconcile and audit on the copy. With --to and --archive it replays ' +
    'the archived WAL up to that time, and checks that the copy contains no later changes. Exits with 1 if a check fails.',
  examples: [
    'npx croupier rehearse',
    'npx croupier rehearse --backup /var/backups/croupier/….tar.zst.age --identity key.txt',
    'npx croupier rehearse --backup /backups/monday --to 2026-01-31T12:00:00Z --archive /archive',
  ],
  define: (command) =>
    command
      .option(
        '--backup <path>',
        'an earlier backup: a folder or an archive; the database does not have to be running',
      )
      .option('--identity <file>', 'with --backup: the key file that decrypts the archive')
      .option('--to <time>', 'with --backup and --archive: the time up to which to recover')
      .option('--archive <folder>', 'with --backup and --to: the WAL archive')
      .option('--postgres <folder>', 'a PostgreSQL installation, such as /usr/lib/postgresql/15')
      .option('--folder <folder>', 'the folder for the copy (default: a temporary folder)')
      .action(async (options: Options) => {
        const problem = problemOf(options);
        if (problem !== undefined) misused(command, problem);
        process.exit(await run(options));
      }),
};

function problemOf({ to, backup, archive, identity }: Options): string | undefined {
  if (!backup && (to || archive || identity)) return 'use --to, --archive and --identity with --backup.';
  if ((to === undefined) !== (archive === undefined))
    return 'restoring to a point in time needs both --to and --archive.';
  return to !== undefined && !timeOf(to) ? '--to takes a time (2026-01-31T12:00:00Z).' : undefined;
}

async function run(options: Options): Promise<number> {
  const config = readConfig();
  const { say, wait, end } = createProgress(options);
  const programs = options.postgres === undefined ? undefined : resolve(options.postgres);
  const parts = { seedSecret: seedSecret(config), folder: options.folder, programs, say };
  const report = async (rehearsing: Promise<Rehearsal>) => {
    const { isWhole, ...result } = await rehearsing.finally(end);
    print(options, { passed: isWhole, ...result }, []);
    return isWhole ? 0 : 1;
  };
  wait('rehearsing');
  if (options.backup === undefined)
    return runOnDatabase(config, (url) => report(rehearse({ ...parts, url })));
  const [, database = 'croupier'] = /\/([^/?]+)(?:\?|$)/.exec(config.DATABASE_URL ?? '') ?? [];
  const { to, archive, identity } = options;
  try {
    const earlier = {
      ...parts,
      backup: resolve(options.backup),
      database,
      identity: identity && (await readFile(identity, 'utf8')),
      archive: archive && resolve(archive),
      moment: to === undefined ? undefined : timeOf(to),
    };
    return await report(rehearseEarlier(earlier));
  } catch (error) {
    end();
    console.error(`failed: ${reasonOf(error)}`);
    return 1;
  }
}
