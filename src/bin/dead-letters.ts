/**
 * npm run dead-letters -- list [--queue NAME] | show ID | redrive ID|all [--queue NAME] --by USERNAME | drop ID|all … --by USERNAME: lists,
 * retries or deletes broker messages and queued tasks that exhausted their retries. Actions are recorded in the audit log. Exits with 1 if
 * the action failed.
 */

import { createPartLog, readConfig, runOnDatabase } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';
import { createDeadLetters, type DeadLetter } from '../modules/operations/dead-letters/service.ts';
import { openBroker } from '../platform/broker/open.ts';
import { createDb, createPool } from '../platform/database/db.ts';
import { assertMigrated } from '../platform/database/schema/migrate.ts';

const usage =
  'npm run dead-letters [-- list [--queue NAME] | show ID | redrive ID|all [--queue NAME] --by USERNAME | drop ID|all [--queue NAME] --by USERNAME]';
const { values, positionals } = readArguments(usage, {
  options: { queue: { type: 'string' }, by: { type: 'string' } },
  words: 2,
  check({ values, positionals: [command = 'list', id] }) {
    if (!['list', 'show', 'redrive', 'drop'].includes(command)) return `Unknown command ${command}.`;
    if (command !== 'list' && !id)
      return `Name the dead letter to ${command}: npm run dead-letters lists the ids.`;
    if (['redrive', 'drop'].includes(command) && !values.by)
      return 'Set --by to the responsible staff member, for the audit log.';
    return undefined;
  },
});
const [command = 'list', id = ''] = positionals;
const config = readConfig();
process.exit(await runOnDatabase(config, work));

async function work(connectionString: string): Promise<number> {
  const log = createPartLog('dead-letters', config).named('broker');
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 60_000 };
  const pool = createPool({ connectionString, poolSize: 2, ...timeouts, name: 'croupier dead-letters' }, log);
  const db = createDb(pool);
  const broker = await openBroker({
    brokerUrl: config.BROKER_URL,
    db,
    connectionString,
    name: 'dead-letters',
    log,
  });
  try {
    await assertMigrated(db);
    const letters = createDeadLetters({ db, broker, log });
    if (command === 'list') tell(await letters.list(values.queue));
    else if (command === 'show') console.log(JSON.stringify(await letters.find(id), null, 2));
    else {
      const which = id === 'all' ? { queue: values.queue } : { id };
      const done = await letters.act(command as 'redrive' | 'drop', which, values.by ?? '');
      console.log(`${done} ${command === 'drop' ? 'dropped' : 'retried'}`);
    }
    return 0;
  } finally {
    await broker.close();
    await pool.end();
  }
}

function tell(letters: readonly DeadLetter[]): void {
  const where = values.queue === undefined ? '' : ` in ${values.queue}`;
  for (const letter of letters) console.log(line(letter));
  if (letters.length === 0) console.log(`no dead letters${where}`);
}

function line({ id, queue, attempts, diedAt, reason }: DeadLetter): string {
  return [id, queue, diedAt?.toISOString() ?? '-', `${attempts} attempts`, reason.split('\n')[0]].join('  ');
}
