/**
 * npm run dead-letters -- list [--queue NAME] | show ID | redrive ID|all [--queue NAME] --by USERNAME | drop ID|all … --by USERNAME:
 * messages of the broker and jobs of the queue that were given up. What is done is in the audit. Exits 1 when it was not done.
 */
import { parseArgs } from 'node:util';
import { createPartLog, readConfig, runOnDatabase } from '../boot.ts';
import { createDeadLetters, type DeadLetter } from '../modules/dead-letters/service.ts';
import { openBroker } from '../platform/broker/open.ts';
import { createDb, createPool } from '../platform/db.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { queue: { type: 'string' }, by: { type: 'string' } },
});
const [command = '', id = ''] = positionals;
const needsId = ['show', 'redrive', 'drop'].includes(command);
if ((command !== 'list' && !needsId) || (needsId && id === '')) {
  console.error(
    'npm run dead-letters -- list | show ID | redrive ID|all --by USERNAME | drop ID|all --by USERNAME',
  );
  process.exit(2);
}
const config = readConfig();
process.exit(await runOnDatabase(config, work));

async function work(connectionString: string): Promise<number> {
  const log = createPartLog('dead-letters', config).named('broker');
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 60_000 };
  const pool = createPool({ connectionString, poolSize: 2, ...timeouts, name: 'croupier dead-letters' }, log);
  const db = createDb(pool);
  const broker = openBroker({
    brokerUrl: config.BROKER_URL,
    db,
    connectionString,
    name: 'dead-letters',
    log,
  });
  try {
    const letters = createDeadLetters({ db, broker, log });
    if (command === 'list') for (const letter of await letters.list(values.queue)) console.log(line(letter));
    else if (command === 'show') console.log(JSON.stringify(await letters.find(id), null, 2));
    else {
      const which = id === 'all' ? { queue: values.queue } : { id };
      const done = await letters.act(command as 'redrive' | 'drop', which, values.by ?? '');
      console.log(`${done} ${command === 'drop' ? 'dropped' : 'driven again'}`);
    }
    return 0;
  } finally {
    await broker.close();
    await pool.end();
  }
}

function line({ id, queue, attempts, diedAt, reason }: DeadLetter): string {
  return [id, queue, diedAt?.toISOString() ?? '-', `${attempts} attempts`, reason.split('\n')[0]].join('  ');
}
