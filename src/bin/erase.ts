/**
 * npm run erase -- 4711 --reason "request of 3 May" [--by 12]: makes a person unrecognisable and shuts the account for ever. Ledger, bets,
 * payments and audit stay. Refused (exit 1) while something is open on the account; a second time there is nothing to do. `--by` is
 * the member of staff who answers for it in the audit; without it the person's own wish stands there.
 */
import { parseArgs } from 'node:util';
import { createPartLog, readConfig, runOnDb } from '../boot.ts';
import { erase } from '../modules/user-admin/erase.ts';
import type { Db } from '../platform/db.ts';
import { createFiles } from '../platform/files.ts';

const options = { reason: { type: 'string' }, by: { type: 'string' } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const [userId, by] = [positionals[0], values.by ?? positionals[0]].map(
  (id) => /^[1-9]\d{0,8}$/.test(id ?? '') && Number(id),
);
const reason = values.reason?.trim();
if (!userId || !by || !reason) {
  console.error('npm run erase -- <userId> --reason "why" [--by <userId of staff>]');
  process.exit(2);
}
const config = readConfig();
process.exit(await runOnDb(config, { name: 'erase' }, (db) => run(db, { userId, by, reason })));

async function run(db: Db, erasure: Parameters<typeof erase>[1]): Promise<number> {
  const files = createFiles({ config, log: createPartLog('erase', { ...config, LOG_LEVEL: 'error' }) });
  const isNew = await erase({ db, files }, erasure);
  console.log(isNew ? `user ${erasure.userId} is erased` : `user ${erasure.userId} was erased before`);
  return 0;
}
