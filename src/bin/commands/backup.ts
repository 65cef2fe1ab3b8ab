import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readConfig, runOnDatabase } from '../../app/boot.ts';
import { backUpInto, backUpTo } from '../../app/commands/back-up.ts';
import { reasonOf } from '../../app/reasons.ts';
import { assertRecipient, unpackBackup, writeNewKey } from '../../platform/backup/archive.ts';
import { type CommandFile, createProgress, misused, type Output, print } from '../command.ts';

type Options = Output & {
  [Name in 'into' | 'keep' | 'recipient' | 'to' | 'unpack' | 'identity' | 'newKey']?: string;
};

export const file: CommandFile = {
  details:
    'Takes a base backup of the running database with the WAL that it needs, and copies uploaded files that are stored on disk. The backup ' +
    'does not contain the secrets: store them elsewhere.',
  examples: [
    'npx croupier backup --into /var/backups/croupier --keep 14 --recipient age1…',
    'npx croupier backup --to /var/backups/monday',
    'npx croupier backup --unpack /var/backups/croupier/….tar.zst.age --to /var/backups/monday --identity key.txt',
    'npx croupier backup --new-key key.txt',
  ],
  define: (command) =>
    command
      .option('--into <folder>', 'write one compressed archive into this folder')
      .option('--keep <number>', 'with --into: keep only this number of archives')
      .option('--recipient <key>', 'with --into: encrypt the archive for this age public key')
      .option('--to <folder>', 'write a plain folder')
      .option('--unpack <archive>', 'unpack an archive into the folder given with --to')
      .option('--identity <file>', 'with --unpack: the key file that decrypts the archive')
      .option('--new-key <file>', 'create a key file and print its recipient')
      .action(async (options: Options) => {
        const problem = problemOf(options);
        if (problem !== undefined) misused(command, problem);
        process.exit(await ((options.newKey ?? options.unpack) ? useArchive(options) : backUp(options)));
      }),
};

function problemOf({ into, keep, recipient, to, unpack, identity, newKey }: Options): string | undefined {
  if (newKey !== undefined)
    return into || keep || recipient || to || unpack || identity
      ? 'use --new-key without other options.'
      : undefined;
  if (unpack !== undefined) {
    if (into || keep || recipient) return 'use --into, --keep and --recipient only to make a backup.';
    return to ? undefined : 'name the target folder with --to.';
  }
  if (identity !== undefined) return 'use --identity only with --unpack.';
  if ((into === undefined) === (to === undefined)) return 'name the folder with either --into or --to.';
  if (to !== undefined && (keep || recipient)) return 'use --keep and --recipient only with --into.';
  if (keep !== undefined && !/^[1-9]\d{0,4}$/.test(keep)) return '--keep must be a number of backups.';
  return undefined;
}

/** Creates a key, or unpacks an archive. Neither needs the database. */
async function useArchive(options: Options): Promise<number> {
  const { to = '', unpack = '', identity, newKey } = options;
  const progress = createProgress(options);
  try {
    if (newKey !== undefined) {
      const recipient = await writeNewKey(resolve(newKey));
      print(options, { recipient, keyFile: resolve(newKey) }, [
        `recipient    ${recipient}`,
        `done         ${newKey} decrypts archives encrypted for this recipient: do not store it on machines that make backups`,
      ]);
      return 0;
    }
    progress.wait('unpacking');
    const key = identity && (await readFile(identity, 'utf8'));
    await unpackBackup(unpack, resolve(to), key).finally(progress.end);
    print(options, { to: resolve(to) }, [
      `done         ${to}: restore it with npx croupier restore --from ${to}`,
    ]);
    return 0;
  } catch (error) {
    console.error(`failed: ${reasonOf(error)}`);
    return 1;
  }
}

async function backUp(options: Options): Promise<number> {
  const { into, to = '', recipient } = options;
  try {
    if (recipient !== undefined) assertRecipient(recipient);
  } catch (error) {
    console.error(`failed: ${reasonOf(error)}`);
    return 1;
  }
  const config = readConfig();
  const keep = options.keep === undefined ? undefined : Number(options.keep);
  const { say, wait, end } = createProgress(options);
  return runOnDatabase(config, async (url) => {
    wait('backing up');
    const parts = { config, url, say };
    const done =
      into === undefined
        ? backUpTo(resolve(to), parts)
        : backUpInto(resolve(into), { ...parts, recipient, keep });
    print(options, await done.finally(end), []);
    return 0;
  });
}
