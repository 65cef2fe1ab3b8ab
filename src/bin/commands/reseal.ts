import { readConfig, runOnDb } from '../../app/boot.ts';
import { resealAll } from '../../modules/operations/reseal/service.ts';
import { type CommandFile, createProgress, type Output, print } from '../command.ts';

export const file: CommandFile = {
  details:
    'Re-encrypts all data from the previous DATA_SECRET and SEED_SECRET with the current ones while the platform runs. It can be ' +
    'interrupted and repeated. Exits with 1 if neither secret can decrypt a value.',
  examples: ['SEED_SECRET_PREVIOUS=… SEED_SECRET=… npx croupier reseal'],
  define: (command) => command.action(async (output: Output) => process.exit(await reseal(output))),
};

function reseal(output: Output): Promise<number> {
  const config = readConfig();
  const { say, wait, end, isTerminal } = createProgress(output);
  const show = isTerminal ? wait : say;
  return runOnDb(config, { name: 'reseal' }, async (db) => {
    const total = await resealAll(db, config, (column, { rows, resealed }) =>
      show(`${column}: ${rows} read, ${resealed} re-encrypted`),
    ).finally(end);
    print(output, total, [
      total.unreadable === 0
        ? 'done: SEED_SECRET_PREVIOUS can be removed; keep DATA_SECRET_PREVIOUS until players have signed in (docs/operations/secrets.md)'
        : `${total.unreadable} values cannot be decrypted with either secret: keep the previous ones, and find the secret that encrypted them`,
    ]);
    return total.unreadable === 0 ? 0 : 1;
  });
}
