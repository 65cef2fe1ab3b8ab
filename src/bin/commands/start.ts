import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PartName } from '../../app/apps.ts';
import { type CommandFile, misused } from '../command.ts';

const CROUPIER = fileURLToPath(new URL('../croupier.ts', import.meta.url));
const PART = fileURLToPath(new URL('../part.ts', import.meta.url));
/** Builds the pages that the main API serves. The script exists only in a checkout. An image contains built pages. */
const WEB = fileURLToPath(new URL('../../../web/build.ts', import.meta.url));
/** Number of demo players. The demo takes about a minute on two cores with this number. */
const DEMO_PLAYERS = '100';
const SANDBOX = fileURLToPath(new URL('../../../sandbox/main.ts', import.meta.url));
const PARTS = ['api', 'backoffice', 'realtime', 'worker', 'sandbox'] as const;

export const file: CommandFile = {
  hasJson: false,
  details:
    'Without a part it starts the database and all parts on this machine. It prints one line `ready` and runs until SIGTERM or Ctrl-C.',
  examples: [
    'npx croupier start',
    'npx croupier start --demo',
    'DATABASE_URL=postgres://user:password@host:5432/casino npx croupier start api',
  ],
  define: (command) =>
    command
      .addArgument(command.createArgument('[part]', 'the part to start').choices(PARTS))
      .option('--demo', 'fill the platform with sample data when it is ready')
      .action(async (part: (typeof PARTS)[number] | undefined, { demo }: { demo?: boolean }) => {
        if (part === undefined) await startPlatform(demo === true);
        else if (demo) misused(command, 'use --demo only without a part, because the demo needs all parts.');
        else if (part === 'sandbox') await import(SANDBOX);
        else await startPart(part);
      }),
};

async function startPart(part: PartName): Promise<void> {
  if (part === 'api') await buildPages();
  const { runPart } = await import('../part.ts');
  await runPart(part);
}

async function startPlatform(withDemo: boolean): Promise<void> {
  const { startAll } = await import('../../app/supervisor.ts');
  await startAll({
    fork: (script, args, env) => fork(script, args, { env }),
    part: PART,
    sandbox: SANDBOX,
    buildPages,
  });
  if (withDemo) fork(CROUPIER, ['demo', '--players', DEMO_PLAYERS]);
}

async function buildPages(): Promise<void> {
  if (!existsSync(WEB)) return;
  const [code] = await once(fork(WEB), 'exit');
  if (code !== 0)
    console.error('the pages could not be built: the lobby and the console are missing or outdated');
}
