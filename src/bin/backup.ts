/**
 * npm run backup -- --to DIR: a base backup of the running database, with the log that it needs, and of the uploaded files where they lie on the
 * disk. DIR needs to be absent or empty. The secrets are not in it: keep them elsewhere.
 */
import { join, resolve } from 'node:path';
import { readArguments } from '../arguments.ts';
import { readConfig, runOnDatabase } from '../boot.ts';
import { takeBackup } from '../platform/backup.ts';
import { copyTree } from '../platform/copy-tree.ts';
import { tellBackup } from '../rehearsal.ts';

const { values } = readArguments('npm run backup -- --to DIR', {
  options: { to: { type: 'string' } },
  check: ({ values }) => (values.to ? undefined : 'Say where the backup goes.'),
});
const to = resolve(values.to!);
const config = readConfig();
const say = (line: string) => console.log(line);
process.exit(await runOnDatabase(config, backUp));

async function backUp(url: string): Promise<number> {
  tellBackup(say, await takeBackup({ url, to }));
  if (config.FILE_STORAGE === 'disk') {
    // After the database: a file that nothing names harms nobody, one that is missing is a picture that does not load.
    const { files } = await copyTree(resolve(config.DATA_DIR, 'files'), join(to, 'files'));
    say(`backed up    ${files} uploaded files`);
  }
  say(`done         ${to}: keep SEED_SECRET and DATA_SECRET apart from it`);
  return 0;
}
