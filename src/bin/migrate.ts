/**
 * npm run migrate: brings the schema of the database up to date and ends. Every part does the same at its start; ahead of an upgrade this does it
 * once, for all to see. Exits 1 when the database is newer than this version or takes no writes.
 */
import { readArguments } from '../arguments.ts';
import { createPartLog, readConfig, runOnDatabase } from '../boot.ts';
import { prepareDatabase } from '../platform/prepare.ts';

readArguments('npm run migrate', { options: {} });
const config = readConfig();
process.exit(
  await runOnDatabase(config, async (connectionString) => {
    const timeouts = { connectTimeoutMs: 10_000, statementTimeoutMs: 600_000 };
    const database = { connectionString, poolSize: 1, ...timeouts, name: 'croupier migrate' };
    const applied = await prepareDatabase(database, config, createPartLog('migrate', config));
    console.log(applied.length === 0 ? 'up to date already' : `applied ${applied.join(', ')}`);
    return 0;
  }),
);
