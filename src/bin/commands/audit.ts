import { readConfig, runOnDb } from '../../app/boot.ts';
import { type Head, verifyAudit } from '../../modules/base/audit/verify.ts';
import type { Db } from '../../platform/database/db.ts';
import { type CommandFile, misused, type Output, print } from '../command.ts';

export const file: CommandFile = {
  details:
    'Recomputes the hash chain. Prints invalid entries, then the head (number and hash of the last entry). Store the head elsewhere and ' +
    'pass it to a later run to detect entries that were removed since then. Exits with 1 if anything is invalid.',
  examples: [
    'npx croupier audit',
    'npx croupier audit 4711:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  define: (command) =>
    command
      .argument('[head]', 'NUMBER:HASH, the head that an earlier run printed')
      .action(async (text: string | undefined, output: Output) => {
        const kept = text === undefined ? undefined : headOf(text);
        if (text !== undefined && !kept) misused(command, 'the stored head must have the form NUMBER:HASH.');
        process.exit(await runOnDb(readConfig(), { name: 'audit' }, (db) => verify(db, kept, output)));
      }),
};

async function verify(db: Db, kept: Head | undefined, output: Output): Promise<number> {
  const { head, rows, breaks } = await verifyAudit(db, { kept });
  const verdict = breaks.length === 0 ? 'the chain is valid' : `${breaks.length} invalid entries`;
  print(output, { breaks, rows, head: `${head.id}:${head.hash}` }, [
    ...breaks.map(({ kind, id, problem }) => `BROKEN ${kind}: ${id} ${problem}`),
    `${verdict}: ${rows} rows`,
    `head ${head.id}:${head.hash}`,
  ]);
  return breaks.length === 0 ? 0 : 1;
}

function headOf(text: string): Head | undefined {
  const [, id, hash] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(text) ?? [];
  return id !== undefined && hash !== undefined ? { id: BigInt(id), hash } : undefined;
}
