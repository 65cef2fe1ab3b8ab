import { createPartLog, readConfig, runOnDatabase } from '../../app/boot.ts';
import { prepareDatabase } from '../../platform/database/schema/prepare.ts';
import { silentLog } from '../../platform/observability/log.ts';
import { type CommandFile, type Output, print } from '../command.ts';

export const file: CommandFile = {
  details:
    'Every part also migrates the schema when it starts. Run this command before you start a new version, to see whether the migration ' +
    'succeeds. Exits with 1 if the database is newer than this version or read-only.',
  examples: ['npx croupier migrate'],
  define: (command) => command.action(async (output: Output) => process.exit(await migrate(output))),
};

function migrate(output: Output): Promise<number> {
  const config = readConfig();
  return runOnDatabase(config, async (connectionString) => {
    const timeouts = {
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 600_000,
      startTimeoutMs: config.DATABASE_START_TIMEOUT_MS,
    };
    const database = { connectionString, poolSize: 1, ...timeouts, name: 'croupier migrate' };
    const log = output.json ? silentLog : createPartLog('migrate', config);
    const applied = await prepareDatabase(database, config, log);
    print(output, { applied }, [
      applied.length === 0 ? 'already up to date' : `applied ${applied.join(', ')}`,
    ]);
    return 0;
  });
}
