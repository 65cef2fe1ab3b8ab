/**
 * npm run rehearse [-- --folder DIR]: verifies that a backup can be restored. It backs up the running database, restores it in DIR
 * (default: a temporary folder) and runs reconcile and audit on the copy. Exits with 1 if a check fails.
 *
 * npm run rehearse -- --backup PATH [--identity KEYFILE] [--to TIME --archive DIR]: does the same with an earlier backup, which is a folder
 * or an archive. With --to and --archive it replays the archived WAL up to that time, and checks that the copy contains no later changes.
 * The database of DATABASE_URL does not have to be running. --postgres names the folder of a PostgreSQL installation, such as
 * /usr/lib/postgresql/15. It is needed if no installation of the server's major version is found.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readConfig, runOnDatabase } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';
import { rehearse, rehearseEarlier } from '../app/commands/rehearse.ts';
import { reasonOf } from '../app/reasons.ts';
import { seedSecret } from '../platform/secrets/encryption.ts';

const text = { type: 'string' } as const;
const usage =
  'npm run rehearse [-- [--backup PATH [--identity KEYFILE] [--to 2026-01-31T12:00:00Z --archive DIR]] [--postgres DIR] [--folder DIR]]';
const { values } = readArguments(usage, {
  options: { folder: text, to: text, backup: text, archive: text, postgres: text, identity: text },
  check({ values: { to, backup, archive, identity } }) {
    if (!backup && (to || archive || identity)) return 'Use --to, --archive and --identity with --backup.';
    if ((to === undefined) !== (archive === undefined))
      return 'Restoring to a point in time needs both --to and --archive.';
    return to !== undefined && Number.isNaN(Date.parse(to))
      ? '--to takes a time (2026-01-31T12:00:00Z).'
      : undefined;
  },
});
const config = readConfig();
const say = (line: string) => console.log(line);
const programs = values.postgres === undefined ? undefined : resolve(values.postgres);
const parts = { seedSecret: seedSecret(config), folder: values.folder, programs, say };
process.exit(
  values.backup === undefined
    ? await runOnDatabase(config, async (url) => ((await rehearse({ ...parts, url })) ? 0 : 1))
    : await rehearseBackup(resolve(values.backup)),
);

async function rehearseBackup(backup: string): Promise<number> {
  const [, database = 'croupier'] = /\/([^/?]+)(?:\?|$)/.exec(config.DATABASE_URL ?? '') ?? [];
  const { to, archive, identity } = values;
  try {
    const isWhole = await rehearseEarlier({
      ...parts,
      backup,
      database,
      identity: identity && (await readFile(identity, 'utf8')),
      archive: archive && resolve(archive),
      moment: to === undefined ? undefined : new Date(to),
    });
    return isWhole ? 0 : 1;
  } catch (error) {
    console.error(`failed: ${reasonOf(error)}`);
    return 1;
  }
}
