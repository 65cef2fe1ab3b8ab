/**
 * npm run partitions: lists the monthly partitions of bets and ledger postings with their sizes. `-- create` creates the partitions that
 * are due. `-- detach bets 2026-11` moves the oldest partition to the schema `archive`; `-- attach bets 2026-11` moves it back.
 */

import { readConfig, runOnDb } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';
import { LISTS, partOf } from '../modules/operations/partitions/rules.ts';
import { createPartitions, type Partitions } from '../modules/operations/partitions/service.ts';
import type { Db, DbOptions } from '../platform/database/db.ts';
import { silentLog } from '../platform/observability/log.ts';

const listOf = (text: string | undefined) => LISTS.find((name) => name === text);
const usage = `npm run partitions [-- list | create | detach LIST MONTH | attach LIST MONTH]
LIST is one of ${LISTS.join(', ')}; MONTH has the form 2026-11, or is "before"`;
const { positionals } = readArguments(usage, { options: {}, words: 3, check: misuse });
const [action = 'list', named, month = ''] = positionals;
const list = listOf(named);
const config = readConfig();
process.exit(await runOnDb(config, { name: 'partitions' }, operate));

async function operate(db: Db, database: DbOptions): Promise<number> {
  const partitions = createPartitions({ db, database, log: silentLog, config });
  if (action === 'create') await partitions.ensure();
  if (list && action === 'detach') await partitions.detach(list, month);
  if (list && action === 'attach') await partitions.attach(list, month);
  await tell(partitions);
  return 0;
}

function misuse({ positionals: [action = 'list', named, month = ''] }: { positionals: string[] }) {
  if (['list', 'create'].includes(action))
    return named === undefined ? undefined : `${action} accepts no further arguments.`;
  if (!['attach', 'detach'].includes(action)) return `Unknown command ${action}.`;
  const list = listOf(named);
  if (!list) return `Name the list and the month to ${action}.`;
  try {
    partOf(list, month);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function tell(partitions: Partitions): Promise<void> {
  for (const { part, state, rows, bytes } of await partitions.list())
    console.log(
      `${part.padEnd(24)} ${state.padEnd(9)} ${String(rows).padStart(12)} rows ${megabytes(bytes)}`,
    );
}

function megabytes(bytes: bigint): string {
  return `${(Number(bytes) / 1e6).toFixed(1).padStart(10)} MB`;
}
