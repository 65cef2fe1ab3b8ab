import { readConfig, runOnDb } from '../../app/boot.ts';
import { LISTS, type List, partOf } from '../../modules/operations/partitions/rules.ts';
import { createPartitions, type Partitions } from '../../modules/operations/partitions/service.ts';
import { silentLog } from '../../platform/observability/log.ts';
import { type CommandFile, misused, type Output, print } from '../command.ts';

const ACTIONS = ['list', 'create', 'detach', 'attach'] as const;
type Order = { action: (typeof ACTIONS)[number]; list: List | undefined; month: string };

export const file: CommandFile = {
  details:
    'Prints the monthly partitions of bets and ledger postings with their sizes. `create` creates the partitions that are due, `detach` ' +
    'moves the oldest partition to the schema `archive`, and `attach` moves it back.',
  examples: ['npx croupier partitions', 'npx croupier partitions detach bets 2026-11'],
  define: (command) =>
    command
      .addArgument(command.createArgument('[action]', 'what to do').choices(ACTIONS).default('list'))
      .argument('[list]', `detach, attach: ${LISTS.join(' or ')}`)
      .argument('[month]', 'detach, attach: a month such as 2026-11, or "before"')
      .action(async (action: Order['action'], named: string | undefined, month = '', output: Output) => {
        const order = { action, list: LISTS.find((name) => name === named), month };
        const problem = problemOf(order, named);
        if (problem !== undefined) misused(command, problem);
        const config = readConfig();
        process.exit(
          await runOnDb(config, { name: 'partitions' }, async (db, database) => {
            const partitions = createPartitions({ db, database, log: silentLog, config });
            return operate(partitions, order, output);
          }),
        );
      }),
};

async function operate(
  partitions: Partitions,
  { action, list, month }: Order,
  output: Output,
): Promise<number> {
  if (action === 'create') await partitions.ensure();
  if (list && action === 'detach') await partitions.detach(list, month);
  if (list && action === 'attach') await partitions.attach(list, month);
  const parts = await partitions.list();
  print(
    output,
    { partitions: parts.map(({ part, state, rows, bytes }) => ({ part, state, rows, bytes })) },
    parts.map(
      ({ part, state, rows, bytes }) =>
        `${part.padEnd(24)} ${state.padEnd(9)} ${String(rows).padStart(12)} rows ${megabytes(bytes)}`,
    ),
  );
  return 0;
}

function problemOf({ action, list, month }: Order, named: string | undefined): string | undefined {
  if (action === 'list' || action === 'create')
    return named === undefined ? undefined : `${action} accepts no further arguments.`;
  if (!list || month === '') return `name the list and the month to ${action}.`;
  try {
    partOf(list, month);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function megabytes(bytes: bigint): string {
  return `${(Number(bytes) / 1e6).toFixed(1).padStart(10)} MB`;
}
