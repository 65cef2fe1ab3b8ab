/**
 * npm run backup: takes a base backup of the running database with the WAL that it needs, and copies uploaded files stored on disk. It does
 * not contain the secrets: store them elsewhere. `--into` writes one compressed archive, encrypted with `--recipient`, and keeps the newest
 * `--keep` archives. `--to` writes a plain folder.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readConfig, runOnDatabase } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';
import { backUpInto, backUpTo } from '../app/commands/back-up.ts';
import { reasonOf } from '../app/reasons.ts';
import { assertRecipient, unpackBackup, writeNewKey } from '../platform/backup/archive.ts';

const text = { type: 'string' } as const;
const usage = `npm run backup -- --into DIR [--keep 14] [--recipient age1…]
       npm run backup -- --to DIR
       npm run backup -- --unpack FILE --to DIR [--identity KEYFILE]
       npm run backup -- --new-key KEYFILE`;
const { values } = readArguments(usage, {
  options: {
    into: text,
    keep: text,
    recipient: text,
    to: text,
    unpack: text,
    identity: text,
    'new-key': text,
  },
  check: misuse,
});
const say = (line: string) => console.log(line);
process.exitCode = await runTold();

type Asked = {
  values: { [Name in 'into' | 'keep' | 'recipient' | 'to' | 'unpack' | 'identity' | 'new-key']?: string };
};

function misuse({ values: { into, keep, recipient, to, unpack, identity, 'new-key': newKey } }: Asked) {
  if (newKey !== undefined) return into || to || unpack ? 'Use --new-key without other options.' : undefined;
  if (unpack !== undefined) return to ? undefined : 'Name the target folder with --to.';
  if (identity !== undefined) return 'Use --identity only with --unpack.';
  if ((into === undefined) === (to === undefined)) return 'Name the folder with either --into or --to.';
  if (to !== undefined && (keep || recipient)) return 'Use --keep and --recipient only with --into.';
  if (keep !== undefined && !/^[1-9]\d{0,4}$/.test(keep)) return '--keep must be a number of backups.';
  return undefined;
}

async function runTold(): Promise<number> {
  const { into, to, unpack, identity, 'new-key': newKey } = values;
  try {
    if (newKey !== undefined) {
      say(`recipient    ${await writeNewKey(resolve(newKey))}`);
      say(
        `done         ${newKey} decrypts archives encrypted for this recipient: do not store it on machines that make backups`,
      );
      return 0;
    }
    if (unpack !== undefined) {
      await unpackBackup(unpack, resolve(to!), identity && (await readFile(identity, 'utf8')));
      say(`done         ${to}: restore it with npm run restore -- --from ${to}`);
      return 0;
    }
    if (values.recipient !== undefined) assertRecipient(values.recipient);
  } catch (error) {
    console.error(`failed: ${reasonOf(error)}`);
    return 1;
  }
  const config = readConfig();
  const { recipient } = values;
  const keep = values.keep === undefined ? undefined : Number(values.keep);
  return runOnDatabase(config, (url) =>
    into === undefined
      ? backUpTo(resolve(to!), { config, url, say })
      : backUpInto(resolve(into), { config, url, say, recipient, keep }),
  );
}
