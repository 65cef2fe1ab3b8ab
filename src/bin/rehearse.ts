/**
 * npm run rehearse [-- --folder DIR]: proves that a backup can be restored: takes one of the running database, restores it in DIR (a
 * temporary folder) and runs reconcile and audit on the copy. Exits 1 when anything does not hold.
 */
import { readArguments } from '../arguments.ts';
import { readConfig, runOnDatabase } from '../boot.ts';
import { rehearse } from '../rehearsal.ts';

const { values } = readArguments('npm run rehearse [-- --folder DIR]', {
  options: { folder: { type: 'string' } },
});
const config = readConfig();
process.exit(
  await runOnDatabase(config, async (url) => {
    const parts = { url, seedSecret: config.SEED_SECRET, folder: values.folder };
    return (await rehearse({ ...parts, say: (line) => console.log(line) })) ? 0 : 1;
  }),
);
