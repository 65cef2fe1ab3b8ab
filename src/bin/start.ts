/**
 * npm start: runs the whole platform on one machine. npm start -- api (or backoffice, realtime, worker, sandbox) runs one part. npm start
 * -- --demo runs the whole platform and fills it with sample data once it is ready.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const PART = fileURLToPath(new URL('./part.ts', import.meta.url));
/** Builds the pages that the main API serves. The script exists only in a checkout. An image contains built pages. */
const WEB = fileURLToPath(new URL('../../scripts/web.ts', import.meta.url));
/** Fills the platform with a month of sample data. An image does not contain this script. */
const DEMO = fileURLToPath(new URL('../../demo/run.ts', import.meta.url));
/** Number of demo players. The demo takes about a minute on two cores with this number. */
const DEMO_PLAYERS = '100';
const SANDBOX = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url));

/** Node's compile cache, which includes the result of type stripping. If the folder is not writable, Node runs without it. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/croupier', import.meta.url));

async function buildPages(): Promise<void> {
  if (!existsSync(WEB)) return;
  const [code] = await once(fork(WEB), 'exit');
  if (code !== 0)
    console.log('the pages could not be built: the lobby and the console are missing or outdated');
}

function startDemo(): void {
  if (existsSync(DEMO)) fork(DEMO, ['--players', DEMO_PLAYERS]);
  else console.log('the demo is not available in an image');
}

const [part] = process.argv.slice(2);
// The cache is enabled before our modules are loaded. The imports above are not cached.
enableCompileCache(COMPILED);
if (part === undefined || part === '--demo') {
  const { startAll } = await import('../app/supervisor.ts');
  await startAll({
    fork: (file, args, env) => fork(file, args, { env }),
    part: PART,
    sandbox: SANDBOX,
    compileCache: COMPILED,
    buildPages,
  });
  if (part === '--demo') startDemo();
} else if (part === 'sandbox') await import(SANDBOX);
else {
  if (part === 'api') await buildPages();
  await import(PART);
}
