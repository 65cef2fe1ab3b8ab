/**
 * npm run partitions: the months of bets and ledger lines with their sizes. `-- create`: makes those that are due. `-- detach bets
 * 2026-11` takes the oldest one away into the schema `archive`, `-- attach bets 2026-11` brings it back.
 */
import { readConfig, runOnDb } from '../boot.ts';
import { LISTS } from '../modules/partitions/rules.ts';
import { createPartitions, type Partitions } from '../modules/partitions/service.ts';
import type { Db, DbOptions } from '../platform/db.ts';
import { silentLog } from '../platform/log.ts';

const USAGE = `npm run partitions [-- create | detach <list> <month> | attach <list> <month>], of the lists ${LISTS.join(', ')}`;
const [action = 'list', named, month = ''] = process.argv.slice(2);
const list = LISTS.find((name) => name === named);
if (!['list', 'create'].includes(action) && !(['attach', 'detach'].includes(action) && list && month)) {
  console.error(USAGE);
  process.exit(2);
}
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

async function tell(partitions: Partitions): Promise<void> {
  for (const { part, state, rows, bytes } of await partitions.list())
    console.log(
      `${part.padEnd(24)} ${state.padEnd(9)} ${String(rows).padStart(12)} rows ${megabytes(bytes)}`,
    );
}

function megabytes(bytes: bigint): string {
  return `${(Number(bytes) / 1e6).toFixed(1).padStart(10)} MB`;
}
