/**
 * npm run migrate: migrates the database schema and exits. Every part also migrates the schema when it starts. Run this command before you
 * start a new version, to see whether the migration succeeds. Exits with 1 if the database is newer than this version or read-only.
 */

import { createPartLog, readConfig, runOnDatabase } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';
import { prepareDatabase } from '../platform/database/schema/prepare.ts';

readArguments('npm run migrate', { options: {} });
const config = readConfig();
process.exit(
  await runOnDatabase(config, async (connectionString) => {
    const timeouts = {
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 600_000,
      startTimeoutMs: config.DATABASE_START_TIMEOUT_MS,
    };
    const database = { connectionString, poolSize: 1, ...timeouts, name: 'croupier migrate' };
    const applied = await prepareDatabase(database, config, createPartLog('migrate', config));
    console.log(applied.length === 0 ? 'already up to date' : `applied ${applied.join(', ')}`);
    return 0;
  }),
);
