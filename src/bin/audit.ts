/**
 * npm run audit: recomputes the audit chain and prints invalid entries, then the head (number and hash of the last entry). Store the head
 * elsewhere and pass it to a later run (npm run audit -- NUMBER:HASH) to detect entries removed since then. Exits with 1 if anything is
 * invalid.
 */

import { readConfig, runOnDb } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';
import { type Head, verifyAudit } from '../modules/base/audit/verify.ts';
import type { Db } from '../platform/database/db.ts';

const usage = 'npm run audit [-- NUMBER:HASH, the head printed by an earlier run]';
const check = ({ positionals: [text] }: { positionals: string[] }) =>
  text === undefined || headOf(text) ? undefined : 'The stored head must have the form NUMBER:HASH.';
const { positionals } = readArguments(usage, { options: {}, words: 1, check });
const kept = positionals[0] === undefined ? undefined : headOf(positionals[0]);
process.exit(await runOnDb(readConfig(), { name: 'audit' }, verify));

async function verify(db: Db): Promise<number> {
  const { head, rows, breaks } = await verifyAudit(db, { kept });
  for (const { kind, id, problem } of breaks) console.log(`BROKEN ${kind}: ${id} ${problem}`);
  console.log(
    `${breaks.length === 0 ? 'the chain is valid' : `${breaks.length} invalid entries`}: ${rows} rows`,
  );
  console.log(`head ${head.id}:${head.hash}`);
  return breaks.length === 0 ? 0 : 1;
}

function headOf(text: string): Head | undefined {
  const [, id, hash] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(text) ?? [];
  return id !== undefined && hash !== undefined ? { id: BigInt(id), hash } : undefined;
}
