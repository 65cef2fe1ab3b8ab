import { createPartLog, readConfig, runOnDb } from '../../app/boot.ts';
import { erase } from '../../modules/backoffice/user-admin/erase.ts';
import { createFiles } from '../../platform/files/files.ts';
import { type CommandFile, misused, type Output, print } from '../command.ts';

const isId = (text: string) => /^[1-9]\d{0,8}$/.test(text);

export const file: CommandFile = {
  details:
    'Ledger, bets, payments and audit log are kept. Exits with 1 while the account still has open items, such as bets or payments. Running ' +
    'it again changes nothing.',
  examples: [
    'npx croupier erase 4711 --reason "request of 3 May"',
    'npx croupier erase 4711 --reason "request of 3 May" --by 12',
  ],
  define: (command) =>
    command
      .argument('<user-id>', 'number of the user')
      .requiredOption('--reason <text>', 'the reason, for the audit log')
      .option('--by <user-id>', 'the responsible staff member (default: the user)')
      .action(async (userId: string, options: Output & { reason: string; by?: string }) => {
        const { by = userId } = options;
        const reason = options.reason.trim();
        if (!isId(userId)) misused(command, 'user-id must be a number.');
        if (!isId(by)) misused(command, '--by must be the number of a user.');
        if (reason === '') misused(command, '--reason must not be empty.');
        process.exit(await run({ userId: Number(userId), by: Number(by), reason }, options));
      }),
};

function run(erasure: Parameters<typeof erase>[1], output: Output): Promise<number> {
  const config = readConfig();
  return runOnDb(config, { name: 'erase' }, async (db) => {
    const files = createFiles({ config, log: createPartLog('erase', { ...config, LOG_LEVEL: 'error' }) });
    const isNew = await erase({ db, files }, erasure);
    const { userId } = erasure;
    print(output, { userId: String(userId), wasErasedBefore: !isNew }, [
      isNew ? `user ${userId} is erased` : `user ${userId} was already erased`,
    ]);
    return 0;
  });
}
