/**
 * npm run erase -- 4711 --reason "request of 3 May" [--by 12]: anonymises a user and closes the account permanently. Ledger, bets, payments
 * and audit log are kept. Exits with 1 while the account still has open items, such as bets or payments. Running it again changes nothing.
 * `--by` is the responsible staff member for the audit log. Without it, the log records the erasure as the user's own request.
 */

import { createPartLog, readConfig, runOnDb } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';
import { erase } from '../modules/backoffice/user-admin/erase.ts';
import type { Db } from '../platform/database/db.ts';
import { createFiles } from '../platform/files/files.ts';

const isId = (text: string | undefined) => /^[1-9]\d{0,8}$/.test(text ?? '');
const { values, positionals } = readArguments(
  'npm run erase -- USER_ID --reason "why" [--by USER_ID of staff]',
  {
    options: { reason: { type: 'string' }, by: { type: 'string' } },
    words: 1,
    check({ values, positionals: [userId] }) {
      if (!isId(userId)) return 'USER_ID must be a number.';
      if (values.by !== undefined && !isId(values.by)) return '--by must be the number of a user.';
      return values.reason?.trim() ? undefined : '--reason is required.';
    },
  },
);
const [userId = ''] = positionals;
const erasure = {
  userId: Number(userId),
  by: Number(values.by ?? userId),
  reason: values.reason!.trim(),
};
const config = readConfig();
process.exit(await runOnDb(config, { name: 'erase' }, (db) => run(db, erasure)));

async function run(db: Db, erasure: Parameters<typeof erase>[1]): Promise<number> {
  const files = createFiles({ config, log: createPartLog('erase', { ...config, LOG_LEVEL: 'error' }) });
  const isNew = await erase({ db, files }, erasure);
  console.log(isNew ? `user ${erasure.userId} is erased` : `user ${erasure.userId} was already erased`);
  return 0;
}
