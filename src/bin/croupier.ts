#!/usr/bin/env node
/** The command line of the platform: `croupier <command>`. It loads only the file of the command that is used. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { CommandFile } from './command.ts';

/** Every command with its summary and its file. The order is the order of `croupier --help`. */
const COMMANDS: Readonly<Record<string, readonly [string, () => Promise<{ file: CommandFile }>]>> = {
  start: ['Start the platform, or one of its parts', () => import('./commands/start.ts')],
  demo: ['Fill the running platform with sample data', () => import('./commands/demo.ts')],
  doctor: ['Check what is wrong with this installation', () => import('./commands/doctor.ts')],
  config: ['Check the configuration', () => import('./commands/config.ts')],
  migrate: ['Migrate the database schema', () => import('./commands/migrate.ts')],
  superadmin: ['Appoint the first superadmin', () => import('./commands/superadmin.ts')],
  reconcile: ['Check that ledger, balances and bets are consistent', () => import('./commands/reconcile.ts')],
  audit: ['Check that the audit log is unchanged', () => import('./commands/audit.ts')],
  consumers: ['List and control the consumers of bets', () => import('./commands/consumers.ts')],
  partitions: ['List and move the monthly partitions', () => import('./commands/partitions.ts')],
  'dead-letters': ['List, retry or delete dead letters', () => import('./commands/dead-letters.ts')],
  erase: ['Anonymise a user and close the account', () => import('./commands/erase.ts')],
  reseal: ['Re-encrypt data with the current secrets', () => import('./commands/reseal.ts')],
  brand: ['Write the files of an additional brand', () => import('./commands/brand.ts')],
  backup: ['Back up the database and the uploaded files', () => import('./commands/backup.ts')],
  restore: ['Create a data directory from a backup', () => import('./commands/restore.ts')],
  rehearse: ['Check that a backup can be restored', () => import('./commands/rehearse.ts')],
  verify: ['Recompute a bet from its seeds', () => import('./commands/verify.ts')],
};

// The cache includes the result of type stripping. It is enabled before the first module is loaded; the imports above are Node's own. If the
// folder is not writable, Node runs without it. The parts inherit the setting.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../../node_modules/.cache/croupier', import.meta.url),
);
enableCompileCache(process.env.NODE_COMPILE_CACHE);
const { Command: Program, CommanderError } = await import('commander');

try {
  await (await createProgram(process.argv.slice(2))).parseAsync();
} catch (error) {
  // Commander has printed the help, or what is wrong.
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}

/** Returns the program with the options of the command that the arguments name. Other commands have only their summary. */
async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Program('croupier')
    .description('Runs and operates a Croupier installation. Settings are environment variables.')
    .usage('<command> [options]')
    .exitOverride()
    .addHelpText('after', '\nShow the options of a command: croupier <command> --help')
    .showHelpAfterError('\nUsage: croupier <command> [options]\nAll commands: croupier --help');
  const [first, second] = args.filter((text) => !text.startsWith('-'));
  const named = first === 'help' ? second : first;
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary);
    if (name === named) define(command, (await load()).file);
  }
  return program;
}

function define(command: Command, { details, examples, hasJson = true, define }: CommandFile): void {
  const examplesText = examples.map((example) => `  ${example}`).join('\n');
  define(command);
  command.hook('preAction', (_, used) => rejectEmpty(used));
  for (const each of [command, ...command.commands]) {
    const path = each === command ? each.name() : `${command.name()} ${each.name()}`;
    if (hasJson && each.commands.length === 0)
      each.option('--json', 'print one JSON document; progress goes to standard error');
    each.summary(each.description());
    if (details !== undefined && each.commands.length === 0)
      each.description(`${each.description()}\n\n${details}`);
    each
      .addHelpText('after', `\nExamples:\n${examplesText}`)
      .showHelpAfterError(
        `\nUsage: croupier ${path} ${each.usage()}\nDescription and examples: croupier ${path} --help`,
      );
  }
}

/** An empty value usually comes from a variable of a script that is not set. As a path, it would be the current folder. */
function rejectEmpty(command: Command): void {
  const options = command.options.filter(({ long }) => long !== '--client-seed');
  const empty = options.find((option) => command.getOptionValue(option.attributeName()) === '');
  if (empty) command.error(`error: ${empty.long} must not be empty.`);
  if (command.args.includes('')) command.error('error: an argument must not be empty.');
}
