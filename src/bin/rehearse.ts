/**
 * npm run rehearse [-- --folder DIR]: proves that a backup can be restored: takes one of the running database, restores it in DIR (a
 * temporary folder) and runs reconcile and audit on the copy. Exits 1 when anything does not hold.
 *
 * npm run rehearse -- --to TIME --backup DIR --archive DIR [--postgres DIR]: the same with a backup that there is, and the archived log followed to
 * that moment: proves that the books agree there and that nothing came after it. The database does not need to run. DATABASE_URL says which
 * one is looked at; --postgres names the folder of a PostgreSQL (/usr/lib/postgresql/15) where the server is not of the major version of npm's.
 */
import { resolve } from 'node:path';
import { readArguments } from '../arguments.ts';
import { readConfig, runOnDatabase } from '../boot.ts';
import { reasonOf } from '../reasons.ts';
import { rehearse, rehearseMoment } from '../rehearsal.ts';

const text = { type: 'string' } as const;
const usage =
  'npm run rehearse [-- [--to 2026-01-31T12:00:00Z --backup DIR --archive DIR [--postgres DIR]] [--folder DIR]]';
const { values } = readArguments(usage, {
  options: { folder: text, to: text, backup: text, archive: text, postgres: text },
  check({ values: { to, backup, archive, postgres } }) {
    if (to === undefined)
      return backup || archive || postgres ? '--backup, --archive and --postgres go with --to.' : undefined;
    if (!backup || !archive) return 'A moment is gone back to with a --backup and the --archive of the log.';
    return Number.isNaN(Date.parse(to)) ? '--to takes a time (2026-01-31T12:00:00Z).' : undefined;
  },
});
const config = readConfig();
const say = (line: string) => console.log(line);
const parts = { seedSecret: config.SEED_SECRET, folder: values.folder, say };
process.exit(
  values.to === undefined
    ? await runOnDatabase(config, async (url) => ((await rehearse({ ...parts, url })) ? 0 : 1))
    : await goBack(new Date(values.to)),
);

async function goBack(moment: Date): Promise<number> {
  const [, database = 'croupier'] = /\/([^/?]+)(?:\?|$)/.exec(config.DATABASE_URL ?? '') ?? [];
  const { postgres } = values;
  const [backup, archive] = [resolve(values.backup!), resolve(values.archive!)];
  const programs = postgres === undefined ? undefined : resolve(postgres);
  try {
    const isWhole = await rehearseMoment({ ...parts, backup, archive, moment, programs, database });
    return isWhole ? 0 : 1;
  } catch (error) {
    console.error(`not done: ${reasonOf(error)}`);
    return 1;
  }
}
