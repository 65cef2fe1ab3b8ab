import { createPartLog, readConfig, runOnDatabase } from '../../app/boot.ts';
import { createDeadLetters, type DeadLetter } from '../../modules/operations/dead-letters/service.ts';
import { createDb, createPool } from '../../platform/database/db.ts';
import { assertMigrated } from '../../platform/database/schema/migrate.ts';
import { silentLog } from '../../platform/observability/log.ts';
import { type CommandFile, misused, type Output, print } from '../command.ts';

const ACTIONS = ['list', 'show', 'redrive', 'drop'] as const;
type Action = (typeof ACTIONS)[number];
type Options = Output & { queue?: string; by?: string };
type Letters = ReturnType<typeof createDeadLetters>;

export const file: CommandFile = {
  details:
    'Dead letters are queued tasks that exhausted their retries. Retries and deletions are recorded in the audit log.',
  examples: [
    'npx croupier dead-letters list --queue mail',
    'npx croupier dead-letters show 4711',
    'npx croupier dead-letters redrive all --queue mail --by alice',
  ],
  define: (command) =>
    command
      .addArgument(command.createArgument('[action]', 'what to do').choices(ACTIONS).default('list'))
      .argument('[id]', 'show, redrive, drop: the id of a dead letter; redrive, drop: or "all"')
      .option('--queue <name>', 'only dead letters of this queue')
      .option('--by <username>', 'redrive, drop: the responsible staff member, for the audit log')
      .action(async (action: Action, id: string | undefined, options: Options) => {
        if (action !== 'list' && !id)
          misused(command, `name the dead letter to ${action}: npx croupier dead-letters lists the ids.`);
        if (action === 'list' && id !== undefined) misused(command, 'list accepts no id: use show.');
        if ((action === 'redrive' || action === 'drop') && !options.by)
          misused(command, 'set --by to the responsible staff member, for the audit log.');
        process.exit(await onLetters(options, (letters) => act(letters, { action, id: id ?? '' }, options)));
      }),
};

async function act(letters: Letters, { action, id }: { action: Action; id: string }, options: Options) {
  const { queue, by = '' } = options;
  if (action === 'list') {
    const all = await letters.list(queue);
    const none = `no dead letters${queue === undefined ? '' : ` in ${queue}`}`;
    return print(options, { deadLetters: all }, all.length === 0 ? [none] : all.map(lineOf));
  }
  // One dead letter is always printed as JSON.
  if (action === 'show') return print({ json: true }, await letters.find(id), []);
  const done = await letters.act(action, id === 'all' ? { queue } : { id }, by);
  const verb = action === 'drop' ? 'dropped' : 'retried';
  print(options, { [verb]: done }, [`${done} ${verb}`]);
}

function onLetters(output: Output, work: (letters: Letters) => Promise<void>): Promise<number> {
  const config = readConfig();
  return runOnDatabase(config, async (connectionString) => {
    const log = output.json ? silentLog : createPartLog('dead-letters', config).named('jobs');
    const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 60_000 };
    const pool = createPool(
      { connectionString, poolSize: 2, ...timeouts, name: 'croupier dead-letters' },
      log,
    );
    const db = createDb(pool);
    try {
      await assertMigrated(db);
      await work(createDeadLetters({ db, log }));
      return 0;
    } finally {
      await pool.end();
    }
  });
}

function lineOf({ id, queue, attempts, diedAt, reason }: DeadLetter): string {
  return [id, queue, diedAt?.toISOString() ?? '-', `${attempts} attempts`, reason.split('\n')[0]].join('  ');
}
