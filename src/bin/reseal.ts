/**
 * npm run reseal: re-encrypts all data from the previous DATA_SECRET and SEED_SECRET with the current ones while the platform runs. It can
 * be interrupted and repeated. Exits with 1 if neither secret can decrypt a value.
 */

import { readConfig, runOnDb } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';
import { resealAll } from '../modules/operations/reseal/service.ts';

readArguments('npm run reseal', { options: {} });
const config = readConfig();
process.exit(
  await runOnDb(config, { name: 'reseal' }, async (db) => {
    const total = await resealAll(db, config, (column, { rows, resealed }) =>
      console.log(`${column}: ${rows} read, ${resealed} re-encrypted`),
    );
    console.log(
      total.unreadable === 0
        ? 'done: SEED_SECRET_PREVIOUS can be removed; keep DATA_SECRET_PREVIOUS until players have signed in (docs/operations.md)'
        : `${total.unreadable} values cannot be decrypted with either secret: keep the previous ones, and find the secret that encrypted them`,
    );
    return total.unreadable === 0 ? 0 : 1;
  }),
);
